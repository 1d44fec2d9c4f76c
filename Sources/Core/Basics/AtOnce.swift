import Foundation
import Synchronization

/// Runs two closures concurrently, the first on a new thread, and waits for both.
///
/// It is used for checks outside timed regions, which would otherwise use only one core, and for
/// two contexts that work concurrently.
///
/// - Throws: The first closure's error if it fails, otherwise the second closure's error.
package func atOnce<First: Sendable, Second>(
  _ first: @escaping @Sendable () throws -> First,
  _ second: () throws -> Second
) throws -> (First, Second) {
  let outcome = Outcome<First>()
  let thread = Thread { outcome.set(Result(catching: first)) }
  // Use a main thread's stack size, because SQLite parses expressions recursively.
  thread.stackSize = 8 << 20
  thread.start()
  let other = Result(catching: second)
  let own = outcome.wait()
  return (try own.get(), try other.get())
}

private final class Outcome<Value: Sendable>: Sendable {
  private let value = Mutex<Result<Value, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func set(_ result: Result<Value, any Error>) {
    value.withLock { $0 = result }
    isDone.signal()
  }

  func wait() -> Result<Value, any Error> {
    isDone.wait()
    guard let result = value.withLock({ $0 }) else { preconditionFailure("signalled once set") }
    return result
  }
}

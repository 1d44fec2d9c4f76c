import Foundation
import Synchronization

/// Does two things at once, the first on a thread of its own; waits for both.
///
/// For checks while nothing is timed, since half of the machine would be idle, and for two contexts at work.
/// - Throws: what the first one throws, else what the second one throws.
package func atOnce<First: Sendable, Second>(
  _ first: @escaping @Sendable () throws -> First,
  _ second: () throws -> Second
) throws -> (First, Second) {
  let outcome = Outcome<First>()
  let thread = Thread { outcome.set(Result(catching: first)) }
  // As much as a process's first thread has: expressions of SQL are parsed recursively.
  thread.stackSize = 8 << 20
  thread.start()
  let other = Result(catching: second)
  let own = outcome.wait()
  return (try own.get(), try other.get())
}

/// What a thread came to, once it has.
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

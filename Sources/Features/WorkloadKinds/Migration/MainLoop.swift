import Basics
import Foundation
import Runner

/// An app's main loop, which must answer every 16 ms, while a migration runs on it or beside it.
struct MainLoop {
  enum Place: String, CaseIterable {
    /// There is no main loop.
    case none
    /// The migration runs on the main thread: a white screen.
    case main
    /// The migration runs on a thread of its own.
    case background
  }

  /// The time between two answers of the loop, in nanoseconds.
  struct Stalls: Hashable {
    private(set) var longest: UInt64 = 0
    private(set) var over100ms = 0
    private(set) var over250ms = 0
    private(set) var over1s = 0

    mutating func add(_ nanoseconds: UInt64) {
      longest = max(longest, nanoseconds)
      if nanoseconds > 100_000_000 { over100ms += 1 }
      if nanoseconds > 250_000_000 { over250ms += 1 }
      if nanoseconds > 1_000_000_000 { over1s += 1 }
    }
  }

  let place: Place
  private let now: () -> UInt64 = { MonotonicClock.now() }

  init(_ place: Place) {
    self.place = place
  }

  /// Does the work where it belongs and returns how the loop fared.
  func run(_ work: @escaping () throws -> Void) throws -> Stalls {
    var stalls = Stalls()
    guard place == .background else {
      let start = now()
      try work()
      stalls.add(now() - start)
      return stalls
    }
    let job = Job(work)
    job.start()
    var last = now()
    var isDone = false
    while !isDone {
      isDone = job.wait(milliseconds: 16)
      let time = now()
      stalls.add(time - last)
      last = time
    }
    try job.result()
    return stalls
  }

  /// Work on a thread of its own.
  ///
  /// Unchecked: whoever starts it touches nothing that the work touches before it is done.
  private final class Job: @unchecked Sendable {
    private let work: () throws -> Void
    private let done = DispatchSemaphore(value: 0)
    private var failure: (any Error)?

    init(_ work: @escaping () throws -> Void) {
      self.work = work
    }

    func start() {
      let thread = Thread {
        do { try self.work() } catch { self.failure = error }
        self.done.signal()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }

    func wait(milliseconds: Int) -> Bool {
      done.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    func result() throws {
      if let failure { throw failure }
    }
  }
}

extension Recorder {
  /// Records how the main loop fared.
  func record(_ stalls: MainLoop.Stalls) {
    record(.waits.stall, Double(stalls.longest) / 1e9)
    record(.migration.over100ms, Double(stalls.over100ms))
    record(.migration.over250ms, Double(stalls.over250ms))
    record(.migration.over1s, Double(stalls.over1s))
  }
}

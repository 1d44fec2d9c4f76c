import Basics
import Foundation
import Runner

/// An app's main loop, which must respond every 16 ms while a migration runs on the main thread or
/// another thread.
struct MainLoop {
  enum Place: String, CaseIterable {
    /// The case has no main loop.
    case none
    /// The migration runs on the main thread, so the screen stays white until it ends.
    case main
    /// The migration runs on its own thread.
    case background
  }

  /// The longest pause in nanoseconds between two responses of the loop, and the numbers of pauses
  /// over 100 ms, 250 ms and 1 s.
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

  func run(_ work: @escaping () throws -> Void) throws -> Stalls {
    var stalls = Stalls()
    var last = now()
    func answer() {
      let time = now()
      stalls.add(time - last)
      last = time
    }
    guard place == .background else {
      try work()
      answer()
      return stalls
    }
    let done = DispatchSemaphore(value: 0)
    // Sharing the closure is safe, because the loop does not access the work's data before the work
    // is done.
    nonisolated(unsafe) let work = work
    _ = try atOnce(
      {
        defer { done.signal() }
        try work()
      },
      {
        var isDone = false
        while !isDone {
          isDone = done.wait(timeout: .now() + .milliseconds(16)) == .success
          answer()
        }
      }
    )
    return stalls
  }
}

extension Recorder {
  func record(_ stalls: MainLoop.Stalls) {
    record(.waits.stall, Double(stalls.longest) / 1e9)
    record(.migration.over100ms, Double(stalls.over100ms))
    record(.migration.over250ms, Double(stalls.over250ms))
    record(.migration.over1s, Double(stalls.over1s))
  }
}

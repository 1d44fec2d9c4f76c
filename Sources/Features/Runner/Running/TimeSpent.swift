import Basics

/// How the wall time of runs was spent, in seconds; one is handed through all runs of a command.
package final class TimeSpent {
  /// Making or finding stores, starting stores included.
  package private(set) var stores = 0.0
  /// Copying them for trials.
  package private(set) var copies = 0.0
  /// The timed work, warm-up iterations included.
  package private(set) var work = 0.0
  /// Checking outcomes.
  package private(set) var checks = 0.0
  private let now: () -> Double
  private let started: Double

  /// Starts with a clock in seconds.
  package init(now: @escaping () -> Double = MonotonicClock.seconds) {
    self.now = now
    started = now()
  }

  /// The seconds since the start.
  package var wall: Double { now() - started }

  /// `12.3 s: stores 8.1 s, copies 0.2 s, work 2.5 s, checks 1.1 s, other 0.4 s`.
  package var text: String {
    let wall = wall
    let parts = [
      ("stores", stores), ("copies", copies), ("work", work), ("checks", checks),
      ("other", max(0, wall - stores - copies - work - checks)),
    ]
    let list = parts.map { "\($0.0) \(Figures.seconds($0.1))" }.joined(separator: ", ")
    return "\(Figures.seconds(wall)): \(list)"
  }

  /// Does what makes or finds a store.
  func makingStores<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { stores += now() - start }
    return try body()
  }

  /// Does what copies a store.
  func copying<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { copies += now() - start }
    return try body()
  }

  /// Adds what a worker has spent.
  func add(_ trial: TrialResponse.Times?) {
    guard let trial else { return }
    work += trial.work
    checks += trial.checks
  }
}

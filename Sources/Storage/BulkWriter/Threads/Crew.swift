import Basics

/// Threads that take numbered items in order, and pass a turn from each item to the next.
final class Crew: @unchecked Sendable {
  /// Thrown to leave the work of an item after another one failed.
  private struct Stopped: Error {}

  // All of these belong to the monitor.
  private let monitor = Monitor()
  private var next = 0
  private var turn = 0
  private var running = 0
  private var failure: (any Error)?
  private var news: BulkProgress?

  private let itemCount: Int
  private let work: @Sendable (_ worker: Int, _ item: Int, _ crew: Crew) throws -> Void

  init(
    itemCount: Int,
    work: @escaping @Sendable (_ worker: Int, _ item: Int, _ crew: Crew) throws -> Void
  ) {
    self.itemCount = itemCount
    self.work = work
  }

  /// Has all items done, and reports on the calling thread; throws what the first failure was.
  func run(threads: Int, progress: (BulkProgress) throws -> Void) throws {
    running = min(threads, itemCount)
    let handles = (0..<running).map { worker in
      Thread { [self] in take(worker) }
    }
    while let report = waitForNews() {
      do {
        try progress(report)
      } catch {
        stop(error)
      }
    }
    for handle in handles { handle.join() }
    if let failure { throw failure }
  }

  /// Waits until all items before this one have passed their turn.
  func waitForTurn(of item: Int) throws {
    try monitor.locked {
      while turn != item, failure == nil { monitor.wait() }
      if failure != nil { throw Stopped() }
    }
  }

  /// Gives the turn to the next item.
  func passTurn() {
    monitor.locked {
      turn += 1
      monitor.wakeAll()
    }
  }

  func report(_ progress: BulkProgress) {
    monitor.locked {
      news = progress
      monitor.wakeAll()
    }
  }

  private func take(_ worker: Int) {
    while let item = claim() {
      do {
        try work(worker, item, self)
      } catch {
        stop(error)
      }
    }
    monitor.locked {
      running -= 1
      monitor.wakeAll()
    }
  }

  private func claim() -> Int? {
    monitor.locked {
      guard failure == nil, next < itemCount else { return nil }
      next += 1
      return next - 1
    }
  }

  private func stop(_ error: any Error) {
    monitor.locked {
      if failure == nil, !(error is Stopped) { failure = error }
      monitor.wakeAll()
    }
  }

  /// The next report; `nil` when all threads have ended.
  private func waitForNews() -> BulkProgress? {
    monitor.locked {
      while news == nil, running > 0 { monitor.wait() }
      defer { news = nil }
      return news
    }
  }
}

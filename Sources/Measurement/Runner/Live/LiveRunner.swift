import Basics
import Measurement
import PersistentStore
import SQLite

/// Compares suites of cases, live: block after block where it decides most, until every case has
/// its verdict or the budget is spent.
///
/// It keeps stores and the lengths of slices from suite to suite.
package final class LiveRunner {
  private let stores: LiveStores
  private let isStopped: @Sendable () -> Bool
  private var methods: [MethodKey: SliceMethod] = [:]

  /// All that the length of a slice depends on.
  private struct MethodKey: Hashable {
    let id: String
    let store: StoreSource
    let settings: ConnectionSettings
    let worker: LiveWorker
    let slicing: Slicing

    init(_ arm: LiveArm, _ slicing: Slicing) {
      id = arm.planned.id
      store = arm.file.store
      settings = arm.file.settings
      worker = arm.worker
      self.slicing = slicing
    }
  }

  /// Works with stores of a provider and with copies in a scratch folder.
  package init(
    provider: any StoreProvider,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    stores = LiveStores(provider: provider, scratch: scratch, isStopped: isStopped)
    self.isStopped = isStopped
    // A worker that has gone ends the write to it with an error, and not this process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Compares a suite; a case that fails ends itself only.
  ///
  /// When told to stop it gives what there is, marked as interrupted.
  /// - Throws: ``LiveError`` for a side that cannot be compared at all, and what keeps a store from
  ///   being made.
  package func compare(
    _ suite: LiveSuite,
    events: @escaping (LiveEvent) -> Void = { _ in }
  ) throws -> LiveResult {
    var run = LiveRun(suite: suite, events: events)
    events(.started(cases: suite.cases.count, budget: suite.budget))
    while !run.isSpent, let index = run.next {
      guard !isStopped() else { return run.result(isInterrupted: true) }
      do {
        run.take(index, try block(of: suite, index, run))
      } catch let failure as LiveBlock.Failure {
        if case RunnerError.interrupted = failure.cause {
          return run.result(isInterrupted: true)
        }
        if let error = failure.cause as? LiveError, error.isOfTheSide { throw error }
        guard !Self.endsAll(failure.cause) else { throw failure.cause }
        run.fail(index, failure)
      } catch RunnerError.interrupted {
        return run.result(isInterrupted: true)
      }
      if run.isFinished(index) { try finish(index, &run) }
    }
    return run.result(isInterrupted: false)
  }

  private func block(of suite: LiveSuite, _ index: Int, _ run: LiveRun) throws -> LiveRun.Block {
    let pair = suite.cases[index]
    let method = try method(of: pair, suite.slicing, run)
    let start = MonotonicClock.seconds()
    let outcome = try LiveBlock(
      pair: pair,
      method: method,
      slicing: suite.slicing,
      seed: suite.seed,
      number: run.blockCount(of: index),
      isStopped: isStopped
    ).perform(on: stores)
    return LiveRun.Block(
      outcome: outcome,
      method: method,
      seconds: MonotonicClock.seconds() - start
    )
  }

  /// How a case is cut; also makes the stores of both sides, so that no block counts the time for it.
  private func method(
    of pair: LiveCase,
    _ slicing: Slicing,
    _ run: LiveRun
  ) throws -> SliceMethod {
    let key = MethodKey(pair.base, slicing)
    if let method = methods[key] { return method }
    run.events(.preparing(id: pair.id))
    do {
      _ = try stores.start(of: pair.head)
      let method = try SliceCalibration(arm: pair.base, slicing: slicing, isStopped: isStopped)
        .method(on: stores.trial(of: pair.base, at: .first))
      methods[key] = method
      return method
    } catch let error where !LiveRunner.endsAll(error) {
      throw LiveBlock.Failure(isHead: false, cause: error)
    }
  }

  /// A process that failed fails its case; a store that cannot be made, or a stop, ends them all.
  private static func endsAll(_ error: any Error) -> Bool {
    !(error is WorkerFault || error is LiveError)
  }

  private func finish(_ index: Int, _ run: inout LiveRun) throws {
    let pair = run.suite.cases[index]
    for (isHead, arm) in [(false, pair.base), (true, pair.head)] {
      guard let change = try stores.change(by: arm) else { continue }
      let error = LiveError.failed("it must only read, but \(change)")
      run.fail(index, LiveBlock.Failure(isHead: isHead, cause: error))
    }
    run.events(.caseFinished(run.caseResult(of: index)))
  }
}

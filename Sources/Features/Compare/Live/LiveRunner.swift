import Basics
import PersistentStore
import Runner
import SQLite

/// Runs live comparisons of suites.
///
/// Each block (alternating slices of both sides) goes to the case whose verdict is expected first,
/// after all cases have the minimum number of blocks. A comparison ends when all cases have
/// verdicts or the budget is spent.
///
/// Stores and slice lengths are reused from suite to suite.
package final class LiveRunner {
  private let stores: LiveStores
  private let isStopped: @Sendable () -> Bool
  private var methods: [MethodKey: SliceMethod] = [:]

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

  /// Creates a runner that uses a provider's stores and copies them into a scratch folder.
  package init(
    provider: any StoreProvider,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    stores = LiveStores(provider: provider, scratch: scratch, isStopped: isStopped)
    self.isStopped = isStopped
    // Ignore SIGPIPE: writing to a worker that has exited must fail with an error instead of ending
    // this process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Compares the sides of a suite; a case that fails does not stop the others.
  ///
  /// A comparison that is stopped returns the results so far, marked as interrupted.
  /// - Throws: ``Refusal`` if a side cannot be compared at all or a store cannot be made.
  package func compare(
    _ suite: LiveSuite,
    events: @escaping (LiveEvent) -> Void = { _ in }
  ) throws -> LiveResult {
    var run = LiveRun(suite: suite, events: events)
    events(.started(cases: suite.cases.count, budget: suite.budget))
    while !run.isSpent, let index = run.next {
      guard !isStopped() else { return run.result(isInterrupted: true) }
      do {
        try block(of: suite, index, &run)
      } catch let failure as LiveBlock.Failure {
        if failure.cause.isInterruption {
          return run.result(isInterrupted: true)
        }
        guard !Self.endsAll(failure.cause) else { throw failure.cause }
        run.fail(index, failure)
      } catch let error where error.isInterruption {
        return run.result(isInterrupted: true)
      }
      if run.isFinished(index) { try finish(index, &run) }
    }
    return run.result(isInterrupted: false)
  }

  private func block(of suite: LiveSuite, _ index: Int, _ run: inout LiveRun) throws {
    let pair = suite.cases[index]
    let method = try method(of: pair, suite.slicing, run)
    let (block, meanSlice) = try LiveBlock(
      pair: pair,
      method: method,
      slicing: suite.slicing,
      seed: suite.seed,
      number: run.blockCount(of: index),
      isStopped: isStopped
    ).perform(on: stores)
    run.take(block, of: index, method, meanSlice: meanSlice)
  }

  /// Returns the slicing method of a case.
  ///
  /// The function also makes the stores of both sides, so that no block's time includes making
  /// them.
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
      let method = try SliceMethod(
        for: pair.base,
        on: stores.trial(of: pair.base, at: .first),
        slicing,
        isStopped: isStopped
      )
      methods[key] = method
      return method
    } catch let error where !LiveRunner.endsAll(error) {
      throw LiveBlock.Failure(isHead: false, cause: error)
    }
  }

  /// Whether an error ends the whole comparison.
  ///
  /// A failed process ends only its case. A request to stop, or a store that cannot be made, ends
  /// all cases.
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

  struct LiveRun {
    let suite: LiveSuite
    let events: (LiveEvent) -> Void
    private var comparison: SuiteComparison
    private var records: [CaseRecord]
    private var spent = 0.0

    private struct CaseRecord {
      var blocks: [LiveCaseResult.Block] = []
      var method: SliceMethod?
      var coarseBlocks = 0
      var failure: String?
    }

    init(suite: LiveSuite, events: @escaping (LiveEvent) -> Void) {
      self.suite = suite
      self.events = events
      comparison = SuiteComparison(cases: suite.cases.count, policy: suite.policy)
      records = suite.cases.map { _ in CaseRecord() }
    }

    var isSpent: Bool { spent >= suite.budget }
    var next: Int? { comparison.nextCase }

    func blockCount(of index: Int) -> Int { records[index].blocks.count }

    func isFinished(_ index: Int) -> Bool {
      records[index].failure != nil || comparison.verdict(of: index)?.isDecided == true
    }

    mutating func take(
      _ block: LiveCaseResult.Block,
      of index: Int,
      _ method: SliceMethod,
      meanSlice: Double
    ) {
      comparison.add(block.logRatio, seconds: block.seconds, to: index)
      spent += block.seconds
      records[index].method = method
      records[index].blocks.append(block)
      if meanSlice > Slicing.coarse { records[index].coarseBlocks += 1 }
      let decided = suite.cases.indices.filter(isFinished).count
      events(
        .blockFinished(
          id: suite.cases[index].id,
          blocks: records[index].blocks.count,
          decided: decided,
          seconds: spent
        )
      )
    }

    /// Marks a case as failed on both sides, because the time of a wrong result is meaningless.
    mutating func fail(_ index: Int, _ failure: LiveBlock.Failure) {
      records[index].failure = "\(failure.isHead ? "head" : "base"): \(failure.cause)"
      comparison.remove(index)
    }

    func caseResult(of index: Int) -> LiveCaseResult {
      let (pair, record) = (suite.cases[index], records[index])
      var result = LiveCaseResult(
        workload: pair.head.file.name,
        id: pair.id,
        baseID: pair.base.planned.id,
        slicing: slicing(of: record),
        blocks: record.blocks
      )
      if case .iterations(let count)? = record.method { result.iterationsPerSlice = count }
      result.finding =
        record.failure.map { .failed($0) }
        ?? comparison.verdict(of: index).map { .verdict($0) } ?? .failed("it was not run")
      return result
    }

    private func slicing(of record: CaseRecord) -> LiveCaseResult.Slicing {
      if record.coarseBlocks * 2 > record.blocks.count { return .coarse }
      if case .quanta? = record.method { return .quanta }
      return .iterations
    }

    func result(isInterrupted: Bool) -> LiveResult {
      LiveResult(
        base: suite.cases.first?.base.worker.name ?? "",
        head: suite.cases.first?.head.worker.name ?? "",
        seed: suite.seed,
        budget: suite.budget,
        seconds: spent,
        policy: suite.policy,
        isInterrupted: isInterrupted,
        cases: suite.cases.indices.map(caseResult)
      )
    }
  }
}

/// A progress event of a live comparison.
package enum LiveEvent: Sendable {
  case started(cases: Int, budget: Double)
  /// A case's stores are being made or copied, and the length of its slices is being determined.
  case preparing(id: String)
  /// A case has completed another block; `seconds` of the budget have been spent.
  case blockFinished(id: String, blocks: Int, decided: Int, seconds: Double)
  /// A case has its verdict, or has failed.
  case caseFinished(LiveCaseResult)
}

import Basics
import PersistentStore
import Runner
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
  /// - Throws: ``Refusal`` for a side that cannot be compared at all or a store that cannot be made.
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

  /// How a case is cut; also makes the stores of both sides, so that no block counts the time for
  /// it.
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

  /// One suite under way: what its blocks have given so far.
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

    /// Ends a case: a wrong answer has no time, on either side.
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

/// What a live comparison tells while it goes on.
package enum LiveEvent: Sendable {
  case started(cases: Int, budget: Double)
  /// A case's stores are being made or copied, and the length of its slices is being found.
  case preparing(id: String)
  /// A case has one block more; `seconds` of the budget are spent.
  case blockFinished(id: String, blocks: Int, decided: Int, seconds: Double)
  /// A case has its verdict, or failed.
  case caseFinished(LiveCaseResult)
}

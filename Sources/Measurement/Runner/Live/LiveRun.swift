import Measurement

/// One suite under way: what its blocks have given so far.
struct LiveRun {
  struct Block {
    var outcome: LiveBlock.Outcome
    var method: SliceMethod
    var seconds: Double
  }

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

  mutating func take(_ index: Int, _ block: Block) {
    let outcome = block.outcome
    comparison.add(outcome.logRatio, seconds: block.seconds, to: index)
    spent += block.seconds
    records[index].method = block.method
    records[index].blocks.append(
      LiveCaseResult.Block(
        logRatio: outcome.logRatio,
        isHeadFirst: outcome.isHeadFirst,
        orderEffect: outcome.orderEffect,
        seconds: block.seconds
      )
    )
    if outcome.meanSlice > Slicing.coarse { records[index].coarseBlocks += 1 }
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
    switch record.method {
    case .iterations(let count)?: result.iterationsPerSlice = count
    case .quanta?, nil: break
    }
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

import Basics
import Compare
import Foundation
import Runner
import WorkloadKinds

/// Compares whole suites with themselves, using the product's slices, budget and stopping rule.
///
/// Every 'changed' verdict is a false alarm.
struct ProductSuites: TruthUnit {
  let share = 0.4

  let comparisons: TruthComparisons

  private var setting: TruthSetting { comparisons.setting }

  func spent() throws -> Double { try setting.ledgers.product.seconds() }

  func perform() throws -> String {
    let done = try setting.ledgers.product.records().map(\.circumstances)
    let (result, circumstances) = try setting.perform(next: done, of: TruthCell.allCases) {
      cell,
      seed in
      try comparisons.runner.compare(
        LiveSuite(cases: comparisons.cases.equal(in: cell), seed: seed)
      )
    }
    let record = ProductRecord(circumstances, result)
    try setting.ledgers.product.append(record)
    return "suite \(done.count + 1), \(circumstances.note): \(record.changed) alarms,"
      + " \(record.couldAlarm) of \(record.cases) cases could have,"
      + " \(record.blocks) blocks in \(Figures.plain(record.seconds, decimals: 1)) s"
  }
}

/// Compares equal sides over a fixed number of blocks (alternating slices of both sides).
///
/// No verdict ends a test early, so the final wealth (``SymmetryProcess``) could refute the error
/// rate.
struct LongNulls: TruthUnit {
  static let blocks = 40

  let share = 0.3

  let comparisons: TruthComparisons

  private var setting: TruthSetting { comparisons.setting }

  func spent() throws -> Double { try setting.ledgers.nulls.seconds() }

  /// A policy with the verdict 'unchanged', reached only after the last block.
  ///
  /// The tiny level prevents 'changed', and the huge margin allows 'unchanged' as soon as the
  /// minimum number of blocks has run.
  static var policy: LivePolicy {
    var policy = LivePolicy()
    policy.suiteLevel = 1e-300
    policy.margin = 1e6
    policy.minimumBlocks = blocks
    return policy
  }

  func perform() throws -> String {
    let done = try setting.ledgers.nulls.records().map(\.circumstances)
    let (result, circumstances) = try setting.perform(next: done, of: TruthCell.allCases) {
      cell,
      seed in
      let all = try comparisons.cases.equal(in: cell)
      let pair = all[done.count { $0.cell == cell } % all.count]
      return try comparisons.runner.compare(
        LiveSuite(cases: [pair], policy: Self.policy, budget: 3600, seed: seed)
      )
    }
    let record = try NullRecord(circumstances, result)
    try setting.ledgers.nulls.append(record)
    return "null \(done.count + 1), \(circumstances.note): wealth up to"
      + " \(Figures.plain(exp(record.logWealth), decimals: 2)) in \(record.blocks) blocks,"
      + " \(Figures.plain(record.seconds, decimals: 1)) s"
  }
}

/// Attempts to detect a known share of additional work.
///
/// Each attempt is one case with a budget of one minute, at the significance level that a case has
/// in a suite of twenty.
struct PowerAttempts: TruthUnit {
  static let shares = [0.05, 0.02]
  static let budget = 60.0
  static let suiteSize = 20.0

  let share = 0.25

  let comparisons: TruthComparisons

  private var setting: TruthSetting { comparisons.setting }

  func spent() throws -> Double { try setting.ledgers.power.seconds() }

  func perform() throws -> String {
    let done = try setting.ledgers.power.records()
    var policy = LivePolicy()
    policy.suiteLevel /= Self.suiteSize
    let next = setting.next(after: done.map(\.circumstances), of: TruthCell.planted)
    let own = done.filter {
      setting.isRow($0.circumstances, of: next.cell, isLoaded: next.isLoaded)
    }
    let counts = Self.shares.map { share in own.count { $0.planted == share } }
    let planted = Self.shares[counts[1] < counts[0] ? 1 : 0]
    let (result, circumstances) = try setting.perform(
      next: done.map(\.circumstances),
      of: TruthCell.planted
    ) { cell, seed in
      let all = try comparisons.cases.planted(planted, in: cell)
      guard !all.isEmpty else {
        throw TruthError.failed(id: cell.workload, cause: "no case does \(planted) more work")
      }
      let pair = all[own.count / Self.shares.count % all.count]
      return try comparisons.runner.compare(
        LiveSuite(cases: [pair], policy: policy, budget: Self.budget, seed: seed)
      )
    }
    let record = try PowerRecord(circumstances, planted: planted, result)
    try setting.ledgers.power.append(record)
    return "\(Figures.percent(planted, decimals: 0)) more work, \(circumstances.note):"
      + " \(record.verdict.rawValue), median \(Figures.percent(record.median, decimals: 2)),"
      + " \(record.blocks) blocks in \(Figures.plain(record.seconds, decimals: 1)) s"
  }
}

struct TruthComparisons {
  let setting: TruthSetting
  let cases: TruthCases
  let runner: LiveRunner

  init(_ setting: TruthSetting) throws {
    self.setting = setting
    cases = try TruthCases(setting)
    runner = LiveRunner(provider: setting.provider, scratch: try setting.scratch())
  }
}

struct TruthCases {
  private var arms: [TruthCell: [LiveArm]] = [:]

  init(_ setting: TruthSetting) throws {
    for cell in TruthCell.allCases {
      arms[cell] = try setting.plan(cell.workload).workloads.flatMap { workload in
        workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: setting.worker) }
      }
    }
  }

  func equal(in cell: TruthCell) throws -> [LiveCase] {
    let all = arms[cell] ?? []
    guard cell != .coarse else {
      return all.map { LiveCase(id: $0.planned.id, base: $0, head: $0) }
    }
    let least = all.map { $0.work(cell) }.min() ?? 0
    return all.filter { $0.work(cell) == least }
      .map { LiveCase(id: $0.planned.id, base: $0, head: $0) }
  }

  func planted(_ share: Double, in cell: TruthCell) throws -> [LiveCase] {
    let all = arms[cell] ?? []
    let least = all.map { $0.work(cell) }.min() ?? 0
    let wanted = Int((Double(least) * (1 + share)).rounded())
    return all.filter { $0.work(cell) == least }.compactMap { base in
      all.first { $0.work(cell) == wanted && $0.others(cell) == base.others(cell) }
        .map { LiveCase(id: $0.planned.id, base: base, head: $0) }
    }
  }
}

extension LiveArm {
  fileprivate func work(_ cell: TruthCell) -> Int {
    cell == .coarse ? 0 : planned.allParameters.integer(cell.work)
  }

  fileprivate func others(_ cell: TruthCell) -> String {
    file.name + planned.allParameters.without([cell.work]).canonical
  }
}

extension ProductRecord {
  init(_ circumstances: Circumstances, _ result: LiveResult) {
    let threshold = log(Double(result.cases.count) / result.policy.suiteLevel)
    let fewest = SymmetryProcess.fewestBlocks(toReach: threshold)
    let alarms = result.cases.filter { if case .changed? = $0.verdict { true } else { false } }
    self.init(
      circumstances: circumstances,
      cases: result.cases.count,
      failed: result.cases.count(where: \.hasFailed),
      couldAlarm: result.cases.count { !$0.hasFailed && $0.blocks.count >= fewest },
      changed: alarms.count,
      undecided: result.cases.count { $0.verdict?.isDecided == false },
      coarse: result.cases.count { $0.slicing == .coarse },
      notCold: result.cases.reduce(0) { $0 + $1.notColdBlocks },
      blocks: result.cases.reduce(0) { $0 + $1.blocks.count },
      seconds: result.seconds,
      alarms: alarms.map { Self.field($0.id) }.joined(separator: " ")
    )
  }
}

extension NullRecord {
  /// Creates the record of the only case of a live comparison of equal sides.
  ///
  /// - Throws: ``TruthError/failed(id:cause:)`` if the case failed or was not run.
  init(_ circumstances: Circumstances, _ result: LiveResult) throws {
    let found = try result.only()
    let logRatios = found.blocks.map(\.logRatio)
    self.init(
      circumstances: circumstances,
      id: Self.field(found.id),
      isCoarse: found.slicing == .coarse,
      notCold: found.notColdBlocks,
      blocks: logRatios.count,
      logWealth: SymmetryProcess(of: logRatios).largestLogEValue,
      seconds: result.seconds,
      logRatios: logRatios
    )
  }
}

extension PowerRecord {
  /// Creates the record of the only case of a live comparison with additional work.
  ///
  /// - Throws: ``TruthError/failed(id:cause:)`` if the case failed or was not run, so that a
  ///   later run of the bench repeats the attempt.
  init(_ circumstances: Circumstances, planted: Double, _ result: LiveResult) throws {
    let found = try result.only()
    let logRatios = found.blocks.map(\.logRatio)
    var missing = 0.0
    if case .cannotTell(let shortfall)? = found.verdict { missing = shortfall.seconds ?? 0 }
    self.init(
      circumstances: circumstances,
      planted: planted,
      id: Self.field(found.id),
      isCoarse: found.slicing == .coarse,
      verdict: found.verdict.map { Verdict($0) } ?? .cannotTell,
      median: expm1(Summary(of: logRatios)?.p50 ?? 0),
      blocks: logRatios.count,
      seconds: result.seconds,
      missing: missing
    )
  }
}

extension LiveResult {
  fileprivate func only() throws -> LiveCaseResult {
    guard let found = cases.first, !found.hasFailed else {
      throw TruthError.failed(
        id: cases.first?.id ?? "",
        cause: cases.first.map { "\($0.finding)" } ?? "it was not run"
      )
    }
    return found
  }
}

extension SymmetryProcess {
  /// Returns the minimum number of blocks with which the wealth can reach a threshold.
  static func fewestBlocks(toReach logThreshold: Double) -> Int {
    var process = SymmetryProcess()
    var count = 0
    while process.largestLogEValue < logThreshold, count < 10_000 {
      process.add(1)
      count += 1
    }
    return count
  }
}

extension PowerRecord.Verdict {
  fileprivate init(_ verdict: LiveVerdict) {
    switch verdict {
    case .changed(_, _, true): self = .belowFloor
    case .changed(let estimate, _, false): self = estimate > 0 ? .slower : .faster
    case .unchanged: self = .unchanged
    case .cannotTell: self = .cannotTell
    }
  }
}

import Basics
import Foundation
import Measurement
import Runner
import WorkloadKinds

/// Slow-downs of a known size: the head fetches and reads a known share of rows more.
///
/// The level is that of one case in a suite of twenty, and a try has a minute.
struct PlantedRows: TruthUnit {
  static let shares = [0.05, 0.02]
  static let budget = 60.0
  static let suiteSize = 20.0

  let share = 0.08

  private let setting: TruthSetting
  private let plan: Plan
  private let runner: LiveRunner

  init(_ setting: TruthSetting) throws {
    self.setting = setting
    plan = try setting.plan(TruthSetting.rows)
    runner = LiveRunner(provider: setting.provider, scratch: try setting.scratch())
  }

  func spent() throws -> Double {
    try setting.ledgers.tries.seconds()
  }

  func perform() throws -> String {
    let number = try setting.ledgers.tries.records().count
    let planted = Self.shares[number % Self.shares.count]
    let round = number / Self.shares.count
    let hasOtherLoad = !round.isMultiple(of: 2)
    let pairs = try pairs(planted: planted)
    let pair = pairs[(round / 2) % pairs.count]
    let conditions = setting.conditions(seed: number, hasOtherLoad: hasOtherLoad)
    var policy = LivePolicy()
    policy.suiteLevel /= Self.suiteSize
    let result = try setting.perform(withOtherLoad: hasOtherLoad) {
      try runner.compare(
        LiveSuite(cases: [pair], policy: policy, budget: Self.budget, seed: conditions.seed)
      )
    }
    let record = try TryRecord(conditions: conditions, planted: planted, result: result)
    try setting.ledgers.tries.append(record)
    return "planted \(Figures.percent(planted, decimals: 0))\(conditions.note):"
      + " \(record.verdict.rawValue), median \(Figures.percent(record.median, decimals: 2)),"
      + " \(record.blocks) blocks in \(Figures.plain(record.seconds, decimals: 1)) s"
  }

  /// Each case with the fewest rows against the one that differs by as many more rows.
  private func pairs(planted: Double) throws -> [LiveCase] {
    let arms = plan.workloads.flatMap { workload in
      workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: setting.worker) }
    }
    let fewest = arms.map(\.rows).min() ?? 0
    let wanted = Int((Double(fewest) * (1 + planted)).rounded())
    return arms.filter { $0.rows == fewest }.compactMap { base in
      arms.first { $0.rows == wanted && $0.others == base.others }.map {
        LiveCase(id: $0.planned.id, base: base, head: $0)
      }
    }
  }
}

/// Planted changes that counters must show, by the self-test's own look for them.
struct PlantedCosts: TruthUnit {
  let share = 0.01

  private let setting: TruthSetting

  init(_ setting: TruthSetting) throws {
    self.setting = setting
  }

  func spent() throws -> Double {
    try setting.ledgers.counters.seconds()
  }

  func perform() throws -> String {
    let number = try setting.ledgers.counters.records().count
    let conditions = setting.conditions(seed: number, hasOtherLoad: false)
    let start = MonotonicClock.seconds()
    // No time for comparisons: only the counters are looked at.
    let report = try Selftest(
      folder: TruthSetting.selftest,
      kinds: WorkloadCatalog.kinds,
      executable: setting.worker.executable,
      provider: setting.provider,
      scratch: try setting.scratch(),
      seed: conditions.seed
    ).perform(seconds: 0)
    let seconds = MonotonicClock.seconds() - start
    for planted in report.planted {
      try setting.ledgers.counters.append(
        CounterRecord(
          conditions: conditions,
          planted: planted.name,
          isFound: planted.isFound,
          repeats: planted.repeats,
          metric: planted.metric?.name ?? "",
          base: planted.base,
          head: planted.head,
          seconds: seconds / Double(report.planted.count)
        )
      )
    }
    let found = report.planted.count(where: \.isFound)
    return "counters: \(found) of \(report.planted.count) planted changes found"
  }
}

extension LiveArm {
  private static let rowsParameter = "limit"

  fileprivate var rows: Int { planned.allParameters.integer(Self.rowsParameter) }

  fileprivate var others: String {
    file.name + planned.allParameters.without([Self.rowsParameter]).canonical
  }
}

extension TryRecord {
  /// - Throws: ``TruthError/failed(id:cause:)`` for a case that did not run: a lost try would count
  ///   for nothing.
  fileprivate init(conditions: Conditions, planted: Double, result: LiveResult) throws {
    guard let found = result.cases.first, let verdict = found.verdict else {
      throw TruthError.failed(
        id: result.cases.first?.id ?? "",
        cause: result.cases.first.map { "\($0.finding)" } ?? ""
      )
    }
    let logRatios = found.blocks.map(\.logRatio)
    let interval = ConfidenceSequence(of: logRatios)
    self.init(
      conditions: conditions,
      planted: planted,
      id: Self.field(found.id),
      verdict: Verdict(verdict),
      median: expm1(Summary(of: logRatios)?.p50 ?? 0),
      lower: expm1(interval.lower),
      upper: expm1(interval.upper),
      blocks: found.blocks.count,
      seconds: result.seconds
    )
  }
}

extension TryRecord.Verdict {
  fileprivate init(_ verdict: LiveVerdict) {
    switch verdict {
    case .changed(_, _, true): self = .belowFloor
    case .changed(let estimate, _, false): self = estimate > 0 ? .slower : .faster
    case .unchanged: self = .unchanged
    case .cannotTell: self = .cannotTell
    }
  }
}

import Basics
import Measurement
import Runner

/// Whole suites of cases compared with themselves, by the tool's own procedure and stopping rules.
///
/// Whatever it calls changed is a false alarm. Every other suite runs under background load.
struct EqualSuites: TruthUnit {
  /// Seconds of a suite, which ends earlier when all cases have their verdict: enough for some
  /// fifteen blocks a case, of which those nearest to a verdict get more.
  private static func budget(withOtherLoad: Bool) -> Double { withOtherLoad ? 20 : 15 }

  let share = 0.86

  private let setting: TruthSetting
  private let cases: [LiveCase]
  private let runner: LiveRunner

  init(_ setting: TruthSetting) throws {
    self.setting = setting
    cases = try setting.equalCases(TruthSetting.micro)
    runner = LiveRunner(provider: setting.provider, scratch: try setting.scratch())
  }

  func spent() throws -> Double {
    try setting.ledgers.suites.seconds()
  }

  func perform() throws -> String {
    let number = try setting.ledgers.suites.records().count
    let hasOtherLoad = !number.isMultiple(of: 2)
    let conditions = setting.conditions(seed: number, hasOtherLoad: hasOtherLoad)
    let result = try setting.perform(withOtherLoad: hasOtherLoad) {
      try runner.compare(
        LiveSuite(
          cases: cases,
          slicing: .micro,
          budget: Self.budget(withOtherLoad: hasOtherLoad),
          seed: conditions.seed
        )
      )
    }
    let record = SuiteRecord(conditions: conditions, result: result)
    try setting.ledgers.suites.append(record)
    return "suite \(number + 1)\(conditions.note): \(record.changed) alarms,"
      + " \(record.unchanged) unchanged, \(record.undecided) undecided, \(record.failed) failed,"
      + " \(record.blocks) blocks in \(Figures.plain(record.seconds, decimals: 1)) s"
  }
}

/// Samples of equal sides, in lock-step and contiguous, as many blocks of each: what other rules
/// would have said of this machine.
struct EqualTraces: TruthUnit {
  static let blocks = 20

  let share = 0.05

  private let setting: TruthSetting
  private let cases: [LiveCase]
  private let runner: TraceRunner

  init(_ setting: TruthSetting) throws {
    self.setting = setting
    cases = try setting.equalCases(TruthSetting.micro)
    runner = TraceRunner(provider: setting.provider, scratch: try setting.scratch())
  }

  func spent() throws -> Double {
    try setting.ledgers.traces.seconds()
  }

  func perform() throws -> String {
    let layouts = TraceRunner.Layout.allCases
    let number = try setting.ledgers.traces.records().count
    let layout = layouts[number % layouts.count]
    let round = number / layouts.count
    let hasOtherLoad = !round.isMultiple(of: 2)
    // Not in step with the load, which takes turns as well.
    let pair = cases[(round / 2 * 7 + round % 2) % cases.count]
    let conditions = setting.conditions(seed: number, hasOtherLoad: hasOtherLoad)
    let start = MonotonicClock.seconds()
    let blocks = try setting.perform(withOtherLoad: hasOtherLoad) {
      try runner.blocks(
        Self.blocks,
        of: pair,
        layout: layout,
        slicing: .micro,
        seed: conditions.seed
      )
    }
    let record = TraceRecord(
      conditions: conditions,
      id: TraceRecord.field(pair.id),
      layout: layout,
      seconds: MonotonicClock.seconds() - start,
      isHeadFirst: blocks.map(\.isHeadFirst),
      base: blocks.map { $0.pairs.map(\.base).median },
      head: blocks.map { $0.pairs.map(\.head).median }
    )
    try setting.ledgers.traces.append(record)
    return "trace \(number + 1), \(layout.rawValue)\(conditions.note):"
      + " \(Self.blocks) blocks in \(Figures.plain(record.seconds, decimals: 1)) s"
  }
}

extension SuiteRecord {
  fileprivate init(conditions: Conditions, result: LiveResult) {
    let verdicts = result.cases.compactMap(\.verdict)
    let alarms = result.cases.filter { $0.verdict?.isChanged == true }
    let unchanged = verdicts.count { if case .unchanged = $0 { true } else { false } }
    self.init(
      conditions: conditions,
      cases: result.cases.count,
      failed: result.cases.count - verdicts.count,
      changed: alarms.count,
      unchanged: unchanged,
      undecided: verdicts.count - alarms.count - unchanged,
      blocks: result.cases.reduce(0) { $0 + $1.blocks.count },
      seconds: result.seconds,
      scatter: Summary(of: result.cases.compactMap(\.scatter))?.p50 ?? 0,
      alarms: alarms.map { Self.field($0.id) }.joined(separator: " ")
    )
  }
}

extension LiveVerdict {
  fileprivate var isChanged: Bool {
    if case .changed = self { true } else { false }
  }
}

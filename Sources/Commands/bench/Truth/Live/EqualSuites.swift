import Measurement
import Runner

/// Whole suites of cases compared with themselves, by the tool's own procedure and stopping rules.
///
/// Whatever it calls changed is a false alarm. Every other suite runs beside other load.
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
      + " \(record.blocks) blocks in \(Decimals.text(record.seconds, 1)) s"
  }
}

extension SuiteRecord {
  init(conditions: Conditions, result: LiveResult) {
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
      alarms: alarms.map { LedgerText.field($0.id) }.joined(separator: " ")
    )
  }
}

extension LiveVerdict {
  fileprivate var isChanged: Bool {
    if case .changed = self { true } else { false }
  }
}

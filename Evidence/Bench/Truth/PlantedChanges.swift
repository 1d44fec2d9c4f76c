import Basics
import Compare
import Foundation
import Runner
import WorkloadKinds

/// Checks that counters show injected changes, with the code of the self-test.
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
    // Without time for comparisons, the self-test only checks the counters.
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

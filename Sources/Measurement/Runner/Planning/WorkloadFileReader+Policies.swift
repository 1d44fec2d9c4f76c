import Basics
import DataModel
import SQLite

extension WorkloadFileReader {
  private static let largestCount = 100_000

  func trials(_ value: YAMLValue?) -> TrialPolicy {
    var policy = TrialPolicy()
    let keys = ["trials", "iterations", "warmUps", "cache", "timeLimit", "seed"]
    if let mapping = value?.mapping(knowing: keys) {
      let count = { (key: String, lowest: Int) in
        mapping[key]?.integer(in: lowest...Self.largestCount)
      }
      policy.trials = count("trials", 1) ?? policy.trials
      policy.iterations = count("iterations", 1) ?? policy.iterations
      policy.warmUps = count("warmUps", 0) ?? policy.warmUps
      policy.seed = mapping["seed"]?.integer(in: 0...Int.max).map { UInt64($0) } ?? policy.seed
      policy.cache =
        mapping["cache"]?.choice(of: CacheState.allCases.map { ($0.rawValue, $0) }) ?? policy.cache
      policy.timeLimit = mapping["timeLimit"].flatMap { seconds($0) } ?? policy.timeLimit
      if policy.cache == .cold, policy.warmUps > 0 {
        mapping["warmUps"]?.report("a cold case has no warm-ups: they would warm it")
      }
    }
    if let trials = overrides.trials { policy.trials = trials }
    return policy
  }

  private func seconds(_ value: YAMLValue) -> Double? {
    guard let text = value.string() else { return nil }
    guard let seconds = Quantity.seconds(text, in: 0.001...86_400) else {
      value.report("\(value.name) must be a time from 1 ms to 1440 min, such as 90 s")
      return nil
    }
    return seconds
  }

  func settings(_ value: YAMLValue?) -> ConnectionSettings {
    var settings = ConnectionSettings()
    let keys = [
      "cachePages", "journalMode", "synchronous", "pageSize", "walAutocheckpoint", "foreignKeys",
      "busyTimeout",
    ]
    guard let mapping = value?.mapping(knowing: keys) else { return settings }
    let count = { (key: String, lowest: Int, highest: Int) in
      mapping[key]?.integer(in: lowest...highest)
    }
    settings.cachePages = count("cachePages", 1, 100_000_000) ?? settings.cachePages
    settings.walAutocheckpoint =
      count("walAutocheckpoint", 0, 1_000_000_000) ?? settings.walAutocheckpoint
    settings.busyTimeout = count("busyTimeout", 0, 3_600_000) ?? settings.busyTimeout
    settings.usesForeignKeys = mapping["foreignKeys"]?.boolean() ?? settings.usesForeignKeys
    settings.journalMode =
      mapping["journalMode"]?.choice(
        of: ConnectionSettings.JournalMode.allCases.map { ($0.rawValue, $0) }
      )
      ?? settings.journalMode
    settings.synchronous =
      mapping["synchronous"]?.choice(
        of: ConnectionSettings.Synchronous.allCases.map { ($0.rawValue, $0) }
      )
      ?? settings.synchronous
    settings.pageSize =
      mapping["pageSize"]?.choice(
        of: (9...16).map { (String(1 << $0), 1 << $0) }
      ) ?? settings.pageSize
    return settings
  }
}

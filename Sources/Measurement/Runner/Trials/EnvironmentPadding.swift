/// The length of a variable in a worker's environment, 0 to 4,095 bytes, drawn for each trial.
///
/// Where the stack begins depends on it, and so do times; one layout for all trials would pass for
/// a property of the case (statistics.md, section 2). The workload's seed decides it.
enum EnvironmentPadding {
  static let bound: UInt64 = 4096

  static func length(seed: UInt64, case id: String, trial: Int) -> Int {
    var coins = SeededCoins(seed: seed, name: id, number: trial)
    return coins.number(below: bound)
  }
}

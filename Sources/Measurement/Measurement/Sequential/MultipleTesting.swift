import Foundation

extension LivePolicy.MultipleTesting {
  /// Which of the cases are rejected, by position.
  ///
  /// - `logEValues`: the evidence of each case that takes part; the size of the suite stays what it
  ///   was at the start, so that a case which failed or was found unchanged makes no other easier.
  func rejected(_ logEValues: [Int: Double], suite: Int, level: Double) -> Set<Int> {
    let ordered = logEValues.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var rejected = 0
    switch self {
    case .holm:
      while rejected < ordered.count,
        ordered[rejected].value >= log(Double(suite - rejected) / level)
      {
        rejected += 1
      }
    case .falseDiscovery(let rate):
      for (index, element) in ordered.enumerated()
      where element.value >= log(Double(suite) / (Double(index + 1) * rate)) {
        rejected = index + 1
      }
    }
    return Set(ordered.prefix(rejected).map(\.key))
  }

  /// What the next case needs once `rejected` are.
  func nextLogThreshold(rejected: Int, suite: Int, level: Double) -> Double {
    switch self {
    case .holm: log(Double(max(1, suite - rejected)) / level)
    case .falseDiscovery(let rate): log(Double(suite) / (Double(rejected + 1) * rate))
    }
  }
}

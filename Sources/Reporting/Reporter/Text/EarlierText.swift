import Measurement

/// What is said of the earlier results that times were judged by.
enum EarlierText {
  static func sentence(of earlier: EarlierResults) -> String {
    let names = EarlierResults.judged.map(\.name).joined(separator: ", ")
    let runs = earlier.count == 1 ? "1 earlier result" : "\(earlier.count) earlier results"
    let leftOut = leftOut(earlier.leftOut)
    guard earlier.count >= UsualRange.fewestRuns else {
      return "Times and memory are shown only: to judge them takes \(UsualRange.fewestRuns)"
        + " earlier results of this environment, and there \(earlier.count == 1 ? "is" : "are")"
        + " \(earlier.count).\(leftOut)"
    }
    return "\(names) are judged by the medians of \(runs) of this environment: where nothing has"
      + " changed, at most 1 comparison in \(Int(1 / EarlierResults.falseAlarms)) finds any of them"
      + " regressed. Other times are shown only.\(leftOut)"
  }

  /// How many were left out, by the fact in which they differ.
  private static func leftOut(_ facts: [String]) -> String {
    guard !facts.isEmpty else { return "" }
    let counts = Dictionary(facts.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    let list = counts.map { "\($0.value) with another \($0.key)" }.joined(separator: ", ")
    return " Left out: \(list)."
  }
}

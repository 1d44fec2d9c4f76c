import Forecasting

/// What the verdicts come to, beside what was aimed at.
struct ForecastVerdictTable {
  let verdicts: [ForecastVerdict]

  var text: String {
    var lines = ["", "\(verdicts.count) predictions beyond the ladder, median errors:"]
    for kind in ForecastBenchCase.Kind.allCases {
      let own = verdicts.filter { $0.kind == kind }
      let aim = kind == .streaming ? "10 %" : "25 %"
      let errors = own.compactMap(\.timeError)
      lines.append(
        "  time, \(kind.rawValue): \(Self.median(errors)) of \(errors.count), aim \(aim)"
      )
    }
    lines.append("  peak memory: \(Self.median(verdicts.compactMap(\.memoryError))), aim 10 %")
    lines.append("  peak disk: \(Self.median(verdicts.compactMap(\.diskError))), aim 3 %")
    let runs = verdicts.flatMap(\.runsHeld)
    let held = runs.count { $0 }
    let share = runs.isEmpty ? 0 : Double(held) / Double(runs.count)
    lines.append(
      "90 % intervals held \(held) of \(runs.count) runs (\(share.percent)), aim 82 to 97 %; "
        + "median half-width \(Self.median(verdicts.compactMap(\.halfWidth))), aim 25 %"
    )
    for refused in verdicts where refused.refusal != nil {
      lines.append("  refused: \(refused.name) at \(Int(refused.objects).grouped)")
    }
    return lines.joined(separator: "\n")
  }

  private static func median(_ errors: [Double]) -> String {
    errors.isEmpty ? "nothing" : errors.map { abs($0) }.median.percent
  }
}

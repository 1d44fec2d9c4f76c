import Basics
import Forecasting
import Foundation

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
        "  time, \(kind.rawValue): \(Self.median(errors)) of \(errors.count), aim \(aim); "
          + "\(Self.median(own.compactMap(\.rawTimeError))) as run"
      )
    }
    lines.append("  peak memory: \(Self.median(verdicts.compactMap(\.memoryError))), aim 10 %")
    lines.append("  peak disk: \(Self.median(verdicts.compactMap(\.diskError))), aim 3 %")
    lines.append("90 % intervals held, aim 82 to 97 %:")
    for (name, held) in [
      ("truths", verdicts.compactMap(\.isHeld)), ("runs", verdicts.flatMap(\.runsHeld)),
    ] {
      let share = Double(held.count { $0 }) / Double(max(held.count, 1))
      lines.append("  \(held.count { $0 }) of \(held.count) \(name) (\(share.percent))")
    }
    if let factor = Self.factor(verdicts) {
      let others = leftOut
      lines.append(
        "  their reach by \(factor.hundredths) would hold nine of ten; by what all other cases say, "
          + "\(others.count { $0 }) of \(others.count)"
      )
    }
    let width = Self.median(verdicts.compactMap(\.halfWidth))
    lines.append("  median half-width \(width), aim 25 %")
    for refused in verdicts where refused.refusal != nil {
      lines.append("  refused: \(refused.name) at \(Int(refused.objects).grouped)")
    }
    return lines.joined(separator: "\n")
  }

  /// The verdicts as rows of a table, errors and widths as shares.
  var csv: String {
    let head =
      "case,kind,objects,timeError,timeErrorAsRun,memoryError,diskError,held,runsHeld,runs,halfWidth"
    func text(_ value: Double?) -> String { value.map { String(format: "%.4f", $0) } ?? "" }
    let rows = verdicts.map { verdict in
      [
        "\"\(verdict.name)\"", verdict.kind.rawValue, "\(Int(verdict.objects))",
        text(verdict.timeError), text(verdict.rawTimeError), text(verdict.memoryError),
        text(verdict.diskError), verdict.isHeld.map { "\($0)" } ?? "",
        "\(verdict.runsHeld.count { $0 })", "\(verdict.runsHeld.count)", text(verdict.halfWidth),
      ].joined(separator: ",")
    }
    return ([head] + rows).joined(separator: "\n") + "\n"
  }

  /// By what the intervals' reach has to be multiplied for the next truth to be held in nine of ten
  /// cases; `nil` for too few verdicts.
  private static func factor(_ verdicts: [ForecastVerdict]) -> Double? {
    let scores = verdicts.compactMap(\.score).sorted()
    // The rank of conformal prediction (Vovk, Gammerman and Shafer 2005).
    let rank = Int((0.9 * Double(scores.count + 1)).rounded(.up)) - 1
    return scores.indices.contains(rank) ? scores[rank] : nil
  }

  /// Whether each truth is held when the factor comes from all other cases.
  private var leftOut: [Bool] {
    verdicts.compactMap { verdict in
      let others = verdicts.filter { $0.name != verdict.name }
      guard let score = verdict.score, let factor = Self.factor(others) else { return nil }
      return score <= factor
    }
  }

  private static func median(_ errors: [Double]) -> String {
    errors.isEmpty ? "nothing" : errors.map { abs($0) }.median.percent
  }
}

extension Double {
  fileprivate var hundredths: String { String(format: "%.2f", self) }
}

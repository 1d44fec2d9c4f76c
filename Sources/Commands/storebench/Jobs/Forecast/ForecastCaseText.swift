import Basics
import Forecasting
import Ladder
import Measurement
import Reporter

/// What one case's forecast says: sizes, budgets, users, and what it rests on.
struct ForecastCaseText {
  let answer: ForecastReport.Answer
  let report: ForecastReport
  let width: Int

  private var forecast: Forecast { answer.forecast }

  var lines: [String] {
    let name = TerminalText.wrapped(answer.name, to: width)
    return [""] + name + [""] + sizes + [""] + budgets + users + [""] + refusals + grounds
  }

  // MARK: Sizes

  private var sizes: [String] {
    let header = row("objects", "store", "time", "90 % interval", "memory", "disk")
    return [header] + report.sizes.map(line)
  }

  private func line(of size: StoreSize) -> String {
    guard let found = forecast.answer(to: size) else { return "  no store's size is known" }
    let (time, range) = Self.text(found.time)
    return row(
      Int(found.objects.rounded()).grouped,
      found.storeBytes.map { Figures.bytes($0) } ?? "–",
      time,
      range,
      Self.text(found.memory),
      Self.text(found.disk)
    )
  }

  static func text(_ time: Result<Interval, Refusal>) -> (value: String, range: String) {
    guard case .success(let time) = time else { return ("unknown", "–") }
    return (
      Figures.seconds(time.value),
      "\(Figures.seconds(time.low)) to \(Figures.seconds(time.high))"
    )
  }

  private static func text(_ found: Result<Interval, Refusal>) -> String {
    guard case .success(let interval) = found else { return "unknown" }
    return "\(Figures.bytes(interval.value)) ±\(interval.halfWidth.percent)"
  }

  private func row(_ cells: String...) -> String {
    // A number too long for its column is one of which little is known.
    let excess = max(0, (cells.first?.count ?? 0) - 11)
    return zip(cells, [11, 9, 9, 19 - excess, 16, 16]).map(TextCells.right).joined()
  }

  // MARK: Budgets

  private var budgets: [String] {
    let header =
      TextCells.left("  objects that fit in", 27) + TextCells.right("surely", 17)
      + TextCells.right("probably", 17) + TextCells.right("at most", 17)
    return [header]
      + report.budgets.map { budget in
        let title = TextCells.left("  " + budget.title, 27)
        guard case .success(let largest) = forecast.largestStore(within: budget) else {
          return title + TextCells.right("unknown", 17)
        }
        return title
          + [largest.surely, largest.probably, largest.atMost].map { size in
            TextCells.right(Self.text(size, known: largest.known), 17)
          }.joined()
      }
  }

  static func text(_ size: Double, known: Double) -> String {
    guard size > 0 else { return "none" }
    let number = size.threeDigits.grouped
    return size >= known ? "over \(number)" : number
  }

  private var users: [String] {
    guard let population = report.population else { return [] }
    return ["", "  users over a budget"]
      + report.budgets.map { budget in
        let title = TextCells.left("  " + budget.title, 32)
        guard case .success(let found) = population.exceeding(budget, of: forecast) else {
          return title + TextCells.right("unknown", 14)
        }
        let unknown = found.unknown > 0 ? ", \(found.unknown.percent) unknown" : ""
        return title + TextCells.right(found.share.percent, 14)
          + "  (\(found.low.percent) to \(found.high.percent)\(unknown))"
      }
  }

  // MARK: Reasons

  /// Why something above is unknown, each reason once.
  private var refusals: [String] {
    let found =
      report.sizes.compactMap { forecast.answer(to: $0) }.flatMap(\.refusals)
      + report.budgets.compactMap { budget -> Refusal? in
        guard case .failure(let refusal) = forecast.largestStore(within: budget) else { return nil }
        return refusal
      }
    var told: [Refusal] = []
    for refusal in found where !told.contains(refusal) { told.append(refusal) }
    return told.flatMap { refusal in
      let advice =
        switch refusal {
        case .drifted, .poorFit: "; what was measured is kept, and '--again' measures it anew"
        default: ""
        }
      return TextCells.paragraph("unknown: \(refusal)\(advice)", to: width, indent: 2)
    }
  }

  private var grounds: [String] {
    ForecastGrounds(forecast: forecast).sentences.flatMap {
      TextCells.paragraph($0, to: width, indent: 2)
    }
  }
}

import Forecasting
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
    return [""] + name + [""] + sizes + [""] + budgets + users + [""] + grounds
  }

  // MARK: Sizes

  private var sizes: [String] {
    let header = row("objects", "time", "90 % interval", "memory", "disk")
    return [header] + report.sizes.flatMap(lines)
  }

  private func lines(of size: ForecastQuestions.Size) -> [String] {
    guard let objects = forecast.objects(of: size) else { return ["  no store's size is known"] }
    let bytes: Double? = if case .bytes(let bytes) = size { bytes } else { nil }
    let number = Int(objects.rounded()).grouped
    let times = forecast.predict(.time, objects: objects)
    let memory = forecast.predict(.memory, objects: objects)
    let disk = forecast.predict(.disk, objects: objects, bytes: bytes)
    guard case .success(let time) = times else {
      let reason = if case .failure(let refusal) = times { "unknown: \(refusal)" } else { "" }
      return TerminalText.wrapped(reason, to: width - 15).enumerated().map { index, line in
        TextCells.right(index == 0 ? number : "", 13) + "  " + line
      }
    }
    return [
      row(
        number,
        Quantity.text(time.value, unit: .seconds),
        "\(Quantity.text(time.low, unit: .seconds)) to \(Quantity.text(time.high, unit: .seconds))",
        Self.text(memory),
        Self.text(disk)
      )
    ]
  }

  private static func text(_ found: Result<Interval, Refusal>) -> String {
    guard case .success(let interval) = found else { return "unknown" }
    return "\(Quantity.text(interval.value, unit: .bytes)) ±\(interval.halfWidth.percent)"
  }

  private func row(_ size: String, _ time: String, _ range: String, _ rest: String...) -> String {
    TextCells.right(size, 13) + TextCells.right(time, 9) + TextCells.right(range, 20)
      + rest.map { TextCells.right($0, 18) }.joined()
  }

  // MARK: Budgets

  private var budgets: [String] {
    let header =
      TextCells.left("  objects that fit in", 27) + TextCells.right("surely", 17)
      + TextCells.right("probably", 17) + TextCells.right("at most", 17)
    return [header]
      + report.budgets.map { budget in
        let title = TextCells.left("  " + budget.title, 27)
        switch forecast.largestStore(within: budget) {
        case .failure(let refusal): return title + "  unknown: \(refusal)"
        case .success(let largest):
          return title
            + [largest.surely, largest.probably, largest.atMost].map { size in
              TextCells.right(Self.text(size, known: largest.known), 17)
            }.joined()
        }
      }
  }

  private static func text(_ size: Double, known: Double) -> String {
    guard size > 0 else { return "none" }
    let number = Int(size.threeDigits).grouped
    return size >= known ? "over \(number)" : number
  }

  private var users: [String] {
    guard let population = report.population else { return [] }
    let header =
      "  users over a budget, of stores up to \(Int(population.largest).grouped) objects"
    return ["", header]
      + report.budgets.map { budget in
        let title = TextCells.left("  " + budget.title, 32)
        switch population.exceeding(budget, of: forecast) {
        case .failure(let refusal): return title + "  unknown: \(refusal)"
        case .success(let found):
          let unknown = found.unknown > 0 ? ", \(found.unknown.percent) unknown" : ""
          return title + TextCells.right(found.share.percent, 14)
            + "  (\(found.low.percent) to \(found.high.percent)\(unknown))"
        }
      }
  }

  private var grounds: [String] {
    ForecastGrounds(forecast: forecast).sentences.flatMap { sentence in
      TerminalText.wrapped(sentence, to: width - 4).enumerated().map { index, line in
        (index == 0 ? "  " : "    ") + line
      }
    }
  }
}

extension Double {
  /// The number rounded down to three digits, as more of them are not known.
  fileprivate var threeDigits: Double {
    var unit = 1.0
    while self / unit >= 1000 { unit *= 10 }
    return (self / unit).rounded(.down) * unit
  }
}

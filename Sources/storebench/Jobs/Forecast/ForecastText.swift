import Forecasting
import Measurement
import Reporter

/// A forecast as a person reads it, in 80 columns.
struct ForecastText {
  let report: ForecastReport
  let width: Int

  var text: String {
    (heading + report.sections.flatMap(lines)).joined(separator: "\n")
  }

  private var heading: [String] {
    let environment = report.environment
    let facts = [
      environment.machine, "\(environment.cores) cores", "SQLite \(environment.sqliteVersion)",
      environment.fileSystem, "\(environment.build) build",
    ]
    return [
      "Forecast of \(report.workload)",
      TerminalText.prefix(of: facts.joined(separator: " · "), width: width),
    ]
  }

  private func lines(of section: ForecastReport.Section) -> [String] {
    let basis = section.basis.isEmpty ? "" : ", \(section.basis)"
    var lines =
      [""]
      + TerminalText.wrapped(
        "Predicted for \(section.machine)\(basis), with intervals that hold 9 of 10 outcomes.",
        to: width
      )
    for answer in section.answers {
      lines += ForecastCaseText(answer: answer, report: report, width: width).lines
    }
    if section.answers.count > 1, let population = report.population {
      lines += comparison(section.answers, population)
    }
    if let recommended = section.recommendation {
      lines.append("")
      lines += TerminalText.wrapped(
        "Recommended: \(recommended.name): \(recommended.reason).",
        to: width
      )
    }
    return lines
  }

  /// The shares of users over each budget, the strategies side by side.
  private func comparison(_ answers: [ForecastReport.Answer], _ population: Population) -> [String]
  {
    let room = max(20, width - 14 * report.budgets.count)
    let titles = report.budgets.map { TextCells.right($0.shortTitle, 14) }.joined()
    var lines = ["", TextCells.left("Users over", room) + titles]
    for answer in answers {
      let cells = report.budgets.map { budget -> String in
        switch population.exceeding(budget, of: answer.forecast) {
        case .success(let found): TextCells.right(found.share.percent, 14)
        case .failure: TextCells.right("unknown", 14)
        }
      }
      lines.append(
        TextCells.left("  " + TerminalText.shortened(answer.name, to: room - 4), room)
          + cells.joined()
      )
    }
    return lines
  }
}

/// Cells of tables of text.
enum TextCells {
  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TerminalText.width(text)))
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - TerminalText.width(text))) + text
  }
}

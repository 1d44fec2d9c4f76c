import Basics
import Forecasting
import Ladder
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
    return TextCells.paragraph("Forecast of \(report.workload)", to: width)
      + [TerminalText.prefix(of: facts.joined(separator: " · "), width: width)]
      + [strategies, objects, users].compactMap { $0 }.flatMap {
        TextCells.paragraph($0, to: width)
      }
      + report.notes.flatMap { TextCells.paragraph("· " + $0, to: width) }
  }

  private var strategies: String? {
    guard !report.common.isEmpty else { return nil }
    return "Every strategy: " + report.common.joined(separator: ", ")
  }

  /// What an object is, since a user of an app counts one kind of them.
  private var objects: String? {
    let total = report.counts.values.reduce(0, +)
    guard report.counts.count > 1, total > 0 else { return nil }
    let kinds = report.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shares = kinds.prefix(6).map { entity, count in
      "\((Double(count) / Double(total)).percent) \(entity)"
    }
    let asked = kinds.first.map { "; '--to \($0.key)=40000' asks by one of them" } ?? ""
    return "Objects are those of all entities: \(shares.joined(separator: ", "))"
      + (kinds.count > 6 ? ", and \(kinds.count - 6) more" : "") + asked + "."
  }

  private var users: String? {
    guard let population = report.population else { return nil }
    let sizes = [population.quantile(0.5), population.quantile(0.99), population.largest].map {
      $0.threeDigits.grouped
    }
    let unread =
      population.unread.isEmpty
      ? ""
      : "; left out, as no entity has that name: "
        + population.unread.map { "'\($0)'" }.joined(separator: ", ")
    return "Users of '\(report.populationPath)': half have up to \(sizes[0]) objects, 99 in 100 "
      + "up to \(sizes[1]), all up to \(sizes[2])\(unread)."
  }

  private func lines(of section: ForecastReport.Section) -> [String] {
    let basis = section.basis.isEmpty ? "" : ", \(section.basis)"
    let heading =
      "Predicted for \(section.machine)\(basis), with intervals that hold 9 of 10 outcomes. "
      + section.note
    var lines = [""]
    lines += TextCells.paragraph(heading, to: width)
    for answer in section.answers {
      lines += ForecastCaseText(answer: answer, report: report, width: width).lines
    }
    lines += ForecastComparison(section: section, report: report, width: width).lines
    lines.append("")
    return lines + TextCells.paragraph(recommendation(of: section), to: width)
  }

  private func recommendation(of section: ForecastReport.Section) -> String {
    if let recommended = section.recommendation {
      return "Recommended: \(recommended.name): \(recommended.reason)."
    }
    return section.answers.count > 1
      ? "Nothing is recommended: the time of fewer than two strategies is known."
      : "Nothing is recommended: this is one strategy. Name more files, or set an axis such as "
        + "--set 'batchSize=[100, 1000]', to see them side by side."
  }
}

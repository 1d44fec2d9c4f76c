import Basics
import Forecasting
import Runner

/// The strategies of a forecast side by side: what they take, and whom they leave out.
///
/// What a developer cannot choose is a range within a row.
struct ForecastComparison {
  let section: ForecastReport.Section
  let report: ForecastReport
  let width: Int

  /// Budgets in one table.
  private static let columns = 3

  /// Nothing where there is nothing to compare.
  var lines: [String] {
    guard choices.count > 1 || (choices.first?.range.forecasts.count ?? 0) > 1 else { return [] }
    return costs
      + stride(from: 0, to: report.budgets.count, by: Self.columns).flatMap { start in
        table(of: Array(report.budgets[start..<min(start + Self.columns, report.budgets.count)]))
      }
  }

  private var choices: [(name: String, range: ForecastRange)] {
    ForecastRange.choices(of: section.answers)
  }

  /// What the largest size that was asked for takes.
  private var costs: [String] {
    let sizes = report.sizes.compactMap { size in
      section.answers.first?.forecast.objects(of: size).map { (size, $0) }
    }
    guard let (size, objects) = sizes.max(by: { $0.1 < $1.1 }) else { return [] }
    let hasShapes = choices.contains { $0.range.forecasts.count > 1 }
    let widths = [hasShapes ? 19 : 10, 21, 10, 10]
    return table(
      "Side by side at \(Int(objects.rounded()).grouped) objects",
      ["time", "90 % interval", "memory", "disk"],
      widths: widths
    ) { range in
      let time = range.time(size)
      return [
        time?.value ?? "unknown", time?.interval ?? "–", range.memory(size) ?? "unknown",
        range.disk(size) ?? "unknown",
      ]
    }
  }

  /// The share of users over each budget; without users, the largest store that fits, by the
  /// conservative estimate.
  private func table(of budgets: [ResourceBudget]) -> [String] {
    table(
      report.population == nil ? "Objects that fit (conservative)" : "Users over",
      budgets.map(\.shortTitle),
      widths: budgets.map { _ in 16 }
    ) { range in
      budgets.map { budget in
        let text =
          report.population.map { range.users(of: $0, over: budget) }
          ?? range.largestStore(within: budget)
        return text ?? "unknown"
      }
    }
  }

  /// A row for each strategy, its name on a line of its own where it is long.
  private func table(
    _ title: String,
    _ heads: [String],
    widths: [Int],
    _ cells: (ForecastRange) -> [String]
  ) -> [String] {
    let room = width - widths.reduce(0, +)
    func row(_ mark: String, _ start: String, _ cells: [String]) -> [String] {
      let text = zip(cells, widths).map { $0.padded(to: $1, .right) }.joined()
      let lines = TerminalText.hanging(start, to: width, indent: mark.count)
      let first = mark + (lines.first ?? "").dropFirst(mark.count)
      guard lines.count > 1 || TerminalText.width(first) > room else {
        return [first.padded(to: room) + text]
      }
      return [first] + lines.dropFirst() + [text.padded(to: width, .right)]
    }
    return [""] + row("", title, heads)
      + choices.flatMap { choice in
        let isBest = choice.name == section.recommendation?.name
        let name = choice.name.isEmpty ? "this migration" : choice.name
        return row(isBest ? "→ " : "  ", name, cells(choice.range))
      }
  }
}

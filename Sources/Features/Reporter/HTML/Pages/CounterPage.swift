import Basics
import Forecasting
import Runner

/// A forecast of replays as a page: each counter by store size.
package struct CounterPage {
  private let report: CounterReport

  package init(report: CounterReport) {
    self.report = report
  }

  /// The page's bytes as text.
  package var html: String {
    var page = ReportPage(
      title: "StoreBench forecast: \(report.workload)",
      kicker: Inline(
        "StoreBench forecast · \(report.workload) · \(PageFacts.day(of: report.environment))"
      ),
      headline: Inline("Counters of \(report.workload) by store size"),
      footer: PageFacts.footer(made: "the measured ladder")
    )
    page.lead = Inline(CounterReport.noTimes.capitalizedFirst + ".")
    page.facts =
      (report.common.isEmpty
        ? [] : [.init("Every case", Inline(report.common.joined(separator: ", ")))])
      + PageFacts.facts(of: report.environment)
    var names = SectionNames()
    page.sections = report.answers.map { section(of: $0, id: names.unique($0.name)) }
    if !report.notes.isEmpty {
      page.sections.append(
        .init(
          id: names.unique("notes"),
          heading: "Notes",
          blocks: [.points(report.notes.map { Inline($0) })]
        )
      )
    }
    return page.html
  }

  private func section(of answer: CounterReport.Answer, id: String) -> ReportPage.Section {
    let sizes = report.sizes.compactMap { answer.forecast.objects(of: $0) }.sorted()
    return ReportPage.Section(
      id: id,
      heading: Inline(answer.name),
      question: "How does each counter grow with the store?",
      blocks: [
        .table(
          ReportPage.Table(
            name: "Table: counters",
            label: "Counters of \(answer.name)",
            caption: "Expected values, with 90 % intervals in parentheses",
            columns: ["Counter", "Growth"]
              + sizes.map { Inline("\(Int($0.rounded()).grouped) objects") },
            rows: answer.forecast.counted.map { counter in
              let growth = answer.forecast.growth(of: counter) ?? "unknown"
              let cells = sizes.map { size -> Inline in
                guard let found = try? answer.forecast.predict(counter, objects: size).get() else {
                  return "unknown"
                }
                return Inline(Self.text(found))
              }
              return .init(Inline(counter.name), [Inline(growth)] + cells)
            },
            isFolded: false
          )
        )
      ]
    )
  }

  private static func text(_ found: Interval) -> String {
    let texts = [found.value, found.low, found.high].map {
      $0 < 1e15 ? Int($0.rounded()).grouped : $0.shortest
    }
    return "\(texts[0]) (\(texts[1]) to \(texts[2]))"
  }
}

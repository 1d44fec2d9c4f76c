import Basics
import DataModel
import Inspector
import PersistentStore

/// What there is of models at a path, as text for a terminal.
package enum ModelReportText {
  package static func text(of report: ModelReport, width: Int) -> String {
    written(of: report, width: width).text
  }

  /// The same as a page.
  package static func html(of report: ModelReport) -> String {
    let title = report.sources.first.map { "Model: \(name($0.path))" } ?? "Models"
    return TextPage(title: title, written(of: report, width: 80)).page.html
  }

  private static func written(of report: ModelReport, width: Int) -> ReportText {
    var text = ReportText(width: width)
    let isAlone = report.sources.count == 1
    for source in report.sources { write(source, inFull: isAlone, to: &text) }
    write(report.agreements, to: &text)
    if !report.stores.isEmpty { writeStores(report, to: &text) }
    if !report.failures.isEmpty {
      text.heading("NOT READ")
      text.list(report.failures, indent: 2)
    }
    writeNext(report, to: &text)
    text.addSources()
    return text
  }

  private static func write(
    _ source: ModelInput,
    inFull isAlone: Bool,
    to text: inout ReportText
  ) {
    let family = source.family
    text.heading(source.path)
    text.table(
      family.versions.map { version in
        let mark = version.name == family.current && family.versions.count > 1 ? ", current" : ""
        return (version.name, contents(of: version.model) + mark)
      }
    )
    let hashed = family.versions.filter { family.versionHashes[$0.name] != nil }.count
    text.paragraph(
      hashed == family.versions.count
        ? "Version hashes: known for every version."
        : hashed == 0
          ? "Version hashes: none in this source; a store or a VersionInfo.plist has them."
          : "Version hashes: known for \(hashed) of \(family.versions.count) versions."
    )
    if family.isUsedWithCloudKit { text.paragraph("Marked as used with CloudKit.") }
    if !family.failures.isEmpty {
      text.paragraph("Versions that cannot be read:")
      text.list(family.failures.map { "\($0.version): \($0.reason)" })
    }
    if !family.unknown.isEmpty {
      text.paragraph("Not understood:")
      text.list(family.unknown, most: 12)
    }
    if !family.unusual.isEmpty {
      text.paragraph("Unusual elements, and how they were read:")
      text.list(family.unusual, most: 12)
    }
    for step in ModelReport.steps(of: family) { write(step, to: &text) }
    writeStages(of: family, to: &text)
    if isAlone, let only = family.versions.first, family.versions.count == 1 {
      writeEntities(of: only.model, to: &text)
    }
  }

  private static func contents(of model: Model) -> String {
    let properties = model.entities.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }
    let entities = Figures.counted(model.entities.count, "entity", "entities")
    return "\(entities), \(properties) properties"
  }

  private static func write(_ step: ModelReport.VersionStep, to text: inout ReportText) {
    let kind = step.isLightweight ? "lightweight" : "not lightweight"
    text.heading("  \(step.from) → \(step.to): \(step.changes.isEmpty ? "no difference" : kind)")
    for obstacle in step.obstacles { text.paragraph(obstacle, indent: 4, mark: "✗ ") }
    text.list(step.changes)
  }

  /// What the steps do one after the other, beside the direct one.
  private static func writeStages(of family: ModelFamily, to text: inout ReportText) {
    for detour in ModelReport.detours(of: family) {
      text.heading("  \(detour.from) → \(detour.to), step by step or in one step")
      text.paragraph("Both are permitted, but they end with different stores:", indent: 4)
      text.list(detour.differences.map(\.description), most: 12)
    }
    guard let risk = ModelReport.stagePlanRisk(of: family) else { return }
    text.heading("RISK")
    text.paragraph("\(risk) \(text.number(of: .stagePlan))", mark: "! ")
  }

  private static func writeEntities(of model: Model, to text: inout ReportText) {
    text.table(
      model.entities.map { entity in
        let above = entity.superentity.map { ", below \($0)" } ?? ""
        return (
          "  " + entity.name,
          "\(Figures.counted(entity.attributes.count, "attribute")), "
            + Figures.counted(entity.relationships.count, "relationship")
            + (entity.isAbstract ? ", abstract" : "") + above
        )
      }
    )
  }

  private static func write(_ agreements: [ModelReport.SourceAgreement], to text: inout ReportText)
  {
    guard !agreements.isEmpty else { return }
    text.heading("DO THE SOURCES AGREE?")
    for agreement in agreements {
      let pair = "\(name(agreement.first)) and \(name(agreement.second))"
      guard agreement.isContradiction else {
        text.paragraph("\(pair) agree on '\(agreement.version)'.", mark: "✓ ")
        continue
      }
      text.paragraph(
        "\(pair) contradict each other on '\(agreement.version)': one of the two is stale.",
        mark: "✗ "
      )
      text.paragraph("The second has:", indent: 4)
      text.list(agreement.differences, indent: 4, most: 12)
    }
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  private static func writeStores(_ report: ModelReport, to text: inout ReportText) {
    text.heading("STORES")
    for (facts, matches) in report.stores {
      let fitting = matches.filter { $0.match.version != nil }
      let ambiguous = matches.filter { if case .ambiguous = $0.match { true } else { false } }
      guard let shown = (fitting + ambiguous).first else {
        text.paragraph("\(facts.store.name) matches no version of these models.", mark: "? ")
        continue
      }
      let mark = fitting.isEmpty ? "? " : "✓ "
      text.paragraph("\(facts.store.name) \(shown.match) (\(name(shown.source)))", mark: mark)
    }
  }

  private static func writeNext(_ report: ModelReport, to text: inout ReportText) {
    text.heading("NEXT")
    var steps: [String] = []
    if report.agreements.contains(where: \.isContradiction) {
      steps.append("compile the model again, and trust the source")
    }
    steps += [
      "--format yaml writes the current version as a model file",
      "name a second model or store to see the differences",
    ]
    text.list(steps, indent: 2)
  }
}

/// The lines of a report for a terminal, wrapped between words, and the same in parts for a page.
struct ReportText {
  /// What the lines were made of.
  enum Part {
    case heading(String)
    /// With the mark before it.
    case paragraph(String, mark: String)
    case command(String)
    case table([(name: String, value: String)])
  }

  private let width: Int
  private(set) var lines: [String] = []
  private(set) var parts: [Part] = []
  private var sources: [RuleFinding.Source] = []

  init(width: Int) {
    // Narrower terminals wrap by themselves.
    self.width = max(40, width)
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A heading after an empty line.
  mutating func heading(_ title: String) {
    if !lines.isEmpty { lines.append("") }
    lines.append(TerminalText.plain(title))
    parts.append(.heading(title))
  }

  /// A paragraph; `mark` stands before its first line.
  mutating func paragraph(_ text: String, indent: Int = 2, mark: String = "") {
    // Names come from files of others, with whatever is in them.
    lines += TerminalText.paragraph(text, to: width, mark: .blanks(indent) + mark)
    parts.append(.paragraph(text, mark: mark))
  }

  /// A command on a line of its own, never broken, so that it can be copied.
  mutating func command(_ line: String, indent: Int) {
    lines.append(.blanks(indent) + TerminalText.plain(line))
    parts.append(.command(line))
  }

  /// A list, of which the first few are shown.
  mutating func list(_ items: [String], indent: Int = 4, most: Int = 40) {
    for item in items.prefix(most) { paragraph(item, indent: indent, mark: "- ") }
    if items.count > most {
      paragraph("and \(items.count - most) more: --format json has them all", indent: indent)
    }
  }

  /// Two columns, the first as wide as its widest text.
  mutating func table(_ rows: [(name: String, value: String)], indent: Int = 2) {
    parts.append(.table(rows))
    let widest = min(width / 2, rows.map(\.name.count).max() ?? 0)
    for row in rows {
      let (name, value) = (TerminalText.plain(row.name), TerminalText.plain(row.value))
      let line = .blanks(indent) + name.padded(to: widest)
      lines.append(value.isEmpty ? .blanks(indent) + name : line + "  " + value)
    }
  }

  /// The number under which the report names a source at its end.
  mutating func number(of source: RuleFinding.Source) -> String {
    guard source.url != nil else { return "[assumed]" }
    if let index = sources.firstIndex(of: source) { return "[\(index + 1)]" }
    sources.append(source)
    return "[\(sources.count)]"
  }

  /// The sources that the report has named.
  mutating func addSources() {
    guard !sources.isEmpty else { return }
    heading("SOURCES")
    for (index, source) in sources.enumerated() {
      paragraph("\(source.title) (\(source.evidence.rawValue))", mark: "[\(index + 1)] ")
      if let url = source.url { command(url, indent: 6) }
    }
  }
}

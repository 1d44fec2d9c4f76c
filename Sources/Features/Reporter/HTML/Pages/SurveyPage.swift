import Basics
import Inspector
import PersistentStore
import Reporting

/// The survey of a store as a page: what is wrong or risky first, then where objects and bytes are.
package struct SurveyPage {
  private let survey: StoreSurvey

  private static let mostBars = 16

  package init(_ survey: StoreSurvey) {
    self.survey = survey
  }

  /// The page's bytes as text.
  package var html: String {
    var names = SectionNames()
    return page(&names).html
  }

  /// One page for all stores of a folder, with the reasons why others are none.
  package static func html(of surveys: [StoreSurvey], refused: [String]) -> String {
    let count = Figures.counted(surveys.count, "store")
    var page = ReportPage(
      title: "StoreBench inspection: \(count)",
      kicker: "StoreBench inspection",
      headline: Inline(count),
      footer: PageFacts.footer(made: "the stores, which it did not change")
    )
    var names = SectionNames()
    for survey in surveys {
      let name = StoreFile(path: survey.path).name
      let own = SurveyPage(survey).page(&names)
      let summary = ReportPage.Section(
        id: names.unique(name),
        heading: Inline(name),
        answers: [own.headline] + (own.lead.map { [$0] } ?? [])
      )
      page.sections += [summary] + own.sections
    }
    if !refused.isEmpty {
      page.sections.append(
        .init(
          id: names.unique("left-out"),
          heading: "Left out",
          blocks: [.points(refused.map { Inline($0) })]
        )
      )
    }
    return page.html
  }

  private func page(_ names: inout SectionNames) -> ReportPage {
    let name = StoreFile(path: survey.path).name
    let used = survey.entities.filter { $0.count > 0 }.count
    var page = ReportPage(
      title: "StoreBench inspection: \(name)",
      kicker: Inline("StoreBench inspection · \(name)"),
      headline: Inline(headline),
      footer: PageFacts.footer(made: "the store, which it did not change")
    )
    page.lead = Inline(
      "\(SurveyText.counted(survey.objectCount, "object")) of \(used) of "
        + "\(survey.entities.count) entities in \(SurveyText.bytes(survey.bytes))."
    )
    page.facts = facts
    page.sections =
      [findings(names.unique("problems"))].compactMap { $0 }
      + [contents(names.unique("contents"))]
      + [space(names.unique("space")), attributes(names.unique("attributes"))].compactMap { $0 }
    return page
  }

  private var headline: String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = survey.findings.filter { $0.severity == severity }.count
      guard count > 0 else { return nil }
      switch severity {
      case .wrong: return Figures.counted(count, "problem")
      case .risk: return Figures.counted(count, "risk")
      case .note: return Figures.counted(count, "note")
      }
    }
    let name = StoreFile(path: survey.path).name
    return counts.isEmpty
      ? "No problem was found in \(name)" : "\(counts.joined(separator: ", ")) in \(name)"
  }

  private var facts: [ReportPage.Fact] {
    let metadata = survey.metadata
    let systems = metadata.systems.map { " (about \($0))" } ?? ""
    let missing = metadata.missingForOpening
    var facts: [ReportPage.Fact] = [
      .init("Kind", metadata.flavour == .swiftData ? "SwiftData" : "Core Data"),
      .init("Framework", Inline("\(metadata.frameworkVersion)\(systems)")),
      .init(
        "Pages",
        Inline(
          "\(survey.file.pageCount.grouped) of \(SurveyText.bytes(Int64(survey.file.pageSize)))"
        )
      ),
      .init(
        "Opens in Apple's frameworks",
        Inline(missing.isEmpty ? "its metadata is complete" : "lacks \(missing[0])")
      ),
    ]
    if let wal = survey.wal { facts.append(.init("WAL", Inline(SurveyText.bytes(wal.bytes)))) }
    if let history = survey.history {
      facts.append(
        .init("History", Inline(SurveyText.counted(history.transactions, "transaction")))
      )
    }
    if let external = survey.externalData {
      facts.append(
        .init(
          "External storage",
          Inline(
            "\(SurveyText.counted(Int64(external.references), "file")), "
              + SurveyText.bytes(external.bytes)
          )
        )
      )
    }
    return facts
  }

  private func findings(_ id: String) -> ReportPage.Section? {
    guard !survey.findings.isEmpty else { return nil }
    return ReportPage.Section(
      id: id,
      heading: "Problems, risks and notes",
      question: "Which problems and risks does the store have?",
      blocks: [
        .table(
          ReportPage.Table(
            name: "Table: problems, risks and notes",
            label: "Problems, risks and notes",
            caption: "The worst first, each with advice",
            columns: ["Place", "Severity", "What was found", "What to do", "Rule"],
            rows: survey.findings.map { finding in
              let count = finding.count == 1 ? "" : "\(SurveyText.count(finding.count)) "
              return .init(
                Inline(finding.place),
                [
                  finding.severity.rawValue, count + finding.message, finding.remedy, finding.rule,
                ].map { Inline($0) }
              )
            },
            isFolded: false,
            isText: true
          )
        )
      ]
    )
  }

  private func contents(_ id: String) -> ReportPage.Section {
    let used = survey.entities.filter { $0.count > 0 }.sorted { $0.count > $1.count }
    let bars = used.prefix(Self.mostBars).map { entity in
      BarChart.Row(
        label: entity.name,
        amount: Double(entity.count),
        text: SurveyText.count(entity.count)
      )
    }
    let figures =
      bars.isEmpty
      ? []
      : [
        ReportPage.Figure("Objects by entity", nil, BarChart(title: "Objects", rows: bars).drawing)
      ]
    return ReportPage.Section(
      id: id,
      heading: "Objects",
      blocks: (figures.isEmpty ? [] : [.panels(figures)]) + [
        .table(
          ReportPage.Table(
            name: Inline("Table: \(Figures.counted(survey.entities.count, "entity", "entities"))"),
            label: "Entities",
            caption: "Objects of each entity itself, and its relationships",
            columns: ["Entity", "Objects", "Attributes", "Relationships", "Dangling references"],
            rows: survey.entities.map { entity in
              let dangling = entity.relationships.reduce(0) { $0 + $1.dangling }
              return .init(
                Inline(entity.name),
                [
                  SurveyText.count(entity.count), "\(entity.attributes.count)",
                  "\(entity.relationships.count)", SurveyText.count(dangling),
                ].map { Inline($0) }
              )
            }
          )
        )
      ]
    )
  }

  private func space(_ id: String) -> ReportPage.Section? {
    let parts = survey.space.parts
    guard !parts.isEmpty else { return nil }
    let bars = parts.prefix(Self.mostBars).map { part in
      BarChart.Row(
        label: part.name,
        amount: Double(part.bytes),
        part: Double(part.unusedBytes),
        text: SurveyText.bytes(part.bytes)
      )
    }
    let free =
      survey.space.freeBytes > 0
      ? "\(SurveyText.bytes(survey.space.freeBytes)) of the file are free pages."
      : "No page of the file is free."
    return ReportPage.Section(
      id: id,
      heading: "Space",
      question: "Where are the bytes?",
      answers: [Inline(free)],
      blocks: [
        .panels([
          ReportPage.Figure(
            "Tables and indexes",
            "hatched: unused within pages",
            BarChart(title: "Bytes of tables and indexes", rows: bars).drawing
          )
        ]),
        .table(
          ReportPage.Table(
            name: Inline(
              "Table: \(Figures.counted(parts.count, "table and index", "tables and indexes"))"
            ),
            label: "Tables and indexes",
            caption: "Size of each table and index, the largest first",
            columns: ["Name", "Size", "Share", "Unused", "Pages", "Not in order"],
            rows: parts.prefix(500).map { part in
              .init(
                Inline(part.name),
                [
                  SurveyText.bytes(part.bytes), SurveyText.share(part.bytes, of: survey.bytes),
                  SurveyText.share(part.unusedBytes, of: part.bytes), SurveyText.count(part.pages),
                  SurveyText.share(part.jumps, of: part.pages),
                ].map { Inline($0) }
              )
            }
          )
        ),
      ]
    )
  }

  private func attributes(_ id: String) -> ReportPage.Section? {
    let rows = survey.entities.flatMap { entity in
      entity.attributes.map { attribute -> ReportPage.Table.Row in
        let nulls = SurveyText.share(Int64(attribute.nulls), of: Int64(attribute.count))
        return .init(
          Inline("\(entity.name).\(attribute.name)"),
          [
            attribute.type, nulls, attribute.distinct.map { SurveyText.count(Int64($0)) } ?? "–",
            attribute.lengths.map { SurveyText.spread($0, width: 40, SurveyText.whole) } ?? "–",
            attribute.bytes > 0 ? SurveyText.bytes(attribute.bytes) : "–",
          ].map { Inline($0) }
        )
      }
    }
    guard !rows.isEmpty else { return nil }
    return ReportPage.Section(
      id: id,
      heading: "Values",
      blocks: [
        .table(
          ReportPage.Table(
            name: Inline("Table: \(Figures.counted(rows.count, "attribute"))"),
            label: "Attributes",
            caption: "Values over all objects; lengths are characters of texts and bytes of blobs",
            columns: ["Attribute", "Type", "Empty", "Different values", "Length", "Bytes"],
            rows: Array(rows.prefix(500))
          )
        )
      ]
    )
  }
}

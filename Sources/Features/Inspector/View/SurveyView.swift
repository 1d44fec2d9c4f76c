import Basics
import PersistentStore
import Reporting

extension StoreSurvey {
  private static let mostBars = 16
  private static let mostParts = 6

  /// The survey of a store as a report: problems and risks first, then objects and sizes.
  package var report: Report {
    var report = Report(
      kind: "inspection · \(name)",
      title: Report.Text(title),
      verdict: Report.Text(verdict),
      tone: tone,
      facts: facts,
      source: "the store, which it did not change"
    )
    (report.certainty, report.next) = (certainty, next)
    report.notMeasured = "How fast it is: the store was only read, and nothing ran on it."
    report.lead = sizeMap.map { [.chart($0)] } ?? []
    report.findings = findings.map(\.item)
    report.sections = sections
    return report
  }

  /// Returns one report for all stores of a folder, with the reasons for omitted stores.
  package static func report(of surveys: [StoreSurvey], refused: [String]) -> Report {
    var report = Report(
      kind: "inspection",
      title: "\(Figures.counted(surveys.count, "store"))",
      source: "the stores, which it did not change"
    )
    for survey in surveys {
      let problems = survey.findings.map { finding in
        Report.Text("\(finding.item.claim.plain) → \(finding.remedy)")
      }
      report.sections.append(
        .init(
          survey.name,
          [.sentence("\(survey.title). \(survey.verdict)"), .facts(survey.facts)]
            + (problems.isEmpty ? [] : [.list(problems, .caution)])
        )
      )
      report.sections += survey.sections
    }
    if !refused.isEmpty {
      report.sections.append(.init("Left out", [.list(refused.map { Report.Text($0) })]))
    }
    return report
  }

  private var name: String { StoreFile(path: path).name }

  // MARK: Summary

  private var tone: Report.Tone {
    switch findings.map(\.severity) {
    case let found where found.contains(.wrong): .bad
    case let found where found.contains(.risk): .caution
    default: .good
    }
  }

  private var next: Report.Text {
    guard let first = findings.first(where: { $0.severity != .note }) else {
      return
        "Nothing has to be repaired. Measure work on it: \(code: "storebench run Workloads/fetch --store \(name)")"
    }
    return "\(first.remedy.capitalizedFirst) (\(first.place))."
  }

  private var certainty: Report.Text {
    let read =
      gaps.isEmpty
      ? "every object was read, and none sampled" : "not all was read; see \(Figures.few(gaps))"
    let estimates = entities.flatMap(\.attributes).count {
      $0.distinct != nil && !$0.isDistinctExact
    }
    let rest =
      estimates == 0
      ? ""
      : " The \(Figures.counted(estimates, "number")) of different values marked ~ "
        + (estimates == 1 ? "is an estimate." : "are estimates.")
    return Report.Text(
      "\(read.capitalizedFirst).\(rest) What Apple's frameworks do with it is by their documentation: they did not run."
    )
  }

  private var title: String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      let noun = severity == .wrong ? "problem" : severity.rawValue
      return count > 0 ? Figures.counted(count, noun) : nil
    }
    return counts.isEmpty
      ? "No problem was found in \(name)" : "\(counts.joined(separator: ", ")) in \(name)"
  }

  private var verdict: String {
    let used = entities.count { $0.count > 0 }
    let missing = metadata.missingForOpening
    let opening =
      missing.isEmpty
      ? "Its metadata is complete, as in stores of Apple's frameworks."
      : metadata.fitsNoModel
        ? "Apple's frameworks will not open it: it lacks \(missing[0])."
        : "Unlike stores of Apple's frameworks, it lacks \(missing[0])."
    return "\(objectCount.grouped) \(objectCount == 1 ? "object" : "objects") of \(used) of "
      + "\(Figures.counted(entities.count, "entity", "entities")) in \(Figures.bytes(bytes)). "
      + opening
  }

  private var facts: [Report.Fact] {
    let systems = metadata.systems.map { " (about \($0))" } ?? ""
    let isSwiftData = metadata.flavour == .swiftData
    let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
    let hashes = Figures.counted(metadata.versionHashes.count, "entity hash", "entity hashes")
    let checksum = metadata.modelChecksum.map { ", checksum \($0)" } ?? ""
    let free =
      space.freeBytes > 0 ? "\(Figures.bytes(space.freeBytes)) free" : "none free"
    let rows: [(name: String, value: String?)] = [
      (
        "Kind",
        isSwiftData
          ? "SwiftData: \(metadata.flavourEvidence.joined(separator: "; "))" : "Core Data"
      ),
      (
        "Framework",
        "\(metadata.frameworkVersion)\(systems)"
          + (file.sqliteVersion.map { ", SQLite \($0)" } ?? "")
      ),
      (
        "Model",
        (versions.isEmpty ? "no version identifier" : "version \(versions)")
          + ", \(hashes)\(checksum)"
      ), ("UUID", metadata.uuid),
      (
        "Pages",
        "\(file.pageCount.grouped) of \(Figures.bytes(Double(file.pageSize))), \(free), "
          + "auto-vacuum \(file.autoVacuum)"
      ), ("WAL", walText), ("External files", externalData.map(Self.text)),
      ("Own keys", metadata.otherKeys.joined(separator: ", ")),
      (
        "Lacks",
        metadata.missingForOpening.count > 1
          ? metadata.missingForOpening.joined(separator: ", ") : nil
      ),
    ]
    return rows.compactMap { name, value in
      value.flatMap { $0.isEmpty ? nil : Report.Fact(name, Report.Text($0)) }
    }
  }

  private var walText: String {
    guard let wal else {
      if findings.contains(where: { $0.rule == "walIsNoFile" }) {
        return "not read: what is next to the store is no file"
      }
      return file.usesWAL ? "no -wal next to the store, which is in WAL mode" : "not in WAL mode"
    }
    var text =
      "\(Figures.bytes(wal.bytes)), "
      + "\(Figures.counted(wal.committedFrames, "page")) not yet in the file"
    if wal.uncommittedFrames > 0 { text += ", \(wal.uncommittedFrames) of an unfinished save" }
    if wal.ignoredBytes > 0 {
      text += ", \(Figures.bytes(wal.ignoredBytes)) of older, already copied pages"
    }
    return text
  }

  private static func text(of external: ExternalData) -> String {
    var parts = [
      "\(Figures.counted(external.references, "reference")) to \(Figures.bytes(external.bytes))"
    ]
    if external.missing > 0 { parts.append("\(external.missing) missing") }
    if external.malformed > 0 { parts.append("\(external.malformed) malformed") }
    if external.orphaned > 0 {
      parts.append("\(external.orphaned) orphaned (\(Figures.bytes(external.orphanedBytes)))")
    }
    return parts.joined(separator: ", ")
  }

  // MARK: Sections

  private var sections: [Report.Section] {
    [objects, spaceSection, layout?.section, history?.section, values, relationships, duplicates]
      .compactMap(\.self)
  }

  /// The entities that have objects, either of their own or of their sub-entities.
  var used: [EntitySurvey] { entities.filter { $0.countWithSubentities > 0 } }

  /// The maximum number of rows of a table that is shown without being collapsed.
  private static let mostShown = 12

  private var objects: Report.Section {
    let bars = used.filter { $0.count > 0 }.sorted { $0.count > $1.count }.prefix(Self.mostBars)
      .map { BarChart.Row(label: $0.name, amount: Double($0.count), text: $0.count.grouped) }
    var section = Report.Section("Objects")
    if bars.count > 1 {
      let chart = BarChart(title: "Objects", rows: bars)
      section.blocks.append(.chart(.init("Objects by entity", isWide: true, chart)))
    }
    let table = Report.Table(
      "",
      [
        .init("Entity"), .init("Parent"), .init("Table"), .init("Objects", .number),
        .init("With sub-entities", .number), .init("Attributes", .number),
        .init("Relationships", .number),
      ],
      rows: used.map { entity in
        [
          .text(entity.name + (entity.isAbstract ? " (abstract)" : "")),
          .text(entity.superentity ?? ""), .text(entity.table), .number(entity.count),
          .number(entity.countWithSubentities), .number(entity.attributes.count),
          .number(entity.relationships.count),
        ]
      }
    )
    section.blocks.append(Self.folded(table, "entities"))
    let empty = entities.filter { $0.countWithSubentities == 0 }.map(\.name)
    if !empty.isEmpty {
      section.blocks.append(.sentence("Without objects: \(empty.joined(separator: ", "))"))
    }
    return section
  }

  static func folded(_ table: Report.Table, _ noun: String) -> Report.Block {
    table.rows.count > mostShown
      ? .folded("\(table.rows.count) \(noun)", [.table(table)]) : .table(table)
  }

  private var spaceSection: Report.Section? {
    if let limitation = space.limitation { return .init("Space", [.sentence("\(limitation)")]) }
    guard !space.parts.isEmpty else { return nil }
    let whole = pageBytes
    let table = Report.Table(
      "",
      [
        .init("Largest tables and indexes"), .init("Size", .bytes), .init("Share", .share),
        .init("Unused", .share), .init("Not in order", .share),
      ],
      rows: space.parts.map { part in
        [
          .text((part.table == nil ? "" : "· ") + part.name), .number(part.bytes),
          .part(part.bytes, of: whole), .part(part.unusedBytes, of: part.bytes),
          part.pages > 1 ? .part(part.jumps, of: part.pages - 1) : "–",
        ]
      },
      most: Self.mostParts
    )
    return .init("Space", [Self.folded(table, "tables and indexes")])
  }

  private var duplicates: Report.Section? {
    let keys = entities.flatMap { entity in
      entity.keys.filter { $0.surplus > 0 }.map { key -> Report.Text in
        let kind = key.isConstraint ? "unique constraint" : "likely key"
        let values =
          key.duplicatedValues == 1
          ? "one of its values occurs"
          : "\(key.duplicatedValues.grouped) of its values occur more than once, up to"
        return
          "\(entity.name), \(kind) \(key.properties.joined(separator: "+")): \(values) \(key.largestGroup.grouped) times; \(Figures.counted(key.surplus, "duplicate object"))"
      }
    }
    return keys.isEmpty ? nil : .init("Duplicates", [.list(keys, .caution)])
  }
}

extension Finding.Severity {
  /// The symbol before a finding, which shows the severity without color.
  var sign: String {
    switch self {
    case .wrong: "✗"
    case .risk: "!"
    case .note: "i"
    }
  }
}

extension Finding {
  fileprivate var item: Report.Finding {
    let count = count == 1 ? "" : "\(count.grouped) "
    return Report.Finding(
      "\(severity.sign) \(place): \(count)\(message)",
      details: ["→ \(remedy)", "\(severity.rawValue), rule \(code: rule)"],
      tone: severity == .wrong ? .bad : severity == .risk ? .caution : .plain
    )
  }
}

extension LayoutSurvey {
  /// The maximum number of groups of tables and indexes to list for each kind of difference.
  private static let mostGroups = 6
  private static let labels: [(state: LayoutEntry.State, label: String)] = [
    (.olderLayout, "Older form"), (.alteredInPlace, "Altered"), (.notWritten, "Others"),
    (.missing, "Missing"), (.unexplained, "Unexplained"),
  ]

  /// The section on differences between the tables and those of a new store of the model.
  fileprivate var section: Report.Section {
    var blocks: [Report.Block] = [.sentence("\(headline)")]
    for (state, label) in Self.labels {
      let entries = differences(in: state)
      guard !entries.isEmpty else { continue }
      // Renaming a table has the same effect on each of its indexes, so entries with the same notes
      // are grouped.
      let groups = Dictionary(grouping: entries) { "\($0.kind) \($0.notes)" }.values
        .sorted { Self.place(of: $0[0]) < Self.place(of: $1[0]) }
      blocks += [
        .sentence("\(label):"), .list(groups.map(Self.item), most: Self.mostGroups),
      ]
    }
    return .init("Layout", blocks)
  }

  private var headline: String {
    let all = "\(Figures.counted(tables.all, "table"))"
    let indexed = Figures.counted(indexes.all, "index", "indexes")
    guard !differences.isEmpty else {
      return "Same as in a fresh store of its model (\(all), \(indexed))."
    }
    return "\(tables.same) of \(all) and \(indexes.same) of \(indexed) are the same as in a fresh "
      + "store of its model" + (isFresh ? "; the others match its framework, \(generation)." : ".")
  }

  private static func item(_ entries: [LayoutEntry]) -> Report.Text {
    let kind = entries[0].kind == .table ? "" : "\(entries[0].kind.rawValue) "
    let others = entries.count > 1 ? " and \(entries.count - 1) more" : ""
    let notes = entries[0].notes.joined(separator: "; ")
    return "\(kind)\(entries[0].name)\(others)\(notes.isEmpty ? "" : ": ")\(notes)"
  }

  private static func place(of entry: LayoutEntry) -> (Int, String) {
    (entry.kind == .table ? 0 : 1, entry.name)
  }
}

extension StoreSurvey.History {
  fileprivate var section: Report.Section {
    let size = bytes.map { ", \(Figures.bytes($0))" } ?? ""
    var facts: [Report.Fact] = [
      .init(
        "Changes",
        "\(changes.grouped) in \(Figures.counted(transactions, "transaction"))\(size)"
      )
    ]
    guard changes > 0 else { return .init("History", [.facts(facts)]) }
    facts.append(
      .init(
        "Kinds",
        "\(Figures.counted(insertions, "insertion")), \(Figures.counted(updates, "update")), \(Figures.counted(deletions, "deletion")) (\(tombstones.grouped) with values kept)"
      )
    )
    if let first, let last {
      facts.append(.init("Time", "\(SurveyText.day(first)) to \(SurveyText.day(last))"))
    }
    let names = { (counts: [Count]) in
      Report.Text(Figures.few(counts.map { "\($0.name) \($0.count.grouped)" }))
    }
    if !authors.isEmpty { facts.append(.init("By", names(authors))) }
    return .init("History", [.facts(facts + [.init("Of", names(changesByEntity))])])
  }
}

import Basics
import Inspector
import PersistentStore
import Reporting

extension TextReport {
  /// Where the bytes are, and what the metadata says.
  struct SpaceSection {
    /// Tables and indexes that are listed, where they are worth it.
    private static let mostParts = 6
    private static let leastShare: Int64 = 50

    let survey: StoreSurvey
    let palette: Palette
    let width: Int

    var lines: [String] {
      [palette.paint("FILE", .bold)] + facts + parts
    }

    private var facts: [String] {
      let file = survey.file
      let free = survey.space.freeBytes
      var pages =
        "\(SurveyText.count(Int64(file.pageCount))) of \(SurveyText.bytes(Int64(file.pageSize)))"
      pages +=
        free > 0
        ? ", \(SurveyText.share(free, of: survey.bytes)) of them free" : ", none free"
      pages += ", auto-vacuum \(file.autoVacuum)"
      let metadata = survey.metadata
      let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
      let hashes = SurveyText.counted(
        Int64(metadata.versionHashes.count),
        "entity hash",
        "entity hashes"
      )
      var lines = TextReport.fact("pages", pages, width: width)
      lines += TextReport.fact("WAL", wal, width: width)
      lines += TextReport.fact("UUID", metadata.uuid, width: width)
      lines += TextReport.fact(
        "model",
        (versions.isEmpty ? "no version identifier" : "version \(versions)") + ", \(hashes)"
          + (metadata.modelChecksum.map { ", checksum \($0)" } ?? ""),
        width: width
      )
      if metadata.flavour == .swiftData {
        lines += TextReport.fact(
          "flavour",
          metadata.flavourEvidence.joined(separator: "; "),
          width: width
        )
      }
      if !metadata.otherKeys.isEmpty {
        lines += TextReport.fact(
          "own keys",
          metadata.otherKeys.joined(separator: ", "),
          width: width
        )
      }
      if metadata.missingForOpening.count > 1 {
        lines += TextReport.fact(
          "lacks",
          metadata.missingForOpening.joined(separator: ", "),
          width: width
        )
      }
      if let external = survey.externalData {
        lines += TextReport.fact("external", self.external(external), width: width)
      }
      return lines
    }

    private var wal: String {
      guard let wal = survey.wal else {
        return survey.file.usesWAL
          ? "no -wal next to the store, which is in WAL mode" : "not in WAL mode"
      }
      var text =
        "\(SurveyText.bytes(wal.bytes)), \(SurveyText.counted(Int64(wal.committedFrames), "page"))"
        + " not yet in the file"
      if wal.uncommittedFrames > 0 {
        text += ", \(wal.uncommittedFrames) of an unfinished save"
      }
      if wal.ignoredBytes > 0 {
        text +=
          ", \(SurveyText.bytes(wal.ignoredBytes)) of older, already "
          + "copied pages"
      }
      return text
    }

    private func external(_ external: StoreSurvey.ExternalData) -> String {
      var parts = [
        "\(SurveyText.counted(Int64(external.references), "reference")) to "
          + "\(SurveyText.bytes(external.bytes)) in files"
      ]
      if external.missing > 0 { parts.append("\(external.missing) missing") }
      if external.malformed > 0 { parts.append("\(external.malformed) malformed") }
      if external.orphaned > 0 {
        parts.append("\(external.orphaned) orphaned (\(SurveyText.bytes(external.orphanedBytes)))")
      }
      return parts.joined(separator: ", ")
    }

    private var parts: [String] {
      if let limitation = survey.space.limitation {
        return TextReport.fact("sizes", limitation, width: width)
      }
      let table = TextTable(
        [
          .left("largest tables and indexes", width - 43), .right("size", 9), .right("share", 6),
          .right("unused", 7), .right("scattered", 10),
        ],
        margin: 2
      )
      // Every table and index has a page; what is no larger says nothing.
      let shown = survey.space.parts.prefix(Self.mostParts).filter {
        $0.bytes * Self.leastShare > survey.bytes && $0.pages > 1
      }
      guard !shown.isEmpty else { return [] }
      let rows = shown.map { part in
        table.line([
          (part.table == nil ? "" : "· ") + part.name, SurveyText.bytes(part.bytes),
          SurveyText.share(part.bytes, of: survey.bytes),
          SurveyText.share(part.unusedBytes, of: part.bytes),
          part.pages > 1 ? SurveyText.share(part.jumps, of: part.pages - 1) : "–",
        ])
      }
      return [palette.paint(table.header, .faint)] + rows
    }
  }

  /// Whether the tables are those of a fresh store of the model, and what became of those that are not.
  struct LayoutSection {
    /// Different things that are said of one state.
    private static let mostGroups = 6
    private static let mostStatements = 8
    private static let labels: [(state: LayoutEntry.State, label: String)] = [
      (.olderLayout, "older form"), (.alteredInPlace, "altered"), (.notWritten, "others"),
      (.missing, "missing"), (.unexplained, "unexplained"),
    ]

    let survey: StoreSurvey
    let palette: Palette
    let width: Int

    var lines: [String] {
      guard let layout = survey.layout else { return [] }
      return [palette.paint("LAYOUT", .bold)]
        + TextReport.fact("tables", headline(layout), width: width)
        + Self.labels.flatMap { differences(layout.differences(in: $0.state), $0.label) }
        + statements(layout.histories)
    }

    /// What was run on the tables since an earlier release made them.
    private func statements(_ histories: [TableHistory]) -> [String] {
      let all = histories.flatMap(\.statements)
      var items = all.prefix(Self.mostStatements).map { $0 }
      if all.count > items.count {
        items.append("and \(all.count - items.count) more: --format json has them all")
      }
      return items.enumerated().flatMap { index, item in
        TextReport.fact(index == 0 ? "statements" : "", item, width: width)
      }
    }

    private func headline(_ layout: LayoutSurvey) -> String {
      let tables = SurveyText.counted(Int64(layout.tables.all), "table")
      let indexes = SurveyText.counted(Int64(layout.indexes.all), "index", "indexes")
      guard !layout.differences.isEmpty else {
        return "same as in a fresh store of its model (\(tables), \(indexes))"
      }
      let age =
        layout.isFresh ? "; the others match its framework, \(layout.generation)" : ""
      return "\(layout.tables.same) of \(tables) and \(layout.indexes.same) of \(indexes) are the "
        + "same as in a fresh store of its model\(age)"
    }

    private func differences(_ entries: [LayoutEntry], _ label: String) -> [String] {
      guard !entries.isEmpty else { return [] }
      // What a renamed table leaves is the same for each of its indexes.
      let groups = Dictionary(grouping: entries) { "\($0.kind) \($0.notes)" }.values
        .sorted { Self.place(of: $0[0]) < Self.place(of: $1[0]) }
      var items = groups.prefix(Self.mostGroups).map(item)
      if groups.count > Self.mostGroups {
        items.append("and \(groups.count - Self.mostGroups) more: --format json has them all")
      }
      return items.enumerated().flatMap { index, item in
        TextReport.fact(index == 0 ? label : "", item, width: width)
      }
    }

    private func item(_ entries: [LayoutEntry]) -> String {
      let kind = entries[0].kind == .table ? "" : "\(entries[0].kind.rawValue) "
      let others = entries.count > 1 ? " and \(entries.count - 1) more" : ""
      let notes = entries[0].notes.joined(separator: "; ")
      return "\(kind)\(entries[0].name)\(others)\(notes.isEmpty ? "" : ": ")\(notes)"
    }

    /// Tables come before what lies on them.
    private static func place(of entry: LayoutEntry) -> (Int, String) {
      (entry.kind == .table ? 0 : 1, entry.name)
    }
  }

  /// The persistent history in a few lines.
  struct HistorySection {
    private static let mostNames = 4

    let survey: StoreSurvey
    let palette: Palette
    let width: Int

    var lines: [String] {
      guard let history = survey.history else { return [] }
      var lines = [palette.paint("HISTORY", .bold)]
      func add(_ label: String, _ text: String) {
        lines += TextReport.fact(label, text, width: width)
      }
      let size = history.bytes.map { ", \(SurveyText.bytes($0))" } ?? ""
      add(
        "changes",
        "\(SurveyText.count(history.changes)) in "
          + "\(SurveyText.counted(history.transactions, "transaction"))\(size)"
      )
      guard history.changes > 0 else { return lines }
      add(
        "kinds",
        "\(SurveyText.counted(history.insertions, "insertion")), "
          + "\(SurveyText.counted(history.updates, "update")), "
          + "\(SurveyText.counted(history.deletions, "deletion")) "
          + "(\(SurveyText.count(history.tombstones)) with values kept)"
      )
      if let first = history.first, let last = history.last {
        add("time", "\(SurveyText.day(first)) … \(SurveyText.day(last))")
      }
      if !history.authors.isEmpty { add("by", names(history.authors)) }
      add("of", names(history.changesByEntity))
      return lines
    }

    private func names(_ counts: [StoreSurvey.History.Count]) -> String {
      let shown = counts.prefix(Self.mostNames).map { "\($0.name) \(SurveyText.count($0.count))" }
      let rest = counts.count - shown.count
      return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
    }
  }
}

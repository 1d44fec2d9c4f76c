import PersistentStore
import Reporter

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
      lines += TextReport.fact("own keys", metadata.otherKeys.joined(separator: ", "), width: width)
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
      return survey.file.usesWAL ? "none beside it; the store is in WAL mode" : "not in WAL mode"
    }
    var text =
      "\(SurveyText.bytes(wal.bytes)), \(SurveyText.counted(Int64(wal.committedFrames), "page"))"
      + " not yet in the file"
    if wal.uncommittedFrames > 0 { text += ", \(wal.uncommittedFrames) of a save that never ended" }
    if wal.ignoredBytes > 0 { text += ", \(SurveyText.bytes(wal.ignoredBytes)) of older rounds" }
    return text
  }

  private func external(_ external: ExternalDataSurvey) -> String {
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
    let table = TextTable(columns: [
      .init(title: "largest tables and indexes", width: width - 43),
      .init(title: "size", width: 9, isRight: true),
      .init(title: "share", width: 6, isRight: true),
      .init(title: "unused", width: 7, isRight: true),
      .init(title: "scattered", width: 10, isRight: true),
    ])
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

import DataModel
import Foundation
import PersistentStore
import SQLite

/// Reads a store's metadata and finds the parts that Core Data needs but that are missing.
struct MetadataScan {
  let reader: StoreReader
  let model: Model?

  /// A possible reason for an empty or invalid metadata row, as the end of an error message.
  private var missingWAL: String {
    reader.header.usesWAL && reader.wal == nil
      ? "; it is in WAL mode, but its -wal is not in the same folder: copy both files" : ""
  }

  func survey() throws -> StoreSurvey.Metadata {
    let path = reader.store.path
    let metadata: StoreMetadata
    do {
      metadata = try StoreMetadata(from: reader.connection, path: path)
    } catch PersistentStoreError.damaged(_, let reason) {
      throw PersistentStoreError.damaged(path: path, reason: reason + missingWAL)
    } catch PersistentStoreError.incomplete(_, let reason) {
      throw PersistentStoreError.incomplete(path: path, reason: reason + missingWAL)
    }
    let list = try plist()
    let evidence = flavourEvidence(metadata)
    return StoreSurvey.Metadata(
      uuid: metadata.uuid,
      frameworkVersion: metadata.frameworkVersion,
      systems: Self.systems(of: metadata.frameworkVersion),
      flavour: evidence.count >= 2 && reader.schema.has("ATRANSACTION") ? .swiftData : .coreData,
      flavourEvidence: evidence,
      versionIdentifiers: metadata.versionIdentifiers,
      versionHashes: metadata.versionHashes.mapValues { Data($0).base64EncodedString() },
      hashesDigest: list["NSStoreModelVersionHashesDigest"]?.string,
      modelChecksum: list["NSStoreModelVersionChecksumKey"]?.string,
      missingForOpening: missing(metadata, list),
      otherKeys: metadata.others.keys.sorted()
    )
  }

  private func plist() throws -> [String: PropertyList] {
    let row = try reader.connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    guard try row.step() else { return [:] }
    return (try? PropertyList(binary: row.blob(at: 0)).dictionary) ?? [:]
  }

  /// Returns the evidence that SwiftData wrote the store (coredata-format.md, section 14).
  private func flavourEvidence(_ metadata: StoreMetadata) -> [String] {
    var evidence: [String] = []
    let isVersion = metadata.versionIdentifiers.contains { text in
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 3 && parts.allSatisfy { Int($0) != nil }
    }
    if isVersion {
      evidence.append("its version identifier is a schema version")
    }
    if model?.configurations["default"] != nil {
      evidence.append("its model has the configuration 'default'")
    }
    if reader.store.name == "default.store" { evidence.append("its name is default.store") }
    return evidence
  }

  /// Returns the metadata that Core Data's stores have and this store lacks (coredata-format.md,
  /// sections 9 and 10).
  private func missing(_ metadata: StoreMetadata, _ list: [String: PropertyList]) -> [String] {
    var missing = missingHashes(metadata, list)
    if UUID(uuidString: metadata.uuid) == nil { missing.append("a UUID in Z_UUID") }
    if list["NSStoreType"]?.string != "SQLite" { missing.append("NSStoreType") }
    if metadata.frameworkVersion <= 0 { missing.append("NSPersistenceFrameworkVersion") }
    if list["NSStoreModelVersionHashesVersion"]?.integer != 3 {
      missing.append("NSStoreModelVersionHashesVersion 3")
    }
    return missing
  }

  private func missingHashes(
    _ metadata: StoreMetadata,
    _ list: [String: PropertyList]
  ) -> [String] {
    guard !metadata.versionHashes.isEmpty else { return ["the version hashes of its entities"] }
    var missing = (model?.entities ?? []).filter { metadata.versionHashes[$0.name]?.count != 32 }
      .map { "the version hash of \($0.name)" }
    if missing.count > 3 { missing = ["the version hashes of \(missing.count) entities"] }
    let digest = list["NSStoreModelVersionHashesDigest"]?.string
    if metadata.frameworkVersion >= 973, digest != metadata.hashesDigest {
      missing.append(digest == nil ? "the digest of its hashes" : "a digest that fits its hashes")
    }
    let checksum = list["NSStoreModelVersionChecksumKey"]?.string
    if metadata.frameworkVersion >= 1333, checksum != metadata.checksum {
      missing.append(checksum == nil ? "the model's checksum" : "a checksum that fits its hashes")
    }
    return missing
  }

  /// Returns the systems that ship a framework version.
  ///
  /// Apple does not document them; they are inferred from real stores' file names and SQLite
  /// versions.
  private static func systems(of framework: Int) -> String? {
    let table: [(ClosedRange<Int>, String)] = [
      (500...599, "iOS 8, macOS 10.10"), (600...699, "iOS 9, macOS 10.11"),
      (700...799, "iOS 10, macOS 10.12"), (800...859, "iOS 11, macOS 10.13"),
      (860...899, "iOS 12, macOS 10.14"), (900...999, "iOS 13, macOS 10.15"),
      (1000...1099, "iOS 14, macOS 11"), (1100...1199, "iOS 15, macOS 12"),
      (1200...1299, "iOS 16, macOS 13"), (1300...1399, "iOS 17, macOS 14"),
      (1400...1499, "iOS 18, macOS 15"), (1500...1599, "iOS 26, macOS 26"),
    ]
    return table.first { $0.0.contains(framework) }?.1
  }
}

struct HistoryScan {
  /// The maximum number of names listed per kind.
  private static let mostNames = 20

  let reader: StoreReader
  let layout: StoreLayout

  /// Returns the survey of the history; `nil` if the store keeps no history.
  func survey() throws -> StoreSurvey.History? {
    let schema = reader.schema
    guard schema.has("ACHANGE"), schema.has("ATRANSACTION") else { return nil }
    var survey = StoreSurvey.History()
    try countTransactions(&survey)
    try countChanges(&survey)
    try countAuthors(&survey)
    return survey
  }

  private func countTransactions(_ survey: inout StoreSurvey.History) throws {
    let row = try reader.connection.prepare(
      "SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION"
    )
    guard try row.step() else { return }
    survey.transactions = row.integer(at: 0)
    guard !row.isNull(at: 1) else { return }
    survey.first = row.real(at: 1)
    survey.last = row.real(at: 2)
  }

  private func countChanges(_ survey: inout StoreSurvey.History) throws {
    let tombstones = (reader.schema.columns["ACHANGE"] ?? [])
      .filter { $0.hasPrefix("ZTOMBSTONE") }.map { "\($0.quotedColumn) IS NOT NULL" }
    let kept = tombstones.isEmpty ? "0" : tombstones.joined(separator: " OR ")
    let row = try reader.connection.prepare(
      "SELECT t.ZCHANGETYPE, t.ZENTITY, (\(kept)) FROM ACHANGE AS t NOT INDEXED"
    )
    var entities = Array(repeating: Int64(0), count: layout.numbers.entities.count + 1)
    while try row.step() {
      survey.changes += 1
      switch row.integer(at: 0) {
      case 0: survey.insertions += 1
      case 1: survey.updates += 1
      case 2:
        survey.deletions += 1
        survey.tombstones += row.integer(at: 2)
      default: break
      }
      let number = row.integer(at: 1)
      entities[number > 0 && number < entities.count ? Int(number) : 0] += 1
    }
    survey.changesByEntity = entities.enumerated().filter { $1 > 0 }
      .map { number, count in
        StoreSurvey.History.Count(
          name: layout.numbers.entity(number)?.name ?? "unknown entities",
          count: count
        )
      }
      .sorted { $0.count > $1.count }
  }

  private func countAuthors(_ survey: inout StoreSurvey.History) throws {
    let columns = [
      ("author", "ZAUTHOR"), ("process", "ZPROCESSID"), ("bundle", "ZBUNDLEID"),
      ("context", "ZCONTEXTNAME"),
    ]
    for (word, column) in columns {
      guard let names = names(in: column) else { continue }
      let row = try reader.connection.prepare("\(names) ORDER BY n DESC, 1 LIMIT \(Self.mostNames)")
      while try row.step() {
        survey.authors.append(
          StoreSurvey.History.Count(name: "\(word) \(row.text(at: 0))", count: row.integer(at: 1))
        )
      }
    }
  }

  /// Returns a query for the names in a column, each with its number of transactions.
  ///
  /// Before framework version 973, transactions contain the names; later, they contain keys of
  /// names.
  private func names(in column: String) -> String? {
    let schema = reader.schema
    if schema.has("\(column)TS", in: "ATRANSACTION"), schema.has("ATRANSACTIONSTRING") {
      return "SELECT substr(s.ZNAME, 1, 100), n FROM (SELECT t.\(column)TS AS name, "
        + "count(*) AS n FROM ATRANSACTION AS t GROUP BY 1) "
        + "JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = name"
    }
    guard schema.has(column, in: "ATRANSACTION") else { return nil }
    return "SELECT substr(\(column), 1, 100), count(*) AS n FROM ATRANSACTION "
      + "WHERE \(column) IS NOT NULL GROUP BY \(column)"
  }
}

/// Sums the pages of every table and index, using SQLite's dbstat
/// (https://www.sqlite.org/dbstat.html).
struct SpaceScan {
  let reader: StoreReader

  func survey() -> StoreSurvey.Space {
    var survey = StoreSurvey.Space()
    survey.freeBytes = Int64(reader.header.freePageCount) * Int64(reader.header.pageSize)
    guard Library.compileOptions.contains("ENABLE_DBSTAT_VTAB") else {
      survey.limitation = "this SQLite is built without dbstat, which lists the pages of a table"
      return survey
    }
    var parts: [String: StoreSurvey.Space.Part] = [:]
    do {
      let free = try reader.connection.integer("PRAGMA freelist_count") ?? 0
      survey.freeBytes = free * Int64(reader.header.pageSize)
      try addPages(to: &parts)
      try addTables(to: &parts)
    } catch {
      survey.limitation = "some pages cannot be read: \(error)"
    }
    survey.parts = parts.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    return survey
  }

  private func addPages(to parts: inout [String: StoreSurvey.Space.Part]) throws {
    let row = try reader.connection.prepare("SELECT name, pageno, pgsize, unused FROM dbstat")
    var part = StoreSurvey.Space.Part(name: "")
    var previous: Int64 = 0
    while try row.step() {
      let name = row.text(at: 0)
      let page = row.integer(at: 1)
      if name != part.name {
        if !part.name.isEmpty { parts[part.name] = part }
        part = parts[name] ?? StoreSurvey.Space.Part(name: name)
      } else if page != previous + 1 {
        part.jumps += 1
      }
      previous = page
      part.pages += 1
      part.bytes &+= row.integer(at: 2)
      part.unusedBytes &+= row.integer(at: 3)
    }
    if !part.name.isEmpty { parts[part.name] = part }
  }

  private func addTables(to parts: inout [String: StoreSurvey.Space.Part]) throws {
    let row = try reader.connection.prepare(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'"
    )
    while try row.step() { parts[row.text(at: 0)]?.table = row.text(at: 1) }
  }
}

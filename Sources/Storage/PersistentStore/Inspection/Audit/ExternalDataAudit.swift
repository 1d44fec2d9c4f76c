import DataModel
import Foundation
import SQLite

/// Checks blobs that are kept as files against the files, in both directions: external data, and
/// what path attributes name.
///
/// A file that was cut short cannot be told from a short one here; ``ContentComparison`` finds it.
struct ExternalDataAudit {
  /// A file or what keeps it from being one.
  private enum Name {
    case file(String)
    case none
    case malformed
  }

  /// How a column's values are read: SQL, the storage class, and what finds the file's name in one.
  private struct FileValue {
    let sql: String
    let type: String
    let name: (UnsafeRawBufferPointer) -> Name
  }

  let run: AuditRun
  let pathAttributes: Set<PathAttribute>

  func check() throws {
    // What a link leads to is none of the store's, whatever it holds.
    let folder = run.store.isExternalDataLinked ? "" : run.store.externalDataFolder
    try check(folder: folder, pick: externalValue)
    guard !pathAttributes.isEmpty else { return }
    try check(folder: run.store.filesFolder, pick: pathValue)
  }

  private func externalValue(in column: Column) -> FileValue? {
    guard case .attribute(let attribute) = column.content, !isPath(column),
      attribute.allowsExternalStorage
    else { return nil }
    let value = column.name.quotedColumn
    // What is inline is left where it is; what is very large cannot be a reference and is not read.
    return FileValue(
      sql: "iif(length(\(value)) > 4194304 OR substr(\(value), 1, 1) = x'01', x'01', \(value))",
      type: "blob",
      name: Self.externalName
    )
  }

  private func pathValue(in column: Column) -> FileValue? {
    guard isPath(column) else { return nil }
    return FileValue(sql: column.name.quotedColumn, type: "text", name: Self.pathName)
  }

  private func isPath(_ column: Column) -> Bool {
    pathAttributes.contains(PathAttribute(entity: column.entity, attribute: column.property))
  }

  private static func externalName(_ bytes: UnsafeRawBufferPointer) -> Name {
    switch BlobContent.reference(bytes) {
    case .inline: .none
    case .malformed: .malformed
    case .file(let name): .file(name)
    }
  }

  private static func pathName(_ bytes: UnsafeRawBufferPointer) -> Name {
    let path = String(decoding: bytes, as: UTF8.self)
    return BlobContent.isBelow(path) ? .file(path) : .malformed
  }

  /// Checks the columns that a closure picks, and the folder of their files.
  private func check(folder: String, pick: (Column) -> FileValue?) throws {
    var owners: Set<String> = []
    for table in run.layout.tables where run.has(table.name) {
      for column in table.columns where run.has(column.name, in: table.name) {
        guard let value = pick(column) else { continue }
        let row = try run.connection.prepare(
          "SELECT t.Z_PK, \(value.sql) FROM \(table.name.quotedName) AS t NOT INDEXED "
            + "WHERE typeof(\(column.name.quotedColumn)) = '\(value.type)' ORDER BY t.Z_PK"
        )
        var found = Counts()
        while try row.step() {
          let rule = row.withBytes(at: 1) { Self.fault(value.name($0), in: folder, &owners) }
          if let rule { found.add(rule, row.integer(at: 0)) }
        }
        for finding in found.findings(in: "\(table.name).\(column.name)") { run.add(finding) }
      }
    }
    checkOrphans(folder, owners)
  }

  private static func fault(
    _ name: Name,
    in folder: String,
    _ owners: inout Set<String>
  ) -> AuditRule? {
    switch name {
    case .none: return nil
    case .malformed: return .malformedExternalData
    case .file(let name):
      guard owners.insert(name).inserted else { return .sharedExternalFile }
      guard !folder.isEmpty, let size = size(of: folder + "/" + name) else {
        return .missingExternalFile
      }
      return size == 0 ? .emptyExternalFile : nil
    }
  }

  /// Bytes of a plain file; `nil` for what is none.
  private static func size(of path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  private func checkOrphans(_ folder: String, _ owners: Set<String>) {
    guard !folder.isEmpty else { return }
    let names = FileManager.default.subpaths(atPath: folder) ?? []
    let orphans = names.filter { !owners.contains($0) && Self.size(of: folder + "/" + $0) != nil }
      .sorted()
    guard let first = orphans.first else { return }
    run.add(
      AuditFinding(
        rule: .orphanedExternalFile,
        place: URL(fileURLWithPath: folder).lastPathComponent,
        count: Int64(orphans.count),
        example: first
      )
    )
  }
}

/// How often each rule is broken in one column, and where first.
private struct Counts {
  private var counts: [AuditRule: (count: Int64, key: Int64)] = [:]

  mutating func add(_ rule: AuditRule, _ key: Int64) { counts[rule, default: (0, key)].count += 1 }

  func findings(in place: String) -> [AuditFinding] {
    AuditRule.allCases.compactMap { rule in
      counts[rule].map {
        AuditFinding(rule: rule, place: place, count: $0.count, example: "Z_PK \($0.key)")
      }
    }
  }
}

import DataModel
import Foundation
import SQLite

/// Checks external data against the files in the store's folder, in both directions.
///
/// A file that was cut short cannot be told from a short one here; ``ContentComparison`` finds it.
struct ExternalDataAudit {
  let run: AuditRun

  func check() throws {
    var owners: [String: Int] = [:]
    for table in run.layout.tables where run.has(table.name) {
      for column in table.columns {
        guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage,
          run.has(column.name, in: table.name)
        else { continue }
        try check(column, of: table, &owners)
      }
    }
    try checkFolder(owners)
  }

  private func check(
    _ column: Column,
    of table: EntityTable,
    _ owners: inout [String: Int]
  ) throws {
    let value = column.name.quotedColumn
    let row = try run.connection.prepare(
      "SELECT t.Z_PK, iif(substr(\(value), 1, 1) = x'01', x'01', \(value)) "
        + "FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE typeof(\(value)) = 'blob' ORDER BY t.Z_PK"
    )
    var found: [AuditRule: (count: Int64, example: String)] = [:]
    while try row.step() {
      guard let rule = row.withBytes(at: 1, { check($0, &owners) }) else { continue }
      found[rule, default: (0, "Z_PK \(row.integer(at: 0))")].count += 1
    }
    for rule in AuditRule.allCases {
      guard let (count, example) = found[rule] else { continue }
      run.add(
        AuditFinding(
          rule: rule,
          place: "\(table.name).\(column.name)",
          count: count,
          example: example
        )
      )
    }
  }

  private func check(_ bytes: UnsafeRawBufferPointer, _ owners: inout [String: Int]) -> AuditRule? {
    switch BlobContent.reference(bytes) {
    case .inline: return nil
    case .malformed: return .malformedExternalData
    case .file(let name):
      owners[name, default: 0] += 1
      guard owners[name] == 1 else { return .sharedExternalFile }
      let path = run.store.externalDataFolder + "/" + name
      guard let size = Self.size(of: path) else { return .missingExternalFile }
      return size == 0 ? .emptyExternalFile : nil
    }
  }

  /// Bytes of a plain file; `nil` for what is none.
  private static func size(of path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  private func checkFolder(_ owners: [String: Int]) throws {
    let folder = run.store.externalDataFolder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let orphans = names.filter { owners[$0] == nil }.sorted()
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

import DataModel
import Foundation
import SQLite

/// Checks that every reference to a file, in external storage or in a path attribute, has a file,
/// and that every file has a reference.
///
/// The original size of a file is unknown, so only ``ContentComparison`` detects truncation.
extension AuditRun {
  private enum FileName {
    case file(String)
    case none
    case malformed
  }

  private struct FileValue {
    let sql: String
    let type: String
    let name: (UnsafeRawBufferPointer) -> FileName
  }

  func checkExternalData(pathAttributes: Set<PathAttribute>) throws {
    func isPath(_ column: Column) -> Bool {
      pathAttributes.contains(PathAttribute(entity: column.entity, attribute: column.property))
    }
    // If the folder is a symbolic link, its files do not belong to the store.
    let folder = store.isExternalDataLinked ? "" : store.externalDataFolder
    try checkFiles(in: folder) { column in
      guard case .attribute(let attribute) = column.content, !isPath(column),
        attribute.allowsExternalStorage
      else { return nil }
      let value = column.name.quotedColumn
      // Values above 4 MiB cannot be references, so they are not read in full.
      return FileValue(
        sql: "iif(length(\(value)) > 4194304 OR substr(\(value), 1, 1) = x'01', x'01', \(value))",
        type: "blob",
        name: Self.externalName
      )
    }
    guard !pathAttributes.isEmpty else { return }
    try checkFiles(in: store.filesFolder) { column in
      isPath(column)
        ? FileValue(sql: column.name.quotedColumn, type: "text", name: Self.pathName) : nil
    }
  }

  private static func externalName(_ bytes: UnsafeRawBufferPointer) -> FileName {
    switch BlobContent.reference(bytes) {
    case .inline: .none
    case .malformed: .malformed
    case .file(let name): .file(name)
    }
  }

  private static func pathName(_ bytes: UnsafeRawBufferPointer) -> FileName {
    let path = String(decoding: bytes, as: UTF8.self)
    return BlobContent.isBelow(path) ? .file(path) : .malformed
  }

  private func checkFiles(in folder: String, pick: (Column) -> FileValue?) throws {
    var owners: Set<String> = []
    for table in layout.tables where has(table.name) {
      for column in table.columns where has(column.name, in: table.name) {
        guard let value = pick(column) else { continue }
        let row = try connection.prepare(
          "SELECT t.Z_PK, \(value.sql) FROM \(table.name.quotedName) AS t NOT INDEXED "
            + "WHERE typeof(\(column.name.quotedColumn)) = '\(value.type)' ORDER BY t.Z_PK"
        )
        var counts: [AuditRule: (count: Int64, firstKey: Int64)] = [:]
        while try row.step() {
          let rule = row.withBytes(at: 1) { Self.fault(value.name($0), in: folder, &owners) }
          if let rule { counts[rule, default: (0, row.integer(at: 0))].count += 1 }
        }
        for rule in AuditRule.allCases {
          guard let (count, key) = counts[rule] else { continue }
          add(rule, "\(table.name).\(column.name)", count: count, example: "Z_PK \(key)")
        }
      }
    }
    guard !folder.isEmpty else { return }
    let names = FileManager.default.subpaths(atPath: folder) ?? []
    let orphans = names.filter {
      !owners.contains($0) && StoreFile.size(of: folder + "/" + $0) != nil
    }
    let place = URL(fileURLWithPath: folder).lastPathComponent
    add(.orphanedExternalFile, place, cases: orphans.sorted())
  }

  private static func fault(
    _ name: FileName,
    in folder: String,
    _ owners: inout Set<String>
  ) -> AuditRule? {
    switch name {
    case .none: return nil
    case .malformed: return .malformedExternalData
    case .file(let name):
      guard owners.insert(name).inserted else { return .sharedExternalFile }
      guard !folder.isEmpty, let size = StoreFile.size(of: folder + "/" + name) else {
        return .missingExternalFile
      }
      return size == 0 ? .emptyExternalFile : nil
    }
  }
}

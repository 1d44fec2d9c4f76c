import DataModel
import PersistentStore
import SQLite

/// One column of a table while its rows stream by.
final class ColumnPlan {
  /// How the column is read.
  enum Reading {
    /// As it lies there.
    case value
    /// Its size, and the bytes of small ones.
    case blob(isExternal: Bool)
  }

  /// Blobs up to this size are read and compared.
  static let smallBlob = 64

  let column: Column
  let reading: Reading
  /// The entities that have the property, by their place in the table.
  let owners: [Bool]
  /// Where its first value stands in a row.
  var position = 0
  var statistics = ColumnStatistics()
  var over100KB = 0
  var over1MB = 0
  var external: ExternalFiles?
  var key: KeyCounter?

  init(_ column: Column, owners: [Bool], folder: ExternalFolder) {
    self.column = column
    self.owners = owners
    guard case .attribute(let attribute) = column.content else {
      reading = .value
      return
    }
    switch attribute.type {
    case .binary, .transformable, .composite, .objectID:
      reading = .blob(isExternal: attribute.allowsExternalStorage)
    default: reading = .value
    }
    if attribute.allowsExternalStorage { external = ExternalFiles(folder) }
  }

  /// What a SELECT asks for.
  var expressions: [String] {
    let name = column.name.quotedColumn
    switch reading {
    case .value: return [name]
    case .blob:
      return ["length(\(name))", "CASE WHEN length(\(name)) <= \(Self.smallBlob) THEN \(name) END"]
    }
  }

  /// Takes the value of the current row.
  func add(_ row: Statement) {
    switch reading {
    case .value: addValue(row, at: position)
    case .blob(let isExternal): addBlob(row, isExternal: isExternal)
    }
  }

  private func addValue(_ row: Statement, at position: Int) {
    switch row.storageClass(at: position) {
    case .null: statistics.addNull()
    case .integer: statistics.add(row.integer(at: position))
    case .real: statistics.add(row.real(at: position))
    case .text: row.withBytes(at: position) { statistics.add(text: $0) }
    case .blob: row.withBytes(at: position) { statistics.add(blob: $0) }
    }
  }

  private func addBlob(_ row: Statement, isExternal: Bool) {
    guard !row.isNull(at: position) else { return statistics.addNull() }
    if isExternal, row.integer(at: position) == BlobContent.referenceSize {
      let isFile = row.withBytes(at: position + 1) { external?.add($0) ?? false }
      // The value is the file's; here is only its name.
      if isFile { return statistics.addBlobElsewhere() }
    }
    if row.isNull(at: position + 1) {
      let size = row.integer(at: position)
      statistics.addBlob(bytes: size)
      if size > 100 << 10 { over100KB += 1 }
      if size > 1 << 20 { over1MB += 1 }
    } else {
      addValue(row, at: position + 1)
    }
  }
}

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
    /// Only held against the rules: keys and places of relationships.
    case key
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
  private let rule: ValueRule
  private(set) var broken = RuleCounter()

  init(_ column: Column, owners: [Bool], folder: ExternalFolder) {
    self.column = column
    self.owners = owners
    rule = ValueRule(column.content)
    guard case .attribute(let attribute) = column.content else {
      reading = .key
      return
    }
    switch attribute.type {
    case .binary, .transformable, .composite, .objectID:
      reading = .blob(isExternal: attribute.allowsExternalStorage)
    default: reading = .value
    }
    if attribute.allowsExternalStorage { external = ExternalFiles(folder) }
  }

  /// What a SELECT asks for: of a blob its size, then the bytes of a small one, or 0 for a large text.
  var expressions: [String] {
    let name = column.name.quotedColumn
    switch reading {
    case .value, .key: return [name]
    case .blob:
      return [
        "length(\(name))",
        "CASE WHEN length(\(name)) <= \(Self.smallBlob) THEN \(name) "
          + "WHEN typeof(\(name)) = 'text' THEN 0 END",
      ]
    }
  }

  /// Where the value itself stands, of blobs the small ones.
  var valuePosition: Int { position + expressions.count - 1 }

  /// Takes the value of the current row, an object of an entity that has the property.
  func add(_ row: Statement, key: Int64) {
    if case .blob(let isExternal) = reading {
      if row.isNull(at: position) || !row.isNull(at: position + 1) {
        check(row, at: position + 1, key)
      }
      return addBlob(row, isExternal: isExternal)
    }
    check(row, at: position, key)
    if case .value = reading { addValue(row, at: position) }
  }

  /// Takes the value of the current row, an object of an entity that has not the property.
  func addForeign(_ row: Statement, key: Int64) {
    if !row.isNull(at: position) { broken.add(.valueOfOtherEntity, key) }
  }

  private func check(_ row: Statement, at position: Int, _ key: Int64) {
    if let rule = rule.broken(row, at: position) { broken.add(rule, key) }
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
    let size = row.integer(at: position)
    if row.isNull(at: position + 1) || size > Self.smallBlob {
      statistics.addBlob(bytes: size)
      if size > 100 << 10 { over100KB += 1 }
      if size > 1 << 20 { over1MB += 1 }
    } else {
      addValue(row, at: position + 1)
    }
  }
}

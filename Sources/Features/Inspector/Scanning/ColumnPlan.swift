import DataModel
import PersistentStore
import SQLite

final class ColumnPlan {
  enum Reading {
    case value
    /// Reads the size of a blob and, if it is small, its bytes.
    case blob(isExternal: Bool)
    /// Reads the key or position of a relationship, only to check it against the rules.
    case key
  }

  /// The maximum size in bytes of a blob whose bytes are read and compared.
  static let smallBlob = 64

  let column: Column
  let reading: Reading
  /// Whether each entity of the table has the property, by the entity's index.
  let owners: [Bool]
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
    case .undefined, .binary, .transformable, .composite, .objectID:
      reading = .blob(isExternal: attribute.allowsExternalStorage)
    default: reading = .value
    }
    if attribute.allowsExternalStorage { external = ExternalFiles(folder) }
  }

  /// The expressions in the SELECT statement.
  ///
  /// A blob has two expressions: its size, and its bytes if it is small. If a large value is a
  /// string, the second expression is 0.
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

  /// The index of the value in a result row; for a blob, the index of its bytes.
  var valuePosition: Int { position + expressions.count - 1 }

  /// Adds the value of the current row to the statistics; the row's entity has the property.
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

  /// Checks that the current row, whose entity lacks the property, has no value.
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
      // If the value is in a file, the row contains only the file's name.
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

  /// Checks the values of a column one at a time by the rules of ``StoreAudit``.
  struct ValueRule {
    private let classes: Set<Int32>?
    private let range: ClosedRange<Int64>?
    private let isUUID: Bool
    private let isRequired: Bool

    init(_ content: Column.Content) {
      guard case .attribute(let attribute) = content else {
        classes = [Statement.StorageClass.integer.rawValue]
        (range, isUUID, isRequired) = (nil, false, false)
        return
      }
      classes = attribute.type.storageClasses.map { Set($0.map(\.rawValue)) }
      isUUID = attribute.type == .uuid
      // A derived attribute has no value before the first save, so it may be NULL.
      isRequired = !attribute.isOptional && attribute.derivation == nil
      switch attribute.type {
      case .boolean: range = 0...1
      case .integer16: range = -32_768...32_767
      case .integer32: range = -2_147_483_648...2_147_483_647
      default: range = nil
      }
    }

    @inline(__always)
    func broken(_ row: Statement, at position: Int) -> AuditRule? {
      let code = row.typeCode(at: position)
      if code == Statement.StorageClass.null.rawValue { return isRequired ? .missingValue : nil }
      if let classes, !classes.contains(code) { return .wrongStorageClass }
      if let range, code == Statement.StorageClass.integer.rawValue {
        return range.contains(row.integer(at: position)) ? nil : .valueOutOfRange
      }
      if isUUID, code == Statement.StorageClass.blob.rawValue {
        return row.withBytes(at: position) { $0.count } == 16 ? nil : .valueOutOfRange
      }
      return nil
    }
  }
}

struct RuleCounter {
  private(set) var broken: [AuditRule: (count: Int64, key: Int64)] = [:]

  mutating func add(_ rule: AuditRule, _ key: Int64) { broken[rule, default: (0, key)].count += 1 }

  func findings(in place: String) -> [AuditFinding] {
    AuditRule.allCases.compactMap { rule in
      broken[rule].map {
        AuditFinding(rule: rule, place: place, count: $0.count, example: "Z_PK \($0.key)")
      }
    }
  }
}

import DataModel
import PersistentStore
import SQLite

/// What the values of a column must be, by the rules of ``StoreAudit``, held against one at a time.
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
    // A derived attribute has no value before its first save.
    isRequired = !attribute.isOptional && attribute.derivation == nil
    switch attribute.type {
    case .boolean: range = 0...1
    case .integer16: range = -32_768...32_767
    case .integer32: range = -2_147_483_648...2_147_483_647
    default: range = nil
    }
  }

  /// The rule that a value breaks; `nil` for a sound one.
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

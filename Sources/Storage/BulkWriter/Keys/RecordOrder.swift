import Basics

/// SQLite's order of the records of an index
/// (https://www.sqlite.org/datatype3.html#comparison_expressions): by column, the rowid last.
struct RecordOrder: Sendable {
  private let isDescending: [Bool]

  init(_ columns: [KeyColumn]) {
    isDescending = columns.map { $0.mask != 0 }
  }

  var columnCount: Int { isDescending.count }

  func isDescending(_ column: Int) -> Bool { isDescending[column] }

  /// Whether a record comes before another; no two of an index are equal.
  func precedes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    var (a, b) = (RecordCursor(left), RecordCursor(right))
    for isDescending in isDescending {
      let order = Self.compare(a.next(), b.next())
      if order != 0 { return isDescending ? order > 0 : order < 0 }
    }
    return Self.compare(a.next(), b.next()) < 0
  }

  /// Whether two records have the same key, in which nothing is NULL.
  func haveEqualKeys(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    var (a, b) = (RecordCursor(left), RecordCursor(right))
    for _ in isDescending {
      let value = a.next()
      if value.rank == 0 || Self.compare(value, b.next()) != 0 { return false }
    }
    return true
  }

  /// The rowid of a record.
  func rowid(of record: UnsafeRawPointer) -> Int64 {
    var cursor = RecordCursor(record)
    cursor.skip(columnCount)
    guard case .number(let type, let bytes) = cursor.next() else { return 0 }
    return SerialType.integer(type, at: bytes)
  }

  private static func compare(_ left: RecordCursor.Value, _ right: RecordCursor.Value) -> Int {
    switch (left, right) {
    case (.number(let a, let left), .number(let b, let right)):
      let (a, b) = (ExactNumber(type: a, left), ExactNumber(type: b, right))
      return a == b ? 0 : a < b ? -1 : 1
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
      return compare(a, b)
    default:
      return Int(left.rank) - Int(right.rank)
    }
  }

  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Int
  {
    if let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}

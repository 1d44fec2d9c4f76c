import CSQLite

/// A column of a statement's current row, looked up once; gone after the next step.
///
/// Connections are opened without a mutex, where SQLite makes no difference between protected and
/// unprotected values (https://www.sqlite.org/c3ref/value.html): a type and a value cost one
/// look-up where `sqlite3_column_type` and its kin cost two. All of it is public, because a
/// `package` function is not inlined into another module, whatever its attributes say.
public struct Cell {
  @usableFromInline let pointer: OpaquePointer?

  @inlinable @inline(__always)
  init(pointer: OpaquePointer?) {
    self.pointer = pointer
  }

  /// The storage class as SQLite numbers it; read it before the value, which may convert it.
  @inlinable @inline(__always)
  public var typeCode: Int32 { sqlite3_value_type(pointer) }

  /// The value as an integer; 0 for NULL.
  @inlinable @inline(__always)
  public var integer: Int64 { sqlite3_value_int64(pointer) }

  /// The value as a real; 0 for NULL.
  @inlinable @inline(__always)
  public var real: Double { sqlite3_value_double(pointer) }

  /// The value as text; bytes that are no UTF-8 become replacement characters.
  @inlinable @inline(__always)
  public var text: String {
    guard let start = sqlite3_value_text(pointer) else { return "" }
    let count = Int(sqlite3_value_bytes(pointer))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a blob, or of a text in UTF-8.
  @inlinable @inline(__always)
  public var bytes: [UInt8] {
    guard let start = sqlite3_value_blob(pointer) else { return [] }
    let count = Int(sqlite3_value_bytes(pointer))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension Statement {
  /// A column of the current row.
  @inlinable @inline(__always)
  public func cell(at column: Int) -> Cell {
    Cell(pointer: sqlite3_column_value(pointer, Int32(truncatingIfNeeded: column)))
  }
}

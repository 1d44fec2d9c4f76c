/// How entries of an index are kept as words: one for each column, then the rowid.
///
/// The record of an entry is made from its words.
struct KeyWords: Sendable {
  private static let columnLimit = 3

  let columns: [KeyColumn]

  /// `nil` where an index has columns whose usual values are no words.
  init?(_ columns: [KeyColumn]) {
    guard columns.count <= Self.columnLimit, columns.allSatisfy({ $0.kind != .other }) else {
      return nil
    }
    self.columns = columns
  }

  /// The words of an entry.
  var stride: Int { columns.count + 1 }

  /// The largest record of any entry, and the eight bytes that may be written behind it.
  var recordRoom: Int { 2 + columns.count + stride * 8 + 8 }

  /// Writes an entry's record and returns its size.
  @inline(__always)
  func putRecord(
    _ words: UnsafePointer<UInt64>,
    columns: UnsafeBufferPointer<KeyColumn>,
    at target: UnsafeMutableRawPointer
  ) -> Int {
    let header = columns.count + 2
    target.storeBytes(of: UInt8(truncatingIfNeeded: header), as: UInt8.self)
    var body = target + header
    for column in columns.indices {
      let (type, bits) = columns[column].value(of: words[column])
      Self.put(type, bits, at: target + column + 1, &body)
    }
    let rowid = words[columns.count]
    let type = SerialType.integer(Int64(bitPattern: rowid))
    Self.put(type, rowid, at: target + columns.count + 1, &body)
    return body - target
  }

  @inline(__always)
  private static func put(
    _ type: UInt32,
    _ bits: UInt64,
    at header: UnsafeMutableRawPointer,
    _ body: inout UnsafeMutableRawPointer
  ) {
    header.storeBytes(of: UInt8(truncatingIfNeeded: type), as: UInt8.self)
    let size = SerialType.numberSize(type)
    SerialType.put(bits, size: size, at: body)
    body += size
  }
}

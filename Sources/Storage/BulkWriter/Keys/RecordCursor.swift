/// The values of an index's record, one after the other.
struct RecordCursor {
  /// A value as the order sees it.
  enum Value {
    case null
    case number(type: UInt64, UnsafeRawPointer)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  private var type: UnsafeRawPointer
  private var body: UnsafeRawPointer

  /// Begins at the first value of a record.
  init(_ record: UnsafeRawPointer) {
    let header = Varint.get(record)
    type = record + header.length
    body = record + Int(header.value)
  }

  @inline(__always)
  mutating func next() -> Value {
    let (number, length) = Varint.get(type)
    let start = body
    type += length
    let size = SerialType.size(number)
    body += size
    switch number {
    case 0: return .null
    case 1...9: return .number(type: number, start)
    default:
      let bytes = UnsafeRawBufferPointer(start: start, count: size)
      return number & 1 == 1 ? .text(bytes) : .blob(bytes)
    }
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }
}

extension RecordCursor.Value {
  /// The order of the storage classes: NULL, numbers, text, blobs.
  var rank: UInt8 {
    switch self {
    case .null: 0
    case .number: 1
    case .text: 2
    case .blob: 3
    }
  }
}

/// The size of a record's header, which counts itself.
enum RecordHeader {
  @inline(__always)
  static func size(typeBytes: Int) -> Int {
    if typeBytes < 127 { return typeBytes + 1 }
    return typeBytes + 2 < 0x4000 ? typeBytes + 2 : typeBytes + 3
  }

  /// Writes the header of a row's values and returns its size.
  @inline(__always)
  static func put(
    size: Int,
    slots: UnsafePointer<ColumnSlot>,
    count: Int,
    at target: UnsafeMutableRawPointer
  ) {
    var next = target + Varint.put(UInt64(size), at: target)
    for column in 0..<count {
      next += Varint.put(UInt64(slots[column].type), at: next)
    }
  }
}

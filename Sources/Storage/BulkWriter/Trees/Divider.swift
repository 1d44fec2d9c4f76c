/// What stands between two children of an interior page.
struct Divider {
  /// The cell without the child's number: a rowid, or the part of a key that stays on the page.
  let cell: [UInt8]
  /// The first page of the key's rest: counted in its chunk, or after `placed` in the file.
  let overflow: Int?

  init(cell: [UInt8], overflow: Int?) {
    self.cell = cell
    self.overflow = overflow
  }

  /// The largest rowid of the child before it.
  init(rowid: Int64) {
    let id = UInt64(bitPattern: rowid)
    cell = [UInt8](unsafeUninitializedCapacity: 9) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      count = Varint.put(id, at: UnsafeMutableRawPointer(start))
    }
    overflow = nil
  }

  func placed(at placement: Placement) -> Divider {
    Divider(cell: cell, overflow: overflow.map(placement.page))
  }

  /// The bytes of its cell on an interior page.
  var size: Int { 4 + cell.count + (overflow == nil ? 0 : 4) }
}

/// Bytes appended one after the other, kept for reuse.
struct ByteArena {
  private(set) var memory: UnsafeMutableRawPointer
  private(set) var capacity: Int
  var count = 0

  init(capacity: Int = 4_096) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Where the next bytes go, with room for so many.
  @inline(__always)
  @discardableResult
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
    if count + bytes > capacity { grow(to: max(capacity * 2, count + bytes)) }
    return memory + count
  }

  private mutating func grow(to larger: Int) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    copy.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    (memory, capacity) = (copy, larger)
  }

  func deallocate() {
    memory.deallocate()
  }
}

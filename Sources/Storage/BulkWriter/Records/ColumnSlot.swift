/// What is known of one value of the row that is being made.
@usableFromInline
struct ColumnSlot {
  @usableFromInline var type: UInt32
  /// Where its bytes begin in the row's body.
  @usableFromInline var offset: UInt32
  /// The integer or the bits of the double, for the keys of indexes.
  @usableFromInline var bits: UInt64

  @inlinable
  init(type: UInt32, offset: UInt32, bits: UInt64) {
    self.type = type
    self.offset = offset
    self.bits = bits
  }
}

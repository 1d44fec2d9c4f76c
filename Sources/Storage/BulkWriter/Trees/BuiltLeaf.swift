/// A finished leaf of a chunk.
struct BuiltLeaf {
  /// Its place among the chunk's pages.
  let ordinal: Int
  /// What divides it from the leaf before it; `nil` for the first leaf of a table's chunk.
  let divider: Divider?
}

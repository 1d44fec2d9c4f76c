/// The rows of an entity and its sub-entities in their table: one after the other from an offset.
///
/// Row n of a table has the primary key n + 1. The entities of a table follow each other in the
/// order of their numbers, so a family is one span.
struct Span: Hashable, Sendable {
  let offset: Int
  let count: Int

  /// The place in the span of a row of the table.
  @inline(__always)
  func index(of tableRow: Int) -> Int? {
    let index = tableRow - offset
    return index >= 0 && index < count ? index : nil
  }
}

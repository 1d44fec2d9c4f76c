import DataModel

/// An error that tests inject into the code that writes stores, to show that verification detects
/// the error.
///
/// ``current`` is read when layouts and descriptions are created, never during timed work.
enum WriterFault {
  /// Two columns of the same type swap their attributes when objects are written and when they are
  /// read.
  case layout
  /// Insertions write two attributes of the same type into each other's columns.
  case saving

  @TaskLocal static var current: WriterFault?

  /// The positions of the first two attributes of the same type, if any.
  ///
  /// The two attributes are both required or both optional, so that swapping them leaves no
  /// required value missing.
  func exchanged(in columns: [Column]) -> (Int, Int)? {
    let attributes = columns.indices.filter {
      if case .attribute = columns[$0].content { true } else { false }
    }
    for (place, first) in attributes.enumerated() {
      if let second = attributes[(place + 1)...].first(where: {
        columns[$0].type == columns[first].type && columns[$0].content != columns[first].content
          && Self.isOptional(columns[$0]) == Self.isOptional(columns[first])
      }) {
        return (first, second)
      }
    }
    return nil
  }

  private static func isOptional(_ column: Column) -> Bool {
    if case .attribute(let attribute) = column.content { attribute.isOptional } else { true }
  }
}

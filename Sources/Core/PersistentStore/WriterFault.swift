import DataModel

/// An error that tests put into the code that writes stores, to show that verification finds it.
///
/// Nothing else sets one. It is asked for where layouts and descriptions are made, never in what is
/// timed.
enum WriterFault {
  /// Two columns of one type hold each other's attributes, for whoever writes or reads.
  case layout
  /// Two attributes of one type are saved in each other's columns when objects are inserted.
  case saving

  @TaskLocal static var current: WriterFault?

  /// The places of the first two attributes of one type, both required or both optional, so that a
  /// missing value is missed by no rule of the model; `nil` where there are none.
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

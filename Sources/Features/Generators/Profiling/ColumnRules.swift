import DataModel

/// Dates that another date of the same object never precedes.
package struct DateFollow: Hashable, Sendable {
  package var attributes: [String]
  /// Objects by the seconds that lie between the latest of them and the date.
  package var gaps: [Bin]
}

/// When an attribute has a value: where another one has one of these values, or any where none is
/// named.
package struct Presence: Hashable, Sendable {
  package var attribute: String
  package var values: [Value]
}

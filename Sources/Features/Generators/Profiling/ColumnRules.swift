import DataModel

/// A rule for a date that never precedes other dates of the same object.
package struct DateFollow: Hashable, Sendable {
  package var attributes: [String]
  /// The distribution of the number of seconds from the latest of the other dates to this date.
  package var gaps: [Bin]
}

/// The condition for an attribute to have a value: another attribute has one of these values, or
/// any value if `values` is empty.
package struct Presence: Hashable, Sendable {
  package var attribute: String
  package var values: [Value]
}

import DataModel

/// A rule for a date that never precedes other dates of the same object.
package struct DateFollow: Hashable, Sendable {
  package var attributes: [String]
  /// The distribution of the delay after the latest of the other dates, in seconds.
  package var gaps: [Bin]
}

/// The condition under which an attribute has a value.
///
/// Another attribute must have one of the listed values, or any value if the list is empty.
package struct Presence: Hashable, Sendable {
  package var attribute: String
  package var values: [Value]
}

/// What deleting an object does along a relationship, numbered as `NSDeleteRule` numbers them.
package enum DeleteRule: Int, CaseIterable, Hashable, Sendable {
  case noAction = 0
  case nullify = 1
  case cascade = 2
  case deny = 3

  /// The spelling in model files.
  package var name: String { String(describing: self) }
}

/// A size beyond which a cost may grow otherwise than below it.
package struct Bend: Hashable, Sendable {
  /// What happens there, as a clause: `the store outgrows the page cache`.
  package let name: String
  /// Objects.
  package let size: Double

  package init(name: String, size: Double) {
    self.name = name
    self.size = size
  }
}

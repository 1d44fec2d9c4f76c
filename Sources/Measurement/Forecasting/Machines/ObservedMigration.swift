/// A migration that an app reported from a device.
package struct ObservedMigration: Hashable, Sendable {
  /// Objects of all entities together.
  package let objects: Double
  package let seconds: Double
  /// Empty where the report names none.
  package let device: String

  package init(objects: Double, seconds: Double, device: String = "") {
    self.objects = objects
    self.seconds = seconds
    self.device = device
  }
}

/// What a migration takes of a device.
package enum Resource: String, CaseIterable, Codable, Hashable, Sendable {
  case time
  case memory
  case disk
}

/// What a device has to give.
package struct ResourceBudget: Hashable, Sendable {
  package let resource: Resource
  /// Seconds or bytes.
  package let limit: Double
  /// What runs out, such as `white screen`; empty for a budget that was asked for.
  package let name: String

  package init(_ resource: Resource, limit: Double, name: String = "") {
    self.resource = resource
    self.limit = limit
    self.name = name
  }

  /// What users see: a screen that stays white for 3 s, and a launch ended after 20 s.
  package static let launch = [
    ResourceBudget(.time, limit: 3, name: "white screen"),
    ResourceBudget(.time, limit: 20, name: "watchdog"),
  ]
}

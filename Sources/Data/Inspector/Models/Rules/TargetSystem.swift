/// The oldest system that a SwiftData app is to run on.
package enum TargetSystem: String, CaseIterable, Comparable, Encodable, Sendable {
  case ios17
  case ios18
  case ios26

  /// As Apple writes it.
  package var name: String {
    switch self {
    case .ios17: "iOS 17"
    case .ios18: "iOS 18"
    case .ios26: "iOS 26"
    }
  }

  package static func < (first: TargetSystem, second: TargetSystem) -> Bool {
    first.rawValue < second.rawValue
  }
}

import DataModel
import PersistentStore

/// Fills or leaves out objects that lack a value that the new model requires.
///
/// Only the keys of objects left out are kept.
final class MissingValuePolicy {
  /// The date that stands in for a missing one: a fixed one, where an app takes the present.
  static let date = 796_726_800.0

  private let rule: MigrationParameters.MissingValues
  private var skipped: [String: Set<Int64>] = [:]
  private(set) var substitutions = 0

  /// The number of objects left out.
  var skips: Int { skipped.values.reduce(0) { $0 + $1.count } }

  init(_ rule: MigrationParameters.MissingValues) {
    self.rule = rule
  }

  /// The object as it is to be inserted; `nil` where it is left out.
  func callAsFunction(_ carried: CarriedObject) -> CarriedObject? {
    guard rule != .fail else { return carried }
    let missing = carried.values.indices.filter { index in
      carried.values[index] == .null && !carried.copy.attributes[index].destination.isOptional
    }
    guard !missing.isEmpty else { return carried }
    if rule == .skip {
      skipped[carried.copy.source, default: []].insert(carried.key)
      return nil
    }
    substitutions += missing.count
    var values = carried.values
    for index in missing {
      let attribute = carried.copy.attributes[index].destination
      values[index] =
        attribute.defaultValue == .null
        ? Self.standIn(of: attribute.type, key: carried.key) : attribute.defaultValue
    }
    return CarriedObject(copy: carried.copy, key: carried.key, values: values)
  }

  /// Whether an object was left out.
  func isSkipped(_ links: CarriedLinks) -> Bool {
    skipped[links.copy.source]?.contains(links.key) ?? false
  }

  /// What guides write after `??`: nothing, zero, now, a new UUID; here one that the key decides.
  static func standIn(of type: AttributeType, key: Int64) -> Value {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .decimal: .integer(0)
    case .double, .float: .real(0)
    case .date: .real(date)
    case .string, .uri: .text("")
    case .uuid:
      .blob(
        Array(repeating: 0, count: 8)
          + (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * $0)) }
      )
    case .binary, .transformable: .blob([])
    case .objectID, .composite: .null
    }
  }
}

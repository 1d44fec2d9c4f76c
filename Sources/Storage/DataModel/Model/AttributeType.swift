/// The type of an attribute, numbered as `NSAttributeType` numbers them.
package enum AttributeType: Int, CaseIterable, Hashable, Sendable {
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100

  /// The spelling in model files, such as `string` or `integer64`.
  package var name: String { String(describing: self) }

  /// The type spelled so in a model file, or `nil` for an unknown spelling.
  package init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }
}

import DataModel

/// The names of generators in recipes and the types of attributes that each can fill.
enum GeneratorNames {
  private static let integers: [AttributeType] = [.integer16, .integer32, .integer64]
  private static let numbers = integers + [.decimal, .double, .float]
  private static let plain = numbers + [.boolean, .string, .uri, .date]

  /// In the order in which messages list them.
  static let types: [(name: String, types: [AttributeType])] = [
    ("title", [.string]),
    ("notes", [.string]),
    ("name", [.string]),
    ("label", [.string]),
    ("code", [.string]),
    ("product", [.string]),
    ("filename", [.string]),
    ("city", [.string]),
    ("place", [.string]),
    ("address", [.string]),
    ("email", [.string]),
    ("url", [.uri, .string]),
    ("colour", [.string, .integer32, .integer64]),
    ("uuid", [.uuid, .string]),
    ("date", [.date]),
    ("chance", [.boolean]),
    ("weighted", numbers + [.string, .uri, .boolean]),
    ("byHour", numbers + [.string, .uri, .boolean]),
    ("uniform", numbers),
    ("normal", numbers),
    ("logNormal", numbers),
    ("exponential", numbers),
    ("poisson", numbers),
    ("zipfian", numbers),
    ("sequence", numbers),
    ("blob", [.binary, .transformable]),
    ("file", [.string, .uri]),
    ("fileSize", integers),
    ("constant", plain),
  ]

  static var all: [String] { types.map(\.name) }

  /// The generators that can fill attributes of a type.
  static func names(for type: AttributeType) -> [String] {
    types.filter { $0.types.contains(type) }.map(\.name)
  }

  /// Whether a generator can fill attributes of a type.
  static func fits(_ name: String, _ type: AttributeType) -> Bool {
    types.contains { $0.name == name && $0.types.contains(type) }
  }
}

extension AttributeType {
  /// The whole numbers that an attribute of the type can hold; `nil` for other types.
  var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }
}

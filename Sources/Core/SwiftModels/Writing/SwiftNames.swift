import DataModel

/// Qualifies or quotes the names that generated code uses in one scope.
struct SwiftNames {
  /// The names of classes, value types and properties that shadow framework types.
  private let taken: Set<String>

  init(types: some Sequence<String>, properties: some Sequence<String> = []) {
    taken = Set(types).union(properties)
  }

  func inside(properties: some Sequence<String>) -> SwiftNames {
    SwiftNames(types: taken, properties: properties)
  }

  func swift(_ name: String) -> String { qualified(name, "Swift") }
  func foundation(_ name: String) -> String { qualified(name, "Foundation") }
  func swiftData(_ name: String) -> String { qualified(name, "SwiftData") }
  func coreData(_ name: String) -> String { qualified(name, "CoreData") }

  private func qualified(_ name: String, _ module: String) -> String {
    taken.contains(name) ? "\(module).\(name)" : name
  }

  func type(of attribute: Attribute) -> String {
    switch attribute.type {
    case .integer16: swift("Int16")
    case .integer32: swift("Int32")
    case .integer64: swift("Int")
    case .boolean: swift("Bool")
    case .double: swift("Double")
    case .float: swift("Float")
    case .string: swift("String")
    case .decimal: foundation("Decimal")
    case .date: foundation("Date")
    case .binary: foundation("Data")
    case .uuid: foundation("UUID")
    case .uri: foundation("URL")
    case .transformable: foundation(Self.transformable(attribute) ?? "NSObject")
    case .composite: Self.composite(of: attribute)
    case .objectID: swiftData("PersistentIdentifier")
    case .undefined: "Any"
    }
  }

  /// The class of a transformable attribute's values if it belongs to Foundation, otherwise `nil`.
  static func transformable(_ attribute: Attribute) -> String? {
    attribute.valueClassName.flatMap { foundationClasses.contains($0) ? $0 : nil }
  }

  private static let foundationClasses: Set = [
    "NSArray", "NSAttributedString", "NSData", "NSDate", "NSDictionary", "NSMutableArray",
    "NSMutableDictionary", "NSMutableSet", "NSNumber", "NSObject", "NSSet", "NSString", "NSURL",
    "NSUUID",
  ]

  static func composite(of attribute: Attribute) -> String {
    attribute.name.prefix(1).uppercased() + attribute.name.dropFirst() + "Value"
  }

  /// A name in a declaration, with backticks if it is a keyword.
  static func quoted(_ name: String) -> String {
    let name = identifier(name)
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// A name after a dot, where only a few words need backticks.
  static func member(_ name: String) -> String {
    let name = identifier(name)
    return ["init", "self", "Self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
  }

  static func identifier(_ name: String) -> String {
    let scalars = name.unicodeScalars.map { scalar -> Character in
      let isPart =
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      return isPart ? Character(scalar) : "_"
    }
    let text = String(scalars)
    return text.first?.isNumber == false ? text : "_" + text
  }

  private static let keywords: Set = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// The members of every model class (`PersistentModel`, `Hashable`), whose names properties
  /// cannot have.
  private static let members: Set = [
    "backingData", "description", "debugDescription", "hasChanges", "hash", "hashValue",
    "isDeleted",
    "modelContext", "persistentBackingData", "persistentModelID", "schemaMetadata", "self",
  ]

  /// The name of a property in a model class; it differs from the model's name if the class already
  /// has such a member.
  static func property(_ name: String) -> String {
    members.contains(name) ? name + "Value" : identifier(name)
  }
}

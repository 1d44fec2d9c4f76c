#if SwiftSource
  import SwiftModels

  /// A type, or an extension of one, with what its own braces hold; types nested in it stand apart.
  struct Declaration: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case classType
      case structType
      case enumType
      case protocolType
      case extensionOfType
    }

    var kind: Kind
    /// The type's name, after the names of all that it is nested in.
    var path: [String]
    var attributes: [AttributeUse] = []
    var inherited: [SourceType] = []
    var isGeneric = false
    var properties: [Property] = []
    var cases: [EnumCase] = []
    /// `#Unique` and `#Index`.
    var macros: [MacroUse] = []
    /// Whether it writes its own `encode(to:)` or `init(from:)`.
    var hasOwnCoding = false
    var place: SourcePlace

    var name: String { path.last ?? "" }
    var isModel: Bool {
      kind == .classType && attributes.contains { $0.name == "Model" }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// Adds what an extension of the same type has.
    mutating func extend(by other: Declaration) {
      inherited += other.inherited
      properties += other.properties
      hasOwnCoding = hasOwnCoding || other.hasOwnCoding
    }
  }

  /// `@Attribute(.unique, originalName: "x")`.
  struct AttributeUse: Hashable, Sendable {
    var name: String
    var arguments: [SourceExpression.Argument] = []

    func argument(_ label: String) -> SourceExpression? {
      arguments.first { $0.label == label }?.value
    }
  }

  /// `#Index<Trip>([\.name])`.
  struct MacroUse: Hashable, Sendable {
    var name: String
    var arguments: [SourceExpression.Argument]
    var place: SourcePlace
  }

  struct EnumCase: Hashable, Sendable {
    var name: String
    var rawValue: SourceExpression?
    var hasAssociatedValues: Bool
  }

  /// A property, or a static function without parameters that is read like one.
  struct Property: Hashable, Sendable {
    var name: String
    var type: SourceType?
    /// The initial value, or of a computed property what it returns.
    var value: SourceExpression?
    var isStatic = false
    var isConstant = false
    var isLazy = false
    var isComputed = false
    var attributes: [AttributeUse] = []
    var place: SourcePlace

    func attribute(_ name: String) -> AttributeUse? { attributes.first { $0.name == name } }
  }

  /// `typealias Trip = SchemaV2.Trip`.
  struct Alias: Hashable, Sendable {
    var path: [String]
    var target: SourceType
    var place: SourcePlace
  }

  /// What one file declares.
  struct SourceFileContent: Sendable {
    var declarations: [Declaration] = []
    var aliases: [Alias] = []
    /// Calls that make schemas, configurations and containers, with the types around them.
    var calls: [Call] = []
    /// Constants and variables outside of types and inside functions, by name, that hold a schema or
    /// a list of models.
    var values: [String: SourceExpression] = [:]
    var notes: [SourceNote] = []

    struct Call: Hashable, Sendable {
      var name: String
      var arguments: [SourceExpression.Argument]
      var context: [String]
      var place: SourcePlace
    }
  }
#endif

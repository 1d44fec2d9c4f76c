#if SwiftSource
  import SwiftModels

  /// A type or an extension with the members in its own braces; nested types are separate
  /// declarations.
  struct Declaration: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case classType
      case structType
      case enumType
      case protocolType
      case extensionOfType
    }

    var kind: Kind
    var path: [String]
    var attributes: [AttributeUse] = []
    var inherited: [SourceType] = []
    var isGeneric = false
    var properties: [Property] = []
    var cases: [EnumCase] = []
    var macros: [MacroUse] = []
    /// Whether the type implements `encode(to:)` or `init(from:)` itself.
    var hasOwnCoding = false
    var place: SourcePlace

    var name: String { path.last ?? "" }
    var isModel: Bool {
      kind == .classType && attributes.contains { $0.name == "Model" }
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    mutating func extend(by other: Declaration) {
      inherited += other.inherited
      properties += other.properties
      hasOwnCoding = hasOwnCoding || other.hasOwnCoding
    }
  }

  /// An attribute with its arguments, such as `@Attribute(.unique, originalName: "x")`.
  struct AttributeUse: Hashable, Sendable {
    var name: String
    var arguments: [SourceExpression.Argument] = []

    func argument(_ label: String) -> SourceExpression? {
      arguments.first { $0.label == label }?.value
    }
  }

  /// A macro with its arguments, such as `#Index<Trip>([\.name])`.
  struct MacroUse: Hashable, Sendable {
    var name: String
    var arguments: [SourceExpression.Argument]
    var place: SourcePlace
  }

  struct EnumCase: Hashable, Sendable {
    var name: String
    var rawValue: SourceExpression?
  }

  /// A property, or a static function without parameters, which is treated as a property.
  struct Property: Hashable, Sendable {
    var name: String
    var type: SourceType?
    var value: SourceExpression?
    var isStatic = false
    var isConstant = false
    var isLazy = false
    var isComputed = false
    var attributes: [AttributeUse] = []
    var place: SourcePlace

    func attribute(_ name: String) -> AttributeUse? { attributes.first { $0.name == name } }
  }

  /// A type alias, such as `typealias Trip = SchemaV2.Trip`.
  struct Alias: Hashable, Sendable {
    var path: [String]
    var target: SourceType
    var place: SourcePlace
  }

  struct SourceFileContent: Sendable {
    var declarations: [Declaration] = []
    var aliases: [Alias] = []
    var calls: [Call] = []
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

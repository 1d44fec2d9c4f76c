#if SwiftSource
  indirect enum SourceType: Hashable, Sendable {
    /// A name with its enclosing types, such as `SchemaV1.Trip`, and the generic arguments of its
    /// last part.
    case named([String], arguments: [SourceType])
    case optional(SourceType)
    case array(SourceType)
    case dictionary(SourceType, SourceType)
    /// A type that cannot be an attribute, such as a function, a tuple or a protocol.
    case other(String)

    static func named(_ parts: String...) -> SourceType { .named(parts, arguments: []) }

    var text: String {
      switch self {
      case .named(let parts, let arguments):
        let list = arguments.map(\.text).joined(separator: ", ")
        return parts.joined(separator: ".") + (arguments.isEmpty ? "" : "<\(list)>")
      case .optional(let wrapped): return wrapped.text + "?"
      case .array(let element): return "[\(element.text)]"
      case .dictionary(let key, let value): return "[\(key.text): \(value.text)]"
      case .other(let text): return text
      }
    }
  }

  /// An expression as written in the source, as far as models depend on it.
  struct SourceExpression: Hashable, Sendable {
    indirect enum Kind: Hashable, Sendable {
      case integer(Int64)
      case real(Double)
      case text(String)
      case boolean(Bool)
      case null
      case list([SourceExpression])
      case dictionary
      /// A name such as `SchemaV1.Trip`; a leading dot makes the first part empty.
      case names([String])
      case call(SourceExpression, [Argument])
      /// A member of an expression that is not a name, such as `UUID().uuidString`.
      case member(SourceExpression, String)
      case type(SourceType)
      case keyPath(root: SourceType?, [String])
      /// Operands and the operators between them; `a ? b : c` has three operands.
      case operation([SourceExpression], [String])
      case cast(SourceExpression, SourceType)
      case other
    }

    struct Argument: Hashable, Sendable {
      var label: String?
      var value: SourceExpression
    }

    var kind: Kind
    var text: String
    var line: Int

    /// The parts of a type's name if the expression is a metatype such as `Trip.self`.
    var metatype: [String]? {
      guard case .names(let parts) = kind, parts.last == "self", parts.count > 1 else { return nil }
      return Array(parts.dropLast())
    }

    var namedCall: (name: [String], arguments: [Argument])? {
      guard case .call(let callee, let arguments) = kind else { return nil }
      switch callee.kind {
      case .names(let parts): return (parts, arguments)
      case .type(.named(let parts, _)): return (parts, arguments)
      case .member(_, let name): return ([name], arguments)
      default: return nil
      }
    }

    /// Whether the expression is an empty list such as `[Stage]()`.
    var isEmptyList: Bool {
      guard case .call(let callee, let arguments) = kind, arguments.isEmpty else { return false }
      switch callee.kind {
      case .list, .type(.array): return true
      default: return false
      }
    }

    /// The operands whose elements together form a list, as in `a + b`.
    ///
    /// The operand `b` of `a ? b : c` is left out, because it is an alternative to `c`.
    static func sum(_ operands: [SourceExpression], _ operators: [String]) -> [SourceExpression] {
      operands.enumerated().filter { index, _ in
        index == 0 || index > operators.count || operators[index - 1] != "?"
      }.map(\.element)
    }

    var textValue: String? {
      if case .text(let text) = kind { text } else { nil }
    }
  }
#endif

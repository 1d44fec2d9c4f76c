#if SwiftSource
  /// A type as the source spells it.
  indirect enum SourceType: Hashable, Sendable {
    /// A name with all that it is nested in, such as `SchemaV1.Trip`, and the arguments of its last
    /// part.
    case named([String], arguments: [SourceType])
    case optional(SourceType)
    case array(SourceType)
    case dictionary(SourceType, SourceType)
    /// What cannot be an attribute: functions, tuples, protocols.
    case other(String)

    static func named(_ parts: String...) -> SourceType { .named(parts, arguments: []) }

    /// The text, without blanks that the source may have.
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

  /// An expression as the source spells it, as far as a model depends on it.
  struct SourceExpression: Hashable, Sendable {
    indirect enum Kind: Hashable, Sendable {
      case integer(Int64)
      case real(Double)
      case text(String)
      case boolean(Bool)
      case null
      case list([SourceExpression])
      case dictionary
      /// `SchemaV1.Trip`; a leading dot is an empty first part.
      case names([String])
      case call(SourceExpression, [Argument])
      /// A member of what is no plain name, such as `UUID().uuidString`.
      case member(SourceExpression, String)
      case type(SourceType)
      case keyPath(root: SourceType?, [String])
      /// Operands with the operators between them; of `a ? b : c` all three.
      case operation([SourceExpression], [String])
      case cast(SourceExpression, SourceType)
      case other
    }

    struct Argument: Hashable, Sendable {
      var label: String?
      var value: SourceExpression
    }

    var kind: Kind
    /// The text, cut where it is long.
    var text: String
    /// Counted from 1.
    var line: Int

    /// The parts of `Trip` in `Trip.self`.
    var metatype: [String]? {
      guard case .names(let parts) = kind, parts.last == "self", parts.count > 1 else { return nil }
      return Array(parts.dropLast())
    }

    /// The name and the arguments of a call of something that has a plain name.
    var namedCall: (name: [String], arguments: [Argument])? {
      guard case .call(let callee, let arguments) = kind else { return nil }
      switch callee.kind {
      case .names(let parts): return (parts, arguments)
      case .type(.named(let parts, _)): return (parts, arguments)
      case .member(_, let name): return ([name], arguments)
      default: return nil
      }
    }

    /// Whether it is `[Stage]()`.
    var isEmptyList: Bool {
      guard case .call(let callee, let arguments) = kind, arguments.isEmpty else { return false }
      switch callee.kind {
      case .list, .type(.array): return true
      default: return false
      }
    }

    /// The operands that make up a list together: the value of `a ? b : c` behind its first mark is
    /// an alternative to the last.
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

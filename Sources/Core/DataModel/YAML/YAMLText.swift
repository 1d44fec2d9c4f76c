import Basics
import Foundation

/// Formats values as YAML that reads back as the same values.
package enum YAMLText {
  /// The string, in quotes unless it is safe without, as most names are.
  package static func word(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z", "_", ".": true
      default: !scalar.isASCII && scalar.properties.isAlphabetic
      }
    }
    guard isPlain, case .text = YAMLScalar(plain: text) else { return quoted(text) }
    return text
  }

  /// The string in double quotes, with invisible characters escaped.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.isVisible: result.unicodeScalars.append(scalar)
      default: result += escape(scalar.value)
      }
    }
    return result + "\""
  }

  private static func escape(_ scalar: UInt32) -> String {
    let (letter, width) = scalar < 0x100 ? ("x", 2) : scalar < 0x10000 ? ("u", 4) : ("U", 8)
    return "\\\(letter)" + scalar.digits(width, radix: 16)
  }

  package static func list(_ items: [String]) -> String {
    "[" + items.joined(separator: ", ") + "]"
  }

  package static func mapping(_ pairs: [(key: String, value: String)]) -> String {
    guard !pairs.isEmpty else { return "{}" }
    return "{ " + pairs.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + " }"
  }

  /// A mapping of strings, sorted by key.
  package static func pairs(_ pairs: [String: String]) -> String {
    mapping(pairs.sorted { $0.key < $1.key }.map { (word($0.key), quoted($0.value)) })
  }

  package static func value(_ value: Value, type: AttributeType) -> String? {
    switch value {
    case .null: nil
    case .integer(let value) where type == .boolean: value == 0 ? "false" : "true"
    case .integer(let value): "\(value)"
    case .real(let value) where type == .date: date(value)
    case .real(let value): number(value)
    case .text(let text): quoted(text)
    case .blob(let bytes) where type == .uuid: quoted(UUIDText.text(of: bytes))
    case .blob(let bytes): quoted(Data(bytes).base64EncodedString())
    }
  }

  private static func number(_ value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-.inf" : ".inf") : value.isNaN ? ".nan" : "\(value)"
  }

  private static func date(_ seconds: Double) -> String {
    Int64(exactly: seconds).flatMap { ReferenceDate.iso8601(seconds: $0) } ?? number(seconds)
  }
}

extension Unicode.Scalar {
  fileprivate var isVisible: Bool {
    if isASCII { return (" "..."~").contains(self) }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }
}

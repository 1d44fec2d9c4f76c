import Basics

/// A text that says all there is in a value, the same in every process: what digests are made of.
///
/// Every stored property takes part by itself, so none can be forgotten.
package enum CanonicalForm {
  /// The text of a value of structs, enums, arrays, dictionaries and plain values.
  package static func text(of value: Any) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  /// The SHA-256 of a value's text, in lower-case hexadecimal digits.
  package static func digest(of value: Any) -> String {
    SHA256.hash(data: Array(text(of: value).utf8)).hexadecimal
  }

  private static func append(_ value: Any, to text: inout String) {
    switch value {
    case let string as String: text += "\(string.utf8.count):\(string)"
    // The bits, since two texts of one number could differ between versions of the library.
    case let number as Double: text += "d\(String(number.bitPattern, radix: 16))"
    case let number as any FixedWidthInteger: text += "\(number)"
    case let flag as Bool: text += flag ? "true" : "false"
    case let dictionary as any CanonicalDictionary:
      text += "{"
      for (key, element) in dictionary.canonicalPairs {
        text += "\(key.utf8.count):\(key)="
        append(element, to: &text)
        text += ","
      }
      text += "}"
    default: appendChildren(of: value, to: &text)
    }
  }

  private static func appendChildren(of value: Any, to text: inout String) {
    let mirror = Mirror(reflecting: value)
    // A case without values has no children to tell it from the others.
    if mirror.displayStyle == .enum, mirror.children.isEmpty { text += ".\(value)" }
    text += "("
    for child in mirror.children {
      text += "\(child.label ?? "")="
      append(child.value, to: &text)
      text += ","
    }
    text += ")"
  }
}

/// A dictionary whose pairs can be listed in an order that no process changes.
private protocol CanonicalDictionary {
  var canonicalPairs: [(key: String, value: Any)] { get }
}

extension Dictionary: CanonicalDictionary where Key == String {
  fileprivate var canonicalPairs: [(key: String, value: Any)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value as Any) }
  }
}

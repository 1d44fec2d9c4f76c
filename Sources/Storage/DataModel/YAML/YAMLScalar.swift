import Basics
import Yams

/// A scalar by the core schema of YAML 1.2: only `true` and `false` are Booleans, and quotes make
/// text of anything.
package enum YAMLScalar: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)

  init(_ scalar: Node.Scalar) {
    guard scalar.style == .plain || scalar.style == .any else {
      self = .text(scalar.string)
      return
    }
    self.init(plain: scalar.string)
  }

  /// The value that an unquoted text stands for; digits may be grouped with `_`.
  package init(plain text: String) {
    switch text {
    case "", "~", "null": self = .null
    case "true": self = .boolean(true)
    case "false": self = .boolean(false)
    case ".inf": self = .real(.infinity)
    case "-.inf": self = .real(-.infinity)
    case ".nan": self = .real(.nan)
    default: self = YAMLScalar.number(text) ?? .text(text)
    }
  }

  private static func number(_ text: String) -> YAMLScalar? {
    guard let digits = Quantity.digits(text, groupedBy: "_") else { return nil }
    if let integer = Int64(digits) { return .integer(integer) }
    return Double(digits).map { .real($0) }
  }
}

extension YAMLScalar: CustomStringConvertible {
  /// The scalar as a message names it, such as `text 'abc'`.
  package var description: String {
    switch self {
    case .null: "nothing"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "text '\(text.prefix(60))'"
    }
  }
}

import DataModel

/// Reads a fixed value of an attribute, in the form a store keeps it.
struct ConstantReader {
  let attribute: Attribute

  func value(_ value: YAMLValue) -> Value? {
    guard let scalar = value.scalar else {
      value.report("\(value.name) must be a value, not a list or a mapping")
      return nil
    }
    // What YAML takes for a number or a Boolean is text where the attribute is one.
    let text = scalar == .null ? "" : value.string() ?? ""
    return checked(constant(scalar, text: text), text, at: value)
  }

  /// The value that is the key of an entry.
  func value(of entry: YAMLMapping.Entry) -> Value? {
    checked(constant(YAMLScalar(plain: entry.key), text: entry.key), entry.key, at: entry.value)
  }

  private func checked(_ constant: Value?, _ text: String, at value: YAMLValue) -> Value? {
    if constant == nil {
      value.report("'\(text)' is no value of type \(attribute.type.name)")
    }
    return constant
  }

  /// The value in the form of the attribute's type; `nil` where it has none.
  private func constant(_ scalar: YAMLScalar, text: String) -> Value? {
    switch (attribute.type, scalar) {
    case (_, .null): .null
    case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
      (.integer64, .integer(let number)):
      attribute.type.integerRange?.contains(number) == true ? .integer(number) : nil
    case (.double, .integer(let number)): .real(Double(number))
    case (.double, .real(let number)): number.isFinite ? .real(number) : nil
    case (.float, .integer(let number)): .real(Double(Float(number)))
    case (.float, .real(let number)): number.isFinite ? .real(Double(Float(number))) : nil
    case (.decimal, .integer(let number)): .integer(number)
    case (.decimal, .real(let number)): number.isFinite ? Self.numeric(number) : nil
    case (.string, _), (.uri, _): .text(text)
    case (.date, .text(let text)): ReferenceDate.seconds(iso8601: text).map { .integer($0) }
    default: nil
    }
  }

  private static func numeric(_ number: Double) -> Value {
    var cell = Cell()
    cell.setNumeric(number)
    return cell.value
  }
}

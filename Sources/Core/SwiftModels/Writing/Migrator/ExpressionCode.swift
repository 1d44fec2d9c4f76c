import Basics
import DataModel

/// Generates code that computes a migration map's values from an old object.
struct ExpressionCode {
  struct Fragment {
    let text: String
    let type: AttributeType
  }

  let source: Model
  let former: Entity
  let names: SwiftNames

  /// The code for an attribute's values; `nil` if only the app can compute them.
  func code(_ expression: ValueExpression, for attribute: Attribute) -> String? {
    guard attribute.type != .composite, let fragment = fragment(expression, attribute.type) else {
      return nil
    }
    return converted(fragment, to: attribute.type)
  }

  func code(_ former: Attribute, for attribute: Attribute) -> String? {
    code(.source([former.name]), for: attribute)
  }

  private func converted(_ fragment: Fragment, to type: AttributeType) -> String? {
    if fragment.type == type { return fragment.text }
    if let conversion = ValueConversion(from: fragment.type, to: type) {
      return ConversionCode.call(conversion, on: fragment.text)
    }
    let isBytes = [.transformable, .binary].contains(type)
    guard fragment.type.keepsValues(as: type), !isBytes else { return nil }
    return ConversionCode.kept(fragment.text, from: fragment.type, to: type)
  }

  private func swift(_ type: AttributeType) -> String {
    names.type(of: Attribute(name: "", type: type))
  }

  private func fragment(_ expression: ValueExpression, _ wanted: AttributeType) -> Fragment? {
    switch expression {
    case .source(let path): return read(path)
    case .constant(.null): return Fragment(text: "nil", type: wanted)
    case .constant(let value):
      return SwiftLiteral(names: names).text(value, type: wanted)
        .map { Fragment(text: "(\($0) as \(swift(wanted))?)", type: wanted) }
    case .now: return Fragment(text: "started", type: .date)
    case .identifier: return Fragment(text: "identifier(of: old)", type: .uuid)
    case .converted(let inner, let conversion):
      let type = Self.result(of: conversion, wanted)
      return fragment(inner, type).map { inner in
        let call = ConversionCode.call(conversion, on: inner.text)
        return Fragment(text: "(\(call) as \(swift(type))?)", type: type)
      }
    case .joined(let parts, let separator):
      let texts = parts.map { fragment($0, .string).flatMap { converted($0, to: .string) } }
      guard !texts.contains(nil) else { return nil }
      let list = texts.compactMap(\.self).joined(separator: ", ")
      return Fragment(
        text: "joined([\(list)], with: \(SwiftText.literal(separator)))",
        type: .string
      )
    case .firstOf(let parts):
      let values = parts.map { fragment($0, wanted).flatMap { converted($0, to: wanted) } }
      guard !values.contains(nil) else { return nil }
      let list = values.compactMap(\.self).joined(separator: ", ")
      return Fragment(text: "first([\(list)] as [\(swift(wanted))?])", type: wanted)
    case .replaced(let inner, let replacements, let otherwise):
      return replaced(inner, replacements, otherwise, wanted)
    case .function: return nil
    }
  }

  private func replaced(
    _ inner: ValueExpression,
    _ replacements: [ValueExpression.Replacement],
    _ otherwise: ValueExpression?,
    _ wanted: AttributeType
  ) -> Fragment? {
    guard let value = fragment(inner, wanted) else { return nil }
    let literals = SwiftLiteral(names: names)
    func literal(_ value: Value, _ type: AttributeType) -> String? {
      value == .null ? "nil" : literals.text(value, type: type)
    }
    let pairs = replacements.compactMap { replacement -> String? in
      guard let old = literal(replacement.value, value.type),
        let new = literal(replacement.by, wanted)
      else { return nil }
      return "(\(old), \(new))"
    }
    guard pairs.count == replacements.count,
      let rest = otherwise.map({ fragment($0, wanted).flatMap { converted($0, to: wanted) } })
        ?? converted(value, to: wanted)
    else { return nil }
    let type = "[(\(swift(value.type))?, \(swift(wanted))?)]"
    let list = pairs.joined(separator: ", ")
    return Fragment(
      text: SwiftText.call(
        "replaced",
        [value.text, "[\(list)] as \(type)", "otherwise: \(rest)"],
        indent: 24
      ),
      type: wanted
    )
  }

  private func read(_ path: [String]) -> Fragment? {
    // An empty path stands for the object's name, such as `Task/p12`.
    guard !path.isEmpty else { return Fragment(text: "name(of: old)", type: .string) }
    var place = former
    for name in path.dropLast() {
      let step = source.relationships(of: place).first { $0.name == name && !$0.isToMany }
      guard let next = step.flatMap({ source.entity(named: $0.destination) }) else { return nil }
      place = next
    }
    guard let attribute = source.attributes(of: place).first(where: { $0.name == path.last }),
      attribute.type != .composite
    else { return nil }
    let type = names.type(of: attribute)
    let text =
      "value(of: old, \(SwiftText.literal(path.joined(separator: "."))), as: \(type).self)"
    return Fragment(text: text, type: attribute.type)
  }

  private static func result(of conversion: ValueConversion, _ wanted: AttributeType)
    -> AttributeType
  {
    let isNumber = wanted.isWhole && wanted != .boolean
    return switch conversion {
    case .numberToText, .booleanToText, .uuidToText, .dateToText, .dataToText, .uppercased,
      .lowercased, .trimmed:
      .string
    case .textToInteger, .numberToInteger: isNumber ? wanted : .integer64
    case .textToNumber, .integerToNumber:
      [.float, .double, .decimal].contains(wanted) ? wanted : .double
    case .textToBoolean, .numberToBoolean: .boolean
    case .textToUUID: .uuid
    case .textToDate, .unixTimeToDate, .unixMillisecondsToDate: .date
    case .dateToUnixTime: isNumber ? wanted : .double
    case .textToData: .binary
    }
  }
}

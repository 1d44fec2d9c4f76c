import Basics

/// An archived `NSExpression` of a mapping model.
indirect enum MappingExpression: Hashable {
  case constant(Value)
  case variable(String)
  case path([String], of: MappingExpression)
  /// A method call on an object: `FUNCTION(object, "selector:", arguments…)`.
  case call(String, of: MappingExpression, [MappingExpression])
  case unknown(String)

  private static let deepest = 30

  init(archive: [UInt8]) throws {
    let decoder = try ArchiveDecoder(archive)
    self = try MappingExpression(decoder.root, decoder, depth: 0)
  }

  private init(_ field: PropertyList?, _ decoder: ArchiveDecoder, depth: Int) throws {
    guard depth < Self.deepest else { throw decoder.damage("an expression is nested too deep") }
    guard let object = try decoder.object(field) else { throw decoder.damage("no expression") }
    let fields = object.fields
    func operand() throws -> MappingExpression {
      try MappingExpression(fields["NSOperand"], decoder, depth: depth + 1)
    }
    func arguments() throws -> [MappingExpression] {
      try decoder.items(fields["NSArguments"]).map {
        try MappingExpression($0, decoder, depth: depth + 1)
      }
    }
    switch object.className {
    case "NSConstantValueExpression":
      if let name = try decoder.string(fields["NSConstantValueClassName"]) {
        self = .unknown(name)
      } else {
        self = try Self.constant(fields["NSConstantValue"], decoder)
      }
    case "NSVariableExpression": self = .variable(try decoder.string(fields["NSVariable"]) ?? "")
    case "NSKeyPathSpecifierExpression":
      self = .constant(.text(try decoder.string(fields["NSKeyPath"]) ?? ""))
    case "NSKeyPathExpression", "NSFunctionExpression":
      self = Self.resolved(
        try decoder.string(fields["NSSelectorName"]) ?? "",
        of: try operand(),
        try arguments()
      )
    default: self = .unknown(object.className)
    }
  }

  private static func constant(
    _ field: PropertyList?,
    _ decoder: ArchiveDecoder
  ) throws -> MappingExpression {
    switch try decoder.resolved(field) {
    case nil: return .constant(.null)
    case .boolean(let value)?: return .constant(.integer(value ? 1 : 0))
    case .integer(let value)?: return .constant(.integer(value))
    case .real(let value)?: return .constant(.real(value))
    case .string(let text)?: return .constant(.text(text))
    case .data(let bytes)?: return .constant(.blob(bytes))
    case .date(let seconds)?: return .constant(.real(seconds))
    default: break
    }
    guard let object = try decoder.object(field) else { return .unknown("a constant") }
    for type in [AttributeType.date, .decimal, .uuid, .uri, .binary, .string] {
      if let value = try decoder.objectValue(object, type: type) { return .constant(value) }
    }
    return object.className == "NSNull" ? .constant(.null) : .unknown(object.className)
  }

  private static func resolved(
    _ selector: String,
    of operand: MappingExpression,
    _ arguments: [MappingExpression]
  ) -> MappingExpression {
    guard ["valueForKeyPath:", "valueForKey:"].contains(selector),
      case .constant(.text(let path))? = arguments.first
    else { return .call(selector, of: operand, arguments) }
    let names = path.split(separator: ".").map(String.init)
    if case .path(let before, of: let root) = operand { return .path(before + names, of: root) }
    return .path(names, of: operand)
  }
}

extension MappingExpression: CustomStringConvertible {
  var description: String {
    switch self {
    case .constant(.null): "nil"
    case .constant(.integer(let value)): String(value)
    case .constant(.real(let value)): "\(value)"
    case .constant(.text(let text)): "\"\(text)\""
    case .constant(.blob(let bytes)): "\(bytes.count) bytes"
    case .variable(let name): "$\(name)"
    case .path(let path, of: let root): "\(root)." + path.joined(separator: ".")
    case .call(let selector, of: .unknown(_), let arguments):
      "\(selector)(\(arguments.map(\.description).joined(separator: ", ")))"
    case .call(let selector, of: let object, let arguments):
      "FUNCTION(\(object), \"\(selector)\""
        + arguments.map { ", \($0)" }.joined() + ")"
    case .unknown(let name): name
    }
  }

  var value: ValueExpression {
    switch self {
    case .constant(let value): return .constant(value)
    case .path(let path, of: .variable("source")): return .source(path)
    // Calls of Apple's own functions have a class as their object, which is read as an unknown
    // expression.
    case .call(let selector, of: .unknown(_), let arguments):
      return Self.value(of: selector, arguments) ?? .function(description)
    default: return .function(description)
    }
  }

  private static func value(
    of selector: String,
    _ arguments: [MappingExpression]
  ) -> ValueExpression? {
    let conversions = ["uppercase:": ValueConversion.uppercased, "lowercase:": .lowercased]
    if selector == "now", arguments.isEmpty { return .now }
    guard let conversion = conversions[selector], let value = arguments.first?.value,
      value.function == nil
    else { return nil }
    return .converted(value, conversion)
  }

  var relationship: RelationshipExpression {
    guard case .call(let selector, of: .variable("manager"), let arguments) = self,
      arguments.count == 2, case .constant(.text(let name)) = arguments[0]
    else { return self == .constant(.null) ? .none : .function(description) }
    switch selector {
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      return arguments[1].relationship(by: name) ?? .function(description)
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      guard case .path(let path, of: .variable("source")) = arguments[1], path.count == 1 else {
        return .function(description)
      }
      return .source(path[0])
    default: return .function(description)
    }
  }

  private func relationship(by mapping: String) -> RelationshipExpression? {
    switch self {
    case .path(let path, of: .variable("source")) where path.count == 1:
      .mapped(path[0], by: mapping)
    case .variable("source"): .sameSource(by: mapping)
    default: nil
    }
  }
}

enum MappingFilter {
  /// The conditions of a predicate that consists of equality comparisons joined by AND; `nil` for
  /// any other predicate.
  static func conditions(of text: String) -> [EntityMap.Condition]? {
    var conditions: [EntityMap.Condition] = []
    for part in text.replacing(/\s+(?:AND|and|&&)\s+/, with: "\u{1}").split(separator: "\u{1}") {
      let pattern = /\s*\(?\s*(?:SELF\.)?(\w+)\s*(==|=|!=|<>)\s*(.+?)\s*\)?\s*/
      guard let match = part.wholeMatch(of: pattern), let value = value(String(match.3)) else {
        return nil
      }
      conditions.append(
        EntityMap.Condition(
          String(match.1),
          in: [value],
          isNegated: match.2.hasPrefix("!") || match.2 == "<>"
        )
      )
    }
    return conditions.isEmpty ? nil : conditions
  }

  private static func value(_ text: String) -> Value? {
    switch text.lowercased() {
    case "yes", "true", "truepredicate": return .integer(1)
    case "no", "false": return .integer(0)
    case "nil", "null": return .null
    default: break
    }
    if let integer = Int64(text) { return .integer(integer) }
    if let real = Double(text), real.isFinite { return .real(real) }
    guard text.count >= 2, let quote = text.first, quote == "'" || quote == "\"",
      text.last == quote, !text.dropFirst().dropLast().contains(quote)
    else { return nil }
    return .text(String(text.dropFirst().dropLast()))
  }
}

import Foundation

extension ArchiveDecoder {
  func value(_ field: PropertyList?, type: AttributeType, as what: String) throws -> Value {
    guard let found = try resolved(field) else { return .null }
    switch (type, found) {
    case (.boolean, .boolean(let value)), (.integer16, .boolean(let value)),
      (.integer32, .boolean(let value)), (.integer64, .boolean(let value)):
      return .integer(value ? 1 : 0)
    case (.integer16, .real(let value)), (.integer32, .real(let value)),
      (.integer64, .real(let value)), (.boolean, .real(let value)):
      if let whole = Int64(exactly: value) { return .integer(whole) }
    case (.date, .integer(let seconds)): return .real(Double(seconds))
    case (.date, .real(let seconds)): return .real(seconds)
    case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
      (.integer64, .integer(let value)), (.boolean, .integer(let value)),
      (.decimal, .integer(let value)):
      return .integer(value)
    case (.double, .integer(let value)), (.float, .integer(let value)):
      return .real(Double(value))
    case (.double, .real(let value)), (.float, .real(let value)), (.decimal, .real(let value)):
      return .real(value)
    case (.date, .date(let seconds)): return .real(seconds)
    case (.string, .string(let text)), (.uri, .string(let text)): return .text(text)
    case (.binary, .data(let bytes)): return .blob(bytes)
    default: break
    }
    if let object = try object(field), let value = try objectValue(object, type: type) {
      return value
    }
    note("\(what) is not a value of type \(type.name)", action: "ignored")
    return .null
  }

  func objectValue(_ object: Object, type: AttributeType) throws -> Value? {
    let fields = object.fields
    switch (type, object.className) {
    case (.decimal, "NSDecimalNumberPlaceholder"), (.decimal, "NSDecimalNumber"):
      return ArchivedDecimal(fields)?.value
    case (.date, "NSDate"):
      switch fields["NS.time"] {
      case .real(let seconds)?: return .real(seconds)
      case .integer(let seconds)?: return .real(Double(seconds))
      default: return nil
      }
    case (.uuid, "NSUUID"):
      return fields["NS.uuidbytes"]?.data.flatMap { $0.count == 16 ? .blob($0) : nil }
    case (.uri, "NSURL"):
      // Do not read a relative URL with a base URL, because its string is not a complete URL.
      guard try self.object(fields["NS.base"]) == nil else { return nil }
      return try string(fields["NS.relative"]).map { .text($0) }
    case (.string, _): return try string(.uid(object.uid)).map { .text($0) }
    case (.binary, "NSData"), (.binary, "NSMutableData"):
      return try resolved(fields["NS.data"])?.data.map { .blob($0) }
    default: return nil
    }
  }
}

/// A decimal as NSDecimalNumber archives it: a mantissa of up to 38 digits and a power of ten.
struct ArchivedDecimal {
  private static let littleEndian: Int64 = 1

  private let digits: String
  private let exponent: Int
  private let isNegative: Bool

  init?(_ fields: [String: PropertyList]) {
    guard let bytes = fields["NS.mantissa"]?.data, bytes.count == 16,
      let exponent = fields["NS.exponent"]?.integer, (-128...127).contains(exponent),
      let length = fields["NS.length"]?.integer, (0...8).contains(length)
    else { return nil }
    let isLittle = fields["NS.mantissa.bo"]?.integer == ArchivedDecimal.littleEndian
    var mantissa = UInt128(0)
    for index in (0..<Int(length)).reversed() {
      let (first, second) = (UInt128(bytes[2 * index]), UInt128(bytes[2 * index + 1]))
      mantissa = mantissa << 16 | (isLittle ? second << 8 | first : first << 8 | second)
    }
    digits = String(mantissa)
    self.exponent = Int(exponent)
    isNegative = fields["NS.negative"] == .boolean(true)
    // NSDecimalNumber represents NaN as a negative zero without digits.
    if length == 0, isNegative { return nil }
  }

  var value: Value? {
    let sign = isNegative ? "-" : ""
    let zeros = digits.reversed().prefix { $0 == "0" }.count
    if digits == "0" { return .integer(0) }
    if exponent >= -zeros {
      let whole = exponent >= 0 ? digits + String(repeating: "0", count: exponent) : digits
      let text = exponent >= 0 ? whole : String(digits.dropLast(-exponent))
      if let integer = Int64(sign + text) { return .integer(integer) }
    }
    return Double("\(sign)\(digits)e\(exponent)").map { .real($0) }
  }

  static func fields(of value: Value) -> [String: PropertyList]? {
    let text: String
    switch value {
    case .integer(let integer): text = "\(integer)"
    case .real(let real) where real.isFinite: text = "\(real)"
    case .real, .null, .text, .blob: return nil
    }
    guard let (mantissa, exponent) = parts(of: text.drop { $0 == "-" }),
      (-128...127).contains(exponent)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    for index in bytes.indices {
      bytes[index] = UInt8(truncatingIfNeeded: mantissa >> UInt128(8 * index))
    }
    let units = (128 - mantissa.leadingZeroBitCount + 15) / 16
    return [
      "NS.mantissa": .data(bytes), "NS.mantissa.bo": .integer(littleEndian),
      "NS.exponent": .integer(Int64(exponent)), "NS.length": .integer(Int64(units)),
      "NS.negative": .boolean(text.hasPrefix("-") && mantissa != 0), "NS.compact": .boolean(true),
    ]
  }

  private static func parts(of text: Substring) -> (mantissa: UInt128, exponent: Int)? {
    let halves = text.split(separator: "e")
    guard let first = halves.first, let power = halves.count == 2 ? Int(halves[1]) : 0 else {
      return nil
    }
    let places = first.split(separator: ".")
    let fraction = places.count == 2 && places[1] != "0" ? places[1] : ""
    guard let whole = places.first, let mantissa = UInt128(whole + fraction) else { return nil }
    return (mantissa, power - fraction.count)
  }
}

extension ArchiveDecoder {
  private static let deepestExpression = 30

  func expressionText(_ object: Object, depth: Int = 0) throws -> String? {
    guard depth < ArchiveDecoder.deepestExpression else {
      throw damage("an expression is nested too deep")
    }
    let fields = object.fields
    switch object.className {
    case "NSSelfExpression": return "SELF"
    case "NSKeyPathSpecifierExpression": return try string(fields["NSKeyPath"])
    case "NSConstantValueExpression": return try constantText(fields["NSConstantValue"])
    case "NSKeyPathExpression":
      let path = try items(fields["NSArguments"]).first.flatMap { try self.object($0) }
      let operand = try self.object(fields["NSOperand"])
      guard let path, let text = try expressionText(path, depth: depth + 1) else { return nil }
      guard let operand, operand.className != "NSSelfExpression" else { return text }
      return try expressionText(operand, depth: depth + 1).map { "\($0).\(text)" }
    case "NSVariableExpression": return try string(fields["NSVariable"]).map { "$" + $0 }
    case "NSFunctionExpression":
      guard let selector = try string(fields["NSSelectorName"]) else { return nil }
      let arguments = try items(fields["NSArguments"]).map { argument in
        try self.object(argument).flatMap { try expressionText($0, depth: depth + 1) }
      }
      let texts = arguments.compactMap(\.self)
      guard texts.count == arguments.count else { return nil }
      return "\(selector)(\(texts.joined(separator: ", ")))"
    default: return nil
    }
  }

  func predicateText(_ object: Object, depth: Int = 0) throws -> String? {
    guard depth < ArchiveDecoder.deepestExpression else {
      throw damage("a predicate is nested too deep")
    }
    switch object.className {
    case "NSComparisonPredicate":
      guard let left = try self.object(object.fields["NSLeftExpression"]),
        let right = try self.object(object.fields["NSRightExpression"]),
        let number = try self.object(object.fields["NSPredicateOperator"])?
          .fields["NSOperatorType"]?.integer,
        let leftText = try expressionText(left, depth: depth + 1),
        let rightText = try expressionText(right, depth: depth + 1)
      else { return nil }
      let operators: [Int64: String] = [
        0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE",
        8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN", 99: "CONTAINS",
      ]
      return operators[number].map { "\(leftText) \($0) \(rightText)" }
    case "NSCompoundPredicate":
      let parts = try items(object.fields["NSSubpredicates"]).map { part in
        try self.object(part).flatMap { try predicateText($0, depth: depth + 1) }
      }
      let texts = parts.compactMap(\.self)
      guard texts.count == parts.count else { return nil }
      switch object.fields["NSCompoundPredicateType"]?.integer {
      case 0: return texts.first.map { "NOT (\($0))" }
      case 1: return texts.map { "(\($0))" }.joined(separator: " AND ")
      case 2: return texts.map { "(\($0))" }.joined(separator: " OR ")
      default: return nil
      }
    default: return nil
    }
  }

  private func constantText(_ value: PropertyList?) throws -> String? {
    switch try resolved(value) {
    case nil: "nil"
    case .boolean(let value)?: value ? "YES" : "NO"
    case .integer(let value)?: "\(value)"
    case .real(let value)?: "\(value)"
    case .string(let text)?: "\"\(text)\""
    default: nil
    }
  }
}

import Foundation

/// Reads a value of an attribute's type, in storage form.
enum ValueReader {
  static func value(_ value: YAMLValue, type: AttributeType) -> Value? {
    guard value.scalar != .null else { return .null }
    switch type {
    case .integer16: return value.integer(in: -32_768...32_767).map { .integer(Int64($0)) }
    case .integer32:
      return value.integer(in: Int(Int32.min)...Int(Int32.max)).map { .integer(Int64($0)) }
    case .integer64: return value.integer().map { .integer(Int64($0)) }
    case .boolean: return value.boolean().map { .integer($0 ? 1 : 0) }
    case .double, .float: return value.number().map { .real($0) }
    case .decimal: return decimal(value)
    case .date: return date(value)
    case .string, .uri: return value.string().map { .text($0) }
    case .uuid: return uuid(value)
    case .binary: return binary(value)
    case .transformable, .objectID, .composite:
      value.report("an attribute of type \(type.name) has no value in a model file")
      return nil
    }
  }

  private static func decimal(_ value: YAMLValue) -> Value? {
    if case .integer(let whole)? = value.scalar { return .integer(whole) }
    return value.number().map { .real($0) }
  }

  private static func date(_ value: YAMLValue) -> Value? {
    guard case .text(let text)? = value.scalar else { return value.number().map { .real($0) } }
    if let seconds = ReferenceDate.seconds(iso8601: text) { return .real(Double(seconds)) }
    value.report("\(value.name) must be a date such as 2026-04-01T12:00:00Z, not '\(text)'")
    return nil
  }

  private static func uuid(_ value: YAMLValue) -> Value? {
    guard let text = value.string() else { return nil }
    if let bytes = UUIDText.bytes(of: text) { return .blob(bytes) }
    value.report("\(value.name) must be a UUID, not '\(text)'")
    return nil
  }

  private static func binary(_ value: YAMLValue) -> Value? {
    guard let text = value.string() else { return nil }
    guard let data = Data(base64Encoded: text) else {
      value.report("\(value.name) must be base64")
      return nil
    }
    return .blob(Array(data))
  }
}

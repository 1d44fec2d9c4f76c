import DataModel
import Foundation

struct SwiftLiteral {
  let names: SwiftNames

  func text(_ value: Value, type: AttributeType) -> String? {
    switch (type, value) {
    case (.boolean, .integer(let number)): number == 0 ? "false" : "true"
    case (.integer16, .integer(let number)): Int16(exactly: number).map { "\($0)" }
    case (.integer32, .integer(let number)): Int32(exactly: number).map { "\($0)" }
    case (.integer64, .integer(let number)): "\(number)"
    case (.double, .real(let number)), (.float, .real(let number)): real(number)
    case (.double, .integer(let number)), (.float, .integer(let number)): real(Double(number))
    case (.decimal, .integer(let number)): "\(number)"
    case (.decimal, .real(let number)) where number.isFinite:
      "\(names.foundation("Decimal"))(string: \"\(number)\")!"
    case (.string, .text(let text)): SwiftText.literal(text)
    case (.date, .real(let seconds)): date(seconds)
    case (.date, .integer(let seconds)): date(Double(seconds))
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      "\(names.foundation("UUID"))(uuidString: \"\(UUIDText.text(of: bytes))\")!"
    case (.uri, .text(let text)) where URL(string: text) != nil:
      "\(names.foundation("URL"))(string: \(SwiftText.literal(text)))!"
    case (.binary, .blob(let bytes)):
      "\(names.foundation("Data"))(base64Encoded: \"\(Data(bytes).base64EncodedString())\")!"
    default: nil
    }
  }

  private func real(_ number: Double) -> String? {
    guard number.isFinite else { return nil }
    return "\(number)"
  }

  private func date(_ seconds: Double) -> String? {
    guard seconds.isFinite else { return nil }
    let text = Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    return "\(names.foundation("Date"))(timeIntervalSinceReferenceDate: \(text))"
  }

  /// An empty value, for required properties without a default in the model.
  func placeholder(_ attribute: Attribute) -> String {
    switch attribute.type {
    case .boolean: "false"
    case .integer16, .integer32, .integer64, .decimal: "0"
    case .double, .float: "0.0"
    case .string: "\"\""
    case .date: "\(names.foundation("Date"))(timeIntervalSinceReferenceDate: 0)"
    case .binary: "\(names.foundation("Data"))()"
    case .uuid: "\(names.foundation("UUID"))(uuidString: \"\(Self.noUUID)\")!"
    case .uri: "\(names.foundation("URL"))(string: \"about:blank\")!"
    case .transformable: "\(names.type(of: attribute))()"
    case .composite: CompositeWriter(names: names, attribute: attribute).placeholder
    case .undefined, .objectID: "nil"
    }
  }

  private static let noUUID = "00000000-0000-0000-0000-000000000000"
}

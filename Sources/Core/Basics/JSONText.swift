import Foundation

extension JSONEncoder {
  /// Returns an encoder for documents, with sorted keys, either on one line or indented for human
  /// readers.
  ///
  /// JSON has no numbers for infinity and NaN, which a damaged store may contain; the indented form
  /// writes them as strings.
  package static func document(isPretty: Bool = true) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty {
      encoder.outputFormatting.insert(.prettyPrinted)
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "infinity",
        negativeInfinity: "-infinity",
        nan: "nan"
      )
    }
    return encoder
  }
}

extension Encodable {
  /// Returns the value as encoded by ``Foundation/JSONEncoder/document(isPretty:)``, followed by a
  /// line feed.
  package func jsonText(isPretty: Bool = true) throws -> String {
    String(decoding: try JSONEncoder.document(isPretty: isPretty).encode(self), as: UTF8.self)
      + "\n"
  }
}

/// A JSON object of named fields, for reports without a specific type.
///
/// Fields without a value are omitted.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private struct Field: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var fields: [String: any Encodable] = [:]

  package init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    for (name, value) in elements { fields[name] = value }
  }

  /// Returns the fields of both objects; if both objects have a field, its value in `others` wins.
  package func merging(_ others: JSONObject) -> JSONObject {
    var both = self
    both.fields.merge(others.fields) { $1 }
    return both
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Field.self)
    for (name, value) in fields { try container.encode(value, forKey: Field(stringValue: name)) }
  }
}

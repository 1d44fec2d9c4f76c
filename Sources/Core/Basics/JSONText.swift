import Foundation

extension JSONEncoder {
  /// Returns an encoder for documents, with sorted keys, on one line or indented for human readers.
  ///
  /// The indented form writes infinity and NaN, which a damaged store may contain, as strings: JSON
  /// has no numbers for them.
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
  /// Returns the value as ``Foundation/JSONEncoder/document(isPretty:)`` encodes it, followed by a
  /// line feed.
  package func jsonText(isPretty: Bool = true) throws -> String {
    String(decoding: try JSONEncoder.document(isPretty: isPretty).encode(self), as: UTF8.self)
      + "\n"
  }
}

/// A JSON object of named fields; fields without a value are omitted.
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

  /// Returns the fields of both objects; if both have a field, it gets the value in `others`.
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

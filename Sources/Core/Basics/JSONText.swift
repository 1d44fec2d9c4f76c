import Foundation

extension JSONEncoder {
  /// An encoder of documents: sorted keys, all on one line or pretty for people to read as well.
  ///
  /// JSON has no numbers for what is not finite, which a broken store may hold: pretty, it is text.
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
  /// The value as ``Foundation/JSONEncoder/document(isPretty:)`` encodes it, ended by a line feed.
  package func jsonText(isPretty: Bool = true) throws -> String {
    String(decoding: try JSONEncoder.document(isPretty: isPretty).encode(self), as: UTF8.self)
      + "\n"
  }
}

/// A JSON object of the fields that have a value, for reports whose shape is not that of a type.
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

  /// The fields of both; those of the second take the place of others of their name.
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

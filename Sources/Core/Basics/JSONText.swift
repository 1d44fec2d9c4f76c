import Foundation

extension Encodable {
  /// JSON with sorted keys: all on one line, or pretty for people to read as well.
  ///
  /// JSON has no numbers that are not finite, which a broken store may hold: pretty, they are text.
  package func jsonText(isPretty: Bool = true) throws -> String {
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
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}

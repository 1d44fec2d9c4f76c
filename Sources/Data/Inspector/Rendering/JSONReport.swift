import Foundation

/// Surveys as JSON: the same that the text says, with sorted keys.
package enum JSONReport {
  /// One store.
  package static func text(of survey: StoreSurvey) throws -> String { try encoded(survey) }

  /// Every store of a folder, and why some of its SQLite files are none.
  package static func text(of surveys: [StoreSurvey], refused: [String: String]) throws -> String {
    try encoded(Folder(stores: surveys, refused: refused))
  }

  private struct Folder: Encodable {
    let stores: [StoreSurvey]
    let refused: [String: String]
  }

  private static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    // JSON has no numbers for them; a broken store may.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity",
      negativeInfinity: "-infinity",
      nan: "nan"
    )
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}

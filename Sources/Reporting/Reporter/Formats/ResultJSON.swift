import Foundation
import Measurement

/// The result document as JSON: sorted keys, whole numbers without a point, one line.
///
/// The same result gives the same bytes. `Results/schema/` has its JSON Schema.
package struct ResultJSON: ReportFormat {
  package static let name = "json"

  package init() {}

  /// Writes a document; throws `MeasurementError` for one that no run can have made.
  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    try document.check()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(document)
    try sink(String(decoding: data, as: UTF8.self) + "\n")
  }

  /// Reads a document of untrusted origin and checks it.
  ///
  /// Throws `ReporterError.malformed` for text that is no such JSON or passes `JSONLimits`, and `MeasurementError` for
  /// another version and for values that no run writes.
  package func document(from bytes: [UInt8]) throws -> ResultDocument {
    try JSONLimits.check(bytes)
    let data = Data(bytes)
    do {
      let document = try JSONDecoder().decode(ResultDocument.self, from: data)
      try document.check()
      return document
    } catch let error as DecodingError {
      throw ReporterError(error, decoding: data)
    }
  }
}

extension ReporterError {
  fileprivate init(_ error: DecodingError, decoding data: Data) {
    switch error {
    case .keyNotFound(let key, let context):
      self = .malformed(
        place: ResultDocument.place(of: context.codingPath),
        reason: "'\(key.stringValue)' is missing"
      )
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self = .malformed(
        place: ResultDocument.place(of: context.codingPath),
        reason: sentence(context)
      )
    case .dataCorrupted(let context):
      let syntax = context.codingPath.isEmpty ? syntaxProblem(of: data) : nil
      self = .malformed(
        place: ResultDocument.place(of: context.codingPath),
        reason: syntax ?? sentence(context)
      )
    @unknown default:
      self = .malformed(place: "the document", reason: "\(error)")
    }
  }
}

private func sentence(_ context: DecodingError.Context) -> String {
  sentence(context.debugDescription)
}

private func sentence(_ text: String) -> String {
  let text = text.hasSuffix(".") ? String(text.dropLast()) : text
  return text.prefix(1).lowercased() + text.dropFirst()
}

// JSONDecoder keeps to itself where the syntax breaks; JSONSerialization says it.
private func syntaxProblem(of data: Data) -> String? {
  do {
    _ = try JSONSerialization.jsonObject(with: data)
    return nil
  } catch {
    let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
    return "no JSON: \(sentence(detail ?? "the text breaks its rules"))"
  }
}

import Basics
import Foundation
import Runner

/// The result document as JSON: sorted keys, whole numbers without a point, one line.
///
/// The same result gives the same bytes. `Results/schema/` has its JSON Schema.
package struct ResultJSON: ReportFormat {
  package static let name = "json"

  package init() {}

  /// Writes a document; throws `Refusal` for one that no run can have made.
  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    try document.check()
    try sink(try document.jsonText(isPretty: false))
  }

  /// Reads a document of untrusted origin and checks it.
  ///
  /// Throws `ReporterError.malformed` for text that is no such JSON or passes `Limits`, and `Refusal` for
  /// another version and for values that no run writes.
  package func document(from bytes: [UInt8]) throws -> ResultDocument {
    let document: ResultDocument = try decoded(bytes)
    try document.check()
    return document
  }

  /// Reads a plan in the same way.
  package func plan(from bytes: [UInt8]) throws -> PlanDocument {
    let plan: PlanDocument = try decoded(bytes)
    try plan.check()
    return plan
  }

  private func decoded<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
    try Limits.check(bytes)
    let data = Data(bytes)
    do {
      return try JSONDecoder().decode(Value.self, from: data)
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
      if let reason = otherContent(of: data) {
        self = .malformed(place: "", reason: reason)
        return
      }
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

/// What a file holds that was meant to be a result, where the reader can do something about it.
private func otherContent(of data: Data) -> String? {
  if data.isEmpty { return "the file is empty; run the workloads again" }
  return data.starts(with: Data("SQLite format 3".utf8))
    ? "it is a SQLite database; name a result file or the folder of a run" : nil
}

// JSONDecoder keeps to itself where the syntax breaks; JSONSerialization says it.
private func syntaxProblem(of data: Data) -> String? {
  do {
    _ = try JSONSerialization.jsonObject(with: data)
    return nil
  } catch {
    let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
    return "not JSON: \(sentence(detail ?? "the syntax is wrong"))"
  }
}

extension ResultJSON {
  /// What a text of JSON may not have, whatever it is about: objects without end inside each other,
  /// a key twice, strings of megabytes.
  ///
  /// Foundation's decoder takes one of two equal keys and says nothing. This looks at the bytes
  /// alone, in one pass and before anything is decoded; what is no JSON at all is the decoder's to
  /// say.
  struct Limits {
    static let depth = 64
    static let keysPerObject = 10_000
    /// Bytes of a string as it is written; an escaped character takes up to six.
    static let stringLength = 6 * ResultLimits.textLength

    private var open: [Container] = []

    private struct Container {
      let isObject: Bool
      var expectsKey: Bool
      var keys: Set<ArraySlice<UInt8>> = []
    }

    /// Throws `ReporterError.malformed` with the byte at which a limit is passed.
    static func check(_ bytes: [UInt8]) throws(ReporterError) {
      var limits = Limits()
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "\""):
          let end = try string(in: bytes, after: index)
          try limits.take(bytes[(index + 1)..<end], at: index)
          index = end
        case UInt8(ascii: "{"): try limits.enter(isObject: true, at: index)
        case UInt8(ascii: "["): try limits.enter(isObject: false, at: index)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = limits.open.popLast()
        case UInt8(ascii: ","): limits.expectKey()
        default: break
        }
        index += 1
      }
    }

    /// The place of the quote that ends a string.
    private static func string(in bytes: [UInt8], after start: Int) throws(ReporterError) -> Int {
      var index = start + 1
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        guard index - start <= stringLength else { throw problem("a string is too long", start) }
      }
      return min(index, bytes.count)
    }

    private mutating func enter(isObject: Bool, at index: Int) throws(ReporterError) {
      guard open.count < Self.depth else {
        throw Self.problem("more than \(Self.depth) objects or lists are inside each other", index)
      }
      open.append(Container(isObject: isObject, expectsKey: isObject))
    }

    private mutating func expectKey() {
      guard !open.isEmpty else { return }
      open[open.count - 1].expectsKey = open[open.count - 1].isObject
    }

    private mutating func take(_ string: ArraySlice<UInt8>, at index: Int) throws(ReporterError) {
      guard !open.isEmpty, open[open.count - 1].expectsKey else { return }
      let last = open.count - 1
      open[last].expectsKey = false
      guard open[last].keys.insert(string).inserted else {
        let name = String(decoding: string.prefix(100), as: UTF8.self)
        throw Self.problem("duplicate key '\(name)'", index)
      }
      guard open[last].keys.count <= Self.keysPerObject else {
        throw Self.problem("an object has more than \(Self.keysPerObject) keys", index)
      }
    }

    private static func problem(_ reason: String, _ index: Int) -> ReporterError {
      .malformed(place: "byte \(index)", reason: reason)
    }
  }
}

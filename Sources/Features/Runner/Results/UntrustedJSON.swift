import Basics
import Foundation

extension ResultDocument {
  /// Reads a document of untrusted origin and checks it.
  ///
  /// Throws `Refusal` for text that is not such JSON, another version, and values that no run writes.
  package init(json bytes: [UInt8]) throws {
    self = try UntrustedJSON.decoded(bytes)
    try check()
  }
}

extension PlanDocument {
  /// Reads a plan of untrusted origin and checks it.
  package init(json bytes: [UInt8]) throws {
    self = try UntrustedJSON.decoded(bytes)
    try check()
  }
}

/// Decodes JSON of untrusted origin.
private enum UntrustedJSON {
  static func decoded<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
    try Limits.check(bytes)
    let data = Data(bytes)
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch let error as DecodingError {
      throw Refusal.badInput(reason(error, decoding: data))
    }
  }

  private static func reason(_ error: DecodingError, decoding data: Data) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      return "'\(key.stringValue)' is missing at \(ResultDocument.place(of: context.codingPath))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return sentence(context)
    case .dataCorrupted(let context):
      if data.isEmpty { return "the file is empty; run the workloads again" }
      if data.starts(with: Data("SQLite format 3".utf8)) {
        return "it is a SQLite database; name a result file or the folder of a run"
      }
      return context.codingPath.isEmpty
        ? syntaxProblem(of: data) ?? sentence(context) : sentence(context)
    @unknown default: return "\(error)"
    }
  }

  private static func sentence(_ context: DecodingError.Context) -> String {
    "\(sentence(context.debugDescription)) at \(ResultDocument.place(of: context.codingPath))"
  }

  private static func sentence(_ text: String) -> String {
    let text = text.hasSuffix(".") ? String(text.dropLast()) : text
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  // JSONDecoder does not report the place of a syntax error; JSONSerialization does.
  private static func syntaxProblem(of data: Data) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: data)
      return nil
    } catch {
      let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
      return "not JSON: \(sentence(detail ?? "the syntax is wrong")) at the document"
    }
  }
}

extension UntrustedJSON {
  /// What no JSON text may have: endless nesting, a key twice, strings of megabytes.
  ///
  /// Foundation's decoder takes one of two equal keys without an error. This looks only at the bytes,
  /// in one pass before anything is decoded; the decoder refuses text that is not JSON.
  private struct Limits {
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

    /// Throws a refusal with the byte at which a limit is passed.
    static func check(_ bytes: [UInt8]) throws(Refusal) {
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
    private static func string(in bytes: [UInt8], after start: Int) throws(Refusal) -> Int {
      var index = start + 1
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        guard index - start <= stringLength else { throw problem("a string is too long", start) }
      }
      return min(index, bytes.count)
    }

    private mutating func enter(isObject: Bool, at index: Int) throws(Refusal) {
      guard open.count < Self.depth else {
        throw Self.problem("more than \(Self.depth) objects or lists are inside each other", index)
      }
      open.append(Container(isObject: isObject, expectsKey: isObject))
    }

    private mutating func expectKey() {
      guard !open.isEmpty else { return }
      open[open.count - 1].expectsKey = open[open.count - 1].isObject
    }

    private mutating func take(_ string: ArraySlice<UInt8>, at index: Int) throws(Refusal) {
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

    private static func problem(_ reason: String, _ index: Int) -> Refusal {
      .badInput("\(reason) at byte \(index)")
    }
  }
}

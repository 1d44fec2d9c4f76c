import Basics
import DataModel
import Foundation

/// The folder of a run, with the result document and two tables, all compressed.
package struct RunFolder: Hashable, Sendable {
  package static let resultName = "result.json.gz"
  package static let samplesName = "samples.csv.gz"
  package static let summaryName = "summary.csv.gz"
  package static let reportName = "report.html"

  package var path: String

  package init(path: String) {
    self.path = path
  }

  /// Writes the result document and both tables atomically into the existing folder.
  ///
  /// The document is written last, so that the tables exist if the document does.
  ///
  /// - Throws: ``Refusal`` if no run could have produced the document (checked before anything is
  ///   written) or if a file cannot be written.
  package func write(_ document: ResultDocument) throws {
    try document.check()
    let files: [(ResultFormat, name: String)] = [
      (.samples, Self.samplesName), (.csv, Self.summaryName), (.json, Self.resultName),
    ]
    for (format, name) in files {
      try RunFolder.write(to: "\(path)/\(name)") { try document.write(as: format, to: $0) }
    }
  }

  /// Writes an HTML report next to the result document, atomically.
  package func writeReport(_ html: String) throws {
    try AtomicFile.write(html, to: "\(path)/\(RunFolder.reportName)")
  }

  /// The maximum number of runs read from a folder of runs; if there are more, the last ones by
  /// name are read.
  package static let mostRuns = 100

  /// Returns the paths of the results at a path: the runs in it if it is a folder of runs,
  /// otherwise the path itself.
  ///
  /// - Throws: `Refusal.noResult(at:)` if nothing exists at the path.
  package static func results(at path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { throw Refusal.noResult(at: path) }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let runs = names.sorted().map { "\(path)/\($0)" }.filter {
      FileManager.default.fileExists(atPath: "\($0)/\(resultName)")
    }
    // Sorting by name sorts by time, because names begin with the time of the run.
    return runs.isEmpty ? [path] : runs.suffix(mostRuns)
  }

  /// Writes text as a gzip file, atomically.
  package static func write(to path: String, fill: (_ sink: (String) throws -> Void) throws -> Void)
    throws
  {
    try AtomicFile.write(to: path) { sink in
      try withoutActuallyEscaping(sink) { sink in
        var gzip = try GzipWriter(sink: sink)
        var pending: [UInt8] = []
        try fill { piece in
          pending += piece.utf8
          guard pending.count >= pieceSize else { return }
          try gzip.append(pending)
          pending.removeAll(keepingCapacity: true)
        }
        try gzip.append(pending)
        try gzip.finish()
      }
    }
  }
}

// The number of bytes collected before each call to zlib, because single rows are short.
private let pieceSize = 64 * 1024

extension ResultDocument {
  /// Reads a result from a `.json.gz` or `.json` file, or from the folder of a run.
  ///
  /// - Throws: `Refusal.noResult(at:)` if there is no file, or a refusal that describes the
  ///   problem.
  package init(readingFrom path: String) throws {
    try self.init(readingFrom: path, limit: 256 << 20)
  }

  // The size limit, in bytes, applies to the compressed and to the decompressed data. The default
  // of 256 MiB holds about ten million measurements.
  init(readingFrom path: String, limit: Int) throws {
    do {
      let file = try Self.resultFile(at: path)
      do {
        let bytes = try InputFile.bytes(of: file, limit: limit)
        if bytes.starts(with: Self.baselineTitle.utf8) {
          throw Refusal.badInput("it is a baseline: in 'compare', name it before the result")
        }
        let isCompressed = bytes.starts(with: [0x1f, 0x8b])
        try self.init(json: isCompressed ? Gzip.decompress(bytes, limit: limit) : bytes)
      } catch let error where !(error is InputFile.Failure) {
        throw Refusal.notAResult(file, "\(error)")
      }
    } catch let failure as InputFile.Failure {
      throw Refusal.unreadable(path, failure)
    }
  }

  /// The first line of every baseline file.
  package static let baselineTitle = "# StoreBench baseline"

  private static func resultFile(at path: String) throws -> String {
    guard try InputFile.isFolder(path) else { return path }
    let names = [RunFolder.resultName, "result.json"]
    let files = names.map { "\(path)/\($0)" }
    guard let file = files.first(where: { access($0, F_OK) == 0 }) else {
      throw Refusal.notAResult(path, "the folder has neither \(names.joined(separator: " nor "))")
    }
    return file
  }
}

extension Refusal {
  package static func noResult(at path: String) -> Refusal {
    .noInput(
      "there is no result at '\(path)': name a result file or the folder of a run"
        + didYouMean(fileAt: path)
    )
  }

  package static func notAResult(_ path: String, _ reason: String) -> Refusal {
    .badInput("'\(path)' is not a result: \(reason)")
  }

  /// Returns the error for a result file that cannot be read.
  package static func unreadable(_ path: String, _ failure: InputFile.Failure) -> Refusal {
    switch failure {
    case .missing: .noResult(at: path)
    case .unreadable(let reason): .cannotRead(path, reason: reason)
    case .notRegular: .notAResult(path, "it is neither a file nor a folder")
    default: .notAResult(path, failure.reason)
    }
  }
}

extension ResultDocument {
  /// Reads and checks a document of untrusted origin.
  ///
  /// - Throws: ``Refusal`` for invalid JSON, another format version, or values that no run writes.
  package init(json bytes: [UInt8]) throws {
    self = try UntrustedJSON.decoded(bytes)
    try check()
  }
}

extension PlanDocument {
  /// Reads and checks a plan of untrusted origin.
  ///
  /// - Throws: ``Refusal`` if it is not a valid plan.
  package init(json bytes: [UInt8]) throws {
    self = try UntrustedJSON.decoded(bytes)
    try check()
  }
}

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
      if data.areOfSQLiteFile {
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

  // Parses the data again with JSONSerialization, because JSONDecoder does not report the position
  // of a syntax error.
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
  /// Refuses JSON with excessive nesting, duplicate keys or overlong strings.
  ///
  /// Foundation's decoder silently accepts duplicate keys. This check makes one pass over the bytes
  /// before decoding; invalid JSON is left to the decoder.
  private struct Limits {
    static let depth = 64
    static let keysPerObject = 10_000
    /// The maximum number of bytes in a string as written; an escaped character takes up to six.
    static let stringLength = 6 * ResultLimits.textLength

    private var open: [Container] = []

    private struct Container {
      let isObject: Bool
      var expectsKey: Bool
      var keys: Set<ArraySlice<UInt8>> = []
    }

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

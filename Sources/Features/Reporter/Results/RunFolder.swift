import Basics
import Foundation
import Runner

/// The folder of a run: the document and both tables, compressed.
package struct RunFolder: Hashable, Sendable {
  package static let resultName = "result.json.gz"
  package static let samplesName = "samples.csv.gz"
  package static let summaryName = "summary.csv.gz"
  package static let reportName = "report.html"

  package var path: String

  package init(path: String) {
    self.path = path
  }

  /// Writes the three files, each atomically, the document last: where it is, the tables are.
  ///
  /// Throws `Refusal` for a document that no run can have made, before anything is
  /// written, and `ReporterError.cannotWrite`. The folder must exist.
  package func write(_ document: ResultDocument) throws {
    try document.check()
    try RunFolder.write(SamplesCSV(), of: document, to: "\(path)/\(RunFolder.samplesName)")
    try RunFolder.write(SummaryCSV(), of: document, to: "\(path)/\(RunFolder.summaryName)")
    try RunFolder.write(ResultJSON(), of: document, to: "\(path)/\(RunFolder.resultName)")
  }

  /// Writes a result as a page beside the document, atomically.
  ///
  /// Not with `write`, which a run calls after every case: a page is made once, at its end.
  package func writeReport(of document: ResultDocument) throws {
    try writeReport(HTMLReport().text(of: document))
  }

  func writeReport(_ html: String) throws {
    try AtomicFile.write(html, to: "\(path)/\(RunFolder.reportName)")
  }

  /// How many runs of a folder are read, the newest ones by name.
  package static let mostRuns = 100

  /// The results that a path names: those of the runs in a folder of runs, or else the path itself.
  ///
  /// Throws `ReporterError.missing` where there is nothing.
  package static func results(at path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw ReporterError.missing(path: path)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let runs = names.sorted().map { "\(path)/\($0)" }.filter {
      FileManager.default.fileExists(atPath: "\($0)/\(resultName)")
    }
    // Names begin with the time of the run.
    return runs.isEmpty ? [path] : runs.suffix(mostRuns)
  }

  /// Writes one form of a document as a gzip file, atomically.
  package static func write(
    _ format: some ReportFormat,
    of document: ResultDocument,
    to path: String
  ) throws {
    try write(to: path) { try format.write(document, to: $0) }
  }

  /// Writes text as a gzip file, atomically.
  static func write(to path: String, fill: (_ sink: (String) throws -> Void) throws -> Void) throws
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

// Rows are short; zlib is handed several at once.
private let pieceSize = 64 * 1024

extension ResultDocument {
  /// Reads a result from a `.json.gz` or `.json` file, or from the folder of a run.
  ///
  /// Throws `ReporterError`: `missing`, `cannotRead`, or `notAResult` with what is wrong and where.
  package init(readingFrom path: String) throws {
    try self.init(readingFrom: path, limit: 256 << 20)
  }

  // The limit holds for the packed and for the unpacked bytes: some ten million measurements.
  init(readingFrom path: String, limit: Int) throws {
    let file = try ResultDocument.resultFile(at: path)
    let bytes = try ReporterError.reading(file) { () throws(InputFile.Failure) in
      try InputFile.bytes(of: file, limit: limit)
    }
    if bytes.starts(with: BaselineCSV.title.utf8) {
      throw ReporterError.notAResult(
        path: file,
        reason: "it is a baseline: in 'compare', name it before the result"
      )
    }
    do {
      let isCompressed = bytes.starts(with: [0x1f, 0x8b])
      self = try ResultJSON().document(
        from: isCompressed ? Gzip.decompress(bytes, limit: limit) : bytes
      )
    } catch {
      throw ReporterError.notAResult(path: file, reason: String(describing: error))
    }
  }

  private static func resultFile(at path: String) throws(ReporterError) -> String {
    guard try ReporterError.isFolder(path) else { return path }
    let names = [RunFolder.resultName, "result.json"]
    let files = names.map { "\(path)/\($0)" }
    guard let file = files.first(where: { access($0, F_OK) == 0 }) else {
      throw .notAResult(
        path: path,
        reason: "the folder has neither \(names.joined(separator: " nor "))"
      )
    }
    return file
  }
}

import Compression
import Foundation
import Measurement

/// The folder of a run: the document and both tables, compressed.
package struct RunFolder: Hashable, Sendable {
  package static let resultName = "result.json.gz"
  package static let samplesName = "samples.csv.gz"
  package static let summaryName = "summary.csv.gz"

  package var path: String

  package init(path: String) {
    self.path = path
  }

  /// Writes the three files, each atomically, the document last: where it is, the tables are.
  ///
  /// Throws `MeasurementError` for a document that no run can have made, before anything is
  /// written, and `ReporterError.cannotWrite`. The folder must exist.
  package func write(_ document: ResultDocument) throws {
    try document.check()
    try RunFolder.write(SamplesCSV(), of: document, to: "\(path)/\(RunFolder.samplesName)")
    try RunFolder.write(SummaryCSV(), of: document, to: "\(path)/\(RunFolder.summaryName)")
    try RunFolder.write(ResultJSON(), of: document, to: "\(path)/\(RunFolder.resultName)")
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
    try AtomicFile.write(to: path) { sink in
      try withoutActuallyEscaping(sink) { sink in
        var gzip = try GzipWriter(sink: sink)
        var pending: [UInt8] = []
        try format.write(document) { piece in
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

import Compression
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

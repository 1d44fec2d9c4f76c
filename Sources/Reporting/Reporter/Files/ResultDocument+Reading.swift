import Compression
import Foundation
import Measurement

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
    let bytes = try InputFile.bytes(of: file, limit: limit)
    if bytes.starts(with: BaselineCSV.title.utf8) {
      throw ReporterError.notAResult(
        path: file,
        reason: "it is a baseline, which 'compare' takes first, before the result"
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
    guard try InputFile.isFolder(path) else { return path }
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

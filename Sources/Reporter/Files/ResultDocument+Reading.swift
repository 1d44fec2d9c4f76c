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
    let bytes = try ResultDocument.bytes(of: file, limit: limit)
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
    guard try isFolder(path) else { return path }
    let names = [RunFolder.resultName, "result.json"]
    let files = names.map { "\(path)/\($0)" }
    guard let file = files.first(where: { access($0, F_OK) == 0 }) else {
      throw .notAResult(
        path: path,
        reason: "the folder has neither \(names.joined(separator: " nor "))"
      )
    }
    guard try !isFolder(file) else { throw .notAResult(path: file, reason: "it is a folder") }
    return file
  }

  private static func isFolder(_ path: String) throws(ReporterError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT || errno == ENOTDIR ? .missing(path: path) : unreadable(path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return true
    case S_IFREG: return false
    // Reading a pipe or a device may never end.
    default: throw .notAResult(path: path, reason: "it is neither a file nor a folder")
    }
  }

  private static func bytes(of path: String, limit: Int) throws(ReporterError) -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    let size = 1 << 20
    var chunk = [UInt8](repeating: 0, count: size)
    while bytes.count <= limit {
      let count = fread(&chunk, 1, size, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    guard ferror(file) == 0 else { throw unreadable(path) }
    guard bytes.count <= limit else {
      throw .notAResult(path: path, reason: "it is larger than \(limit) bytes")
    }
    return bytes
  }

  private static func unreadable(_ path: String) -> ReporterError {
    .cannotRead(path: path, reason: String(cString: strerror(errno)).lowercased())
  }
}

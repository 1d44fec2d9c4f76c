import Basics
import Foundation

/// Files of untrusted origin: no folder, no pipe, no more bytes than a limit.
enum InputFile {
  /// Whether the path is a folder; throws for what is there and is neither a folder nor a file.
  static func isFolder(_ path: String) throws(ReporterError) -> Bool {
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

  /// The whole file.
  static func bytes(of path: String, limit: Int) throws(ReporterError) -> [UInt8] {
    guard try !isFolder(path) else { throw .notAResult(path: path, reason: "it is a folder") }
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
    .cannotRead(path: path, reason: System.errorText())
  }
}

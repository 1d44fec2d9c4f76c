import Foundation

/// Reads whole untrusted files: regular files only, up to a size limit.
package enum InputFile {
  /// The reason why a file cannot be read.
  package enum Failure: Error, Hashable, Sendable {
    case missing
    case isFolder
    case notRegular
    case tooLarge(limit: Int)
    case notText
    case unreadable(reason: String)

    /// The reason, as a clause that refers to the file as "it".
    package var reason: String {
      switch self {
      case .missing: "it does not exist"
      case .isFolder: "it is a folder"
      case .notRegular: "it is not a regular file"
      case .tooLarge(let limit): "it is larger than \(limit) bytes"
      case .notText: "it is not UTF-8 text"
      case .unreadable(let reason): reason
      }
    }

    fileprivate static var system: Failure { .unreadable(reason: System.errorText()) }
  }

  /// Whether the path is a folder; throws if it is neither a folder nor a regular file.
  package static func isFolder(_ path: String) throws(Failure) -> Bool {
    guard let status = FileStatus(path) else {
      throw errno == ENOENT || errno == ENOTDIR ? .missing : .system
    }
    switch status.kind {
    case .folder: return true
    case .file: return false
    default: throw .notRegular
    }
  }

  /// Reads the file's bytes; throws if the file exceeds the limit.
  package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    guard try !isFolder(path) else { throw .isFolder }
    // `O_NONBLOCK`: do not wait if a pipe has replaced the file since the check.
    let file = System.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw .system }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while bytes.count <= limit {
      let count = System.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
    throw .tooLarge(limit: limit)
  }

  /// Reads up to `count` bytes from the start of the file.
  package static func head(of path: String, count: Int) throws(Failure) -> [UInt8] {
    guard try !isFolder(path) else { throw .isFolder }
    let file = System.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw .system }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = System.read(file, &bytes, count)
    guard got >= 0 else { throw .system }
    return Array(bytes.prefix(got))
  }

  /// Reads the file's text; throws if it is not valid UTF-8.
  package static func text(of path: String, limit: Int) throws(Failure) -> String {
    guard let text = String(validating: try bytes(of: path, limit: limit), as: UTF8.self) else {
      throw .notText
    }
    return text
  }
}

extension Sequence<UInt8> {
  /// Whether the bytes begin as every SQLite file does
  /// (https://www.sqlite.org/fileformat2.html#the_database_header).
  package var areOfSQLiteFile: Bool { starts(with: "SQLite format 3\0".utf8) }
}

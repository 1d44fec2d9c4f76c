import Foundation

/// Reads whole files of untrusted origin: no folder, no pipe, no more bytes than a limit.
package enum InputFile {
  /// Why a file cannot be read.
  package enum Failure: Error, Hashable, Sendable {
    case missing
    case isFolder
    /// A pipe, a device or a socket: reading it may block or never end.
    case notRegular
    case tooLarge(limit: Int)
    case notText
    /// The system's reason, in lower case.
    case unreadable(reason: String)

    /// The failure as a clause of a sentence about the file.
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

  /// Whether the path is a folder; throws for what is neither a folder nor a regular file.
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

  /// The file's bytes.
  package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    guard try !isFolder(path) else { throw .isFolder }
    // Does not wait where a pipe has taken the file's place meanwhile.
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

  /// The first bytes of the file, at most so many.
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

  /// The file's text; invalid UTF-8 is an error.
  package static func text(of path: String, limit: Int) throws(Failure) -> String {
    guard let text = String(validating: try bytes(of: path, limit: limit), as: UTF8.self) else {
      throw .notText
    }
    return text
  }
}

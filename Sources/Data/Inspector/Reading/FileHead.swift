import Basics

/// Reads parts of plain files, never waiting for a pipe or a device.
enum FileHead {
  /// The first bytes of a plain file, fewer where it is shorter; `nil` for anything else.
  static func read(_ path: String, count: Int, followingLinks: Bool = false) -> [UInt8]? {
    withFile(path, followingLinks: followingLinks) { descriptor, _ in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, 0) }
      return got < 0 ? nil : Array(bytes.prefix(got))
    }
  }

  /// Hands out the descriptor of a plain file and its size; `nil` for anything else.
  static func withFile<Result>(
    _ path: String,
    followingLinks: Bool = false,
    _ body: (Int32, Int64) throws -> Result?
  ) rethrows -> Result? {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
    let descriptor = open(path, flags)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try body(descriptor, Int64(status.st_size))
  }
}

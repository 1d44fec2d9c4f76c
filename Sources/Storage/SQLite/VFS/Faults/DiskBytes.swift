import Basics

/// Whole files, read and written without a VFS.
enum DiskBytes {
  /// `nil` where there is no such file.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return read(descriptor, offset: 0, count: Int(status.st_size))
  }

  /// Writes into the file that has the name, so that whoever has it open sees it.
  static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count, let start = buffer.baseAddress {
        let count = pwrite(descriptor, start + written, buffer.count - written, off_t(written))
        guard count > 0 else { return }
        written += count
      }
    }
    _ = ftruncate(descriptor, off_t(bytes.count))
  }

  private static func read(_ descriptor: Int32, offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let start = buffer.baseAddress {
        let got = pread(descriptor, start + filled, count - filled, off_t(offset + filled))
        guard got > 0 else { return }
        filled += got
      }
    }
  }
}

import Basics
import Foundation

/// A file that is there whole or not at all, whatever ends the process.
enum AtomicFile {
  /// Writes what `fill` hands over to a file beside, syncs it and renames it into place.
  ///
  /// Throws `ReporterError.cannotWrite`, and what `fill` throws; the old file stays then.
  static func write(
    to path: String,
    fill: (_ sink: (ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    let partial = "\(folder)/.\(url.lastPathComponent).\(getpid()).partial"
    // Left by a process of the same number that was killed.
    unlink(partial)
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    do {
      try fill { try append($0, to: descriptor, path: path) }
      guard fsync(descriptor) == 0 else { throw failure(path) }
    } catch {
      close(descriptor)
      unlink(partial)
      throw error
    }
    guard close(descriptor) == 0, rename(partial, path) == 0 else {
      let problem = failure(path)
      unlink(partial)
      throw problem
    }
    try syncFolder(folder, path: path)
  }

  private static func append(
    _ bytes: ArraySlice<UInt8>,
    to descriptor: Int32,
    path: String
  ) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { System.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(path) }
      rest = rest.dropFirst(count)
    }
  }

  // Without it a power loss may undo the rename.
  private static func syncFolder(_ folder: String, path: String) throws {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> ReporterError {
    .cannotWrite(path: path, reason: System.errorText())
  }
}

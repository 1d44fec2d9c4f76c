import Foundation

/// Writes files atomically: even after a crash, the file is either complete or unchanged.
package enum AtomicFile {
  /// Writes the bytes that `fill` passes to its sink into a temporary file, syncs it and renames it
  /// to `path`.
  ///
  /// On failure, the old file stays.
  package static func write(
    to path: String,
    fill: (_ sink: (ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    let partial = "\(folder)/.\(url.lastPathComponent).\(getpid()).partial"
    // Remove the file left by a killed process that had the same ID.
    unlink(partial)
    let file = System.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard file >= 0 else { throw Refusal.cannotWrite(path) }
    do {
      try fill { bytes in
        guard bytes.withUnsafeBytes({ System.writeAll(file, $0) }) else {
          throw Refusal.cannotWrite(path)
        }
      }
      guard fsync(file) == 0 else { throw Refusal.cannotWrite(path) }
    } catch {
      close(file)
      unlink(partial)
      throw error
    }
    guard close(file) == 0, System.rename(partial, path) == 0 else {
      let problem = Refusal.cannotWrite(path)
      unlink(partial)
      throw problem
    }
    // Without this sync, a power loss may undo the rename.
    guard System.syncFolder(folder) else { throw Refusal.cannotWrite(path) }
  }

  /// Writes text to a file.
  package static func write(_ text: String, to path: String) throws {
    try write(to: path) { try $0(Array(text.utf8)[...]) }
  }
}

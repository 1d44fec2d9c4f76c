import Foundation

/// Writes a file that is there whole or not at all, whatever ends the process.
package enum AtomicFile {
  /// Writes what `fill` hands over to a file next to it, syncs that and renames it into place.
  ///
  /// If it fails, the old file stays.
  package static func write(
    to path: String,
    fill: (_ sink: (ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    let partial = "\(folder)/.\(url.lastPathComponent).\(getpid()).partial"
    // Left by a process of the same number that was killed.
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
    // Without it a power loss may undo the rename.
    guard System.syncFolder(folder) else { throw Refusal.cannotWrite(path) }
  }

  /// Writes some text.
  package static func write(_ text: String, to path: String) throws {
    try write(to: path) { try $0(Array(text.utf8)[...]) }
  }
}

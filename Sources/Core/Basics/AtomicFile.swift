import Foundation

/// Writes a file that is there whole or not at all, whatever ends the process.
package enum AtomicFile {
  /// A file that cannot be written, with the system's reason in lower case.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
      self.path = path
      self.reason = reason
    }

    package var description: String { "cannot write '\(path)': \(reason)" }
  }

  /// Writes what `fill` hands over to a file beside, syncs it and renames it into place.
  ///
  /// Throws ``Failure``, and what `fill` throws; the old file stays then.
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
    guard file >= 0 else { throw failure(path) }
    do {
      try fill { bytes in
        guard bytes.withUnsafeBytes({ System.writeAll(file, $0) }) else { throw failure(path) }
      }
      guard fsync(file) == 0 else { throw failure(path) }
    } catch {
      close(file)
      unlink(partial)
      throw error
    }
    guard close(file) == 0, System.rename(partial, path) == 0 else {
      let problem = failure(path)
      unlink(partial)
      throw problem
    }
    // Without it a power loss may undo the rename.
    guard System.syncFolder(folder) else { throw failure(path) }
  }

  /// Writes some text.
  package static func write(_ text: String, to path: String) throws {
    try write(to: path) { try $0(Array(text.utf8)[...]) }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(path: path, reason: System.errorText())
  }
}

import Basics
import Foundation

/// The folder of one run for copies of stores, removed when the run ends, however it ends.
///
/// A lock on a file beside it says that the run is alive; it goes with the process. Folders whose
/// lock is free were left by a run that was killed, and the next run removes them.
package final class ScratchFolder {
  package let path: String
  private let lockPath: String
  private let lock: Int32

  /// Makes a folder below `root`, which is made where it is missing, and removes leftovers there.
  ///
  /// - Throws: ``Refusal``
  package init(in root: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(root)
    }
    Self.removeLeftovers(in: root)
    var number = 0
    while true {
      let name = "\(root)/run-\(getpid())-\(number)"
      if let lock = Self.takeLock(name + ".lock") {
        (path, lockPath, self.lock) = (name, name + ".lock", lock)
        break
      }
      number += 1
      guard number < 1000 else {
        throw Refusal.cannotWrite(root)
      }
    }
    let text = "\(getpid())\n"
    _ = text.withCString { write(lock, $0, strlen($0)) }
    guard mkdir(path, 0o755) == 0 else {
      let reason = System.errorText()
      unlink(lockPath)
      throw Refusal.cannotWrite(path, reason: reason)
    }
  }

  deinit {
    remove()
    close(lock)
  }

  /// Removes the folder and everything in it.
  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
    unlink(lockPath)
  }

  /// Makes an empty folder below, in place of one of the name.
  ///
  /// - Throws: ``Refusal``
  package func emptyFolder(_ name: String) throws -> String {
    let folder = path + "/" + name
    do {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return folder
    } catch {
      throw Refusal.cannotWrite(folder)
    }
  }

  /// Removes a folder below, where there is one.
  func removeFolder(_ name: String) {
    try? FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// The descriptor of a locked file, or `nil` where another process holds the lock.
  private static func takeLock(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func removeLeftovers(in root: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names.sorted() where name.hasPrefix("run-") && name.hasSuffix(".lock") {
      guard let lock = takeLock(root + "/" + name) else { continue }
      try? FileManager.default.removeItem(atPath: root + "/" + name.dropLast(5))
      unlink(root + "/" + name)
      close(lock)
    }
  }
}

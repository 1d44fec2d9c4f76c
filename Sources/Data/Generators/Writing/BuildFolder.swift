import Basics
import Foundation

/// A hidden folder beside a file under its final name, in which everything is made before it is
/// moved into place.
///
/// A lock on the folder lives as long as its process, so folders of processes that were killed are
/// told from those in use and removed by the next run.
final class BuildFolder {
  private static let suffix = ".building"

  let path: String
  private let lock: Int32

  /// Makes a folder beside `target` after removing those that were left behind.
  init(beside target: String) throws {
    let url = URL(fileURLWithPath: target)
    let parent = url.deletingLastPathComponent().path
    let prefix = ".\(url.lastPathComponent)\(Self.suffix)-"
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    } catch {
      throw GeneratorsError.cannotWrite(path: target, reason: "its folder cannot be made")
    }
    Self.removeAbandoned(in: parent, prefix: prefix)
    let process = ProcessInfo.processInfo.processIdentifier
    var number = 0
    while true {
      let candidate = "\(parent)/\(prefix)\(process)-\(number)"
      if mkdir(candidate, 0o755) == 0 {
        if let lock = Self.locked(candidate) {
          (self.path, self.lock) = (candidate, lock)
          return
        }
      } else if errno != EEXIST {
        throw GeneratorsError.cannotWrite(path: target, reason: System.errorText())
      }
      number += 1
    }
  }

  /// A descriptor that holds the folder's lock; `nil` where somebody else has it or the folder went.
  private static func locked(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // Between making a folder and locking it another process may have taken it for abandoned.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, access(path, F_OK) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  private static func removeAbandoned(in parent: String, prefix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let lock = locked("\(parent)/\(name)") else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      close(lock)
    }
  }

  /// Moves a file or a folder to where it belongs, in place of what is there.
  func move(_ source: String, to target: String) throws {
    var status = stat()
    if lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      try FileManager.default.removeItem(atPath: target)
    }
    guard rename(source, target) == 0 else {
      throw GeneratorsError.cannotWrite(path: target, reason: System.errorText())
    }
  }
}

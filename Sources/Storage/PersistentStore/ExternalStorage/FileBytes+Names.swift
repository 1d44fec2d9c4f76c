import Basics
import SQLite

extension FileBytes {
  /// Gives a file a second name, which must be free.
  ///
  /// - Throws: ``Failure``.
  package mutating func link(_ path: String, to target: String) throws {
    try meet(.rename, "link", path) { $0.didCreate(target) }
    guard System.link(path, target) == 0 else {
      throw Failure(action: "link", path: path, code: errno)
    }
  }

  /// Makes the bytes of a file that somebody has written durable; its name is its folder's.
  ///
  /// - Throws: ``Failure``.
  package mutating func sync(_ path: String) throws {
    let descriptor = try open(path, O_RDONLY, "sync")
    defer { close(descriptor) }
    try sync(descriptor, path)
  }

  mutating func sync(_ descriptor: Int32, _ path: String) throws {
    try meet(.sync, "sync", path)
    guard fsync(descriptor) == 0 else { throw Failure(action: "sync", path: path, code: errno) }
    injector?.remember { $0.didSync(path) }
    counters.syncs += 1
  }
}

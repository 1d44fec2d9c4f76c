import Foundation

/// A folder of a test's own, removed with it.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    path = base.appendingPathComponent("storebench-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, making the folders above it, and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  /// Writes a file's bytes, making the folders above it, and returns its path.
  @discardableResult
  package func write(_ bytes: Data, to name: String) throws -> String {
    let url = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try bytes.write(to: url)
    return url.path
  }

  /// Every file below with its bytes, by path, but for the -shm that SQLite makes anew.
  package func contents() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in FileManager.default.subpaths(atPath: path) ?? [] where !name.hasSuffix("-shm") {
      result[name] = FileManager.default.contents(atPath: path + "/" + name)
    }
    return result
  }
}

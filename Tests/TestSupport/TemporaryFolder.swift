import Foundation

/// A temporary folder that is removed when the instance is released.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// Creates a folder in `parent`.
  ///
  /// The default parent may be in memory; `/var/tmp` is on disk.
  package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    let base = parent.resolvingSymlinksInPath()
    path = base.appendingPathComponent("storebench-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, whether or not the file exists.
  package func file(_ name: String) -> String { path + "/" + name }

  /// The sorted names of the folder's items.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  package func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// Writes a text file, makes the folders above it, and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(text.utf8, to: name)
  }

  /// Writes a file of bytes, makes the folders above it, and returns its path.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let url = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    // `Data.write` is not used, because it waits for the disk after every file.
    let bytes = Array(bytes)
    guard let file = fopen(url.path, "wb") else { throw CocoaError(.fileWriteUnknown) }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    return url.path
  }

  /// Writes files in the form that ``contents()`` returns.
  package func write(_ files: [String: Data]) throws {
    for (name, bytes) in files { try write(bytes, to: name) }
  }

  package func removeContents() throws {
    for name in try names() { try FileManager.default.removeItem(atPath: file(name)) }
  }

  /// The contents of all files in the folder, by path, except `-shm` files, which SQLite recreates.
  package func contents() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in FileManager.default.subpaths(atPath: path) ?? [] where !name.hasSuffix("-shm") {
      result[name] = FileManager.default.contents(atPath: path + "/" + name)
    }
    return result
  }
}

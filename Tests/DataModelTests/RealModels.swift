import Basics
import DataModel
import Foundation
import SQLite
import TestSupport

/// The stores and compiled models under the folder that STOREBENCH_REAL_STORES names.
enum RealModels {
  private static let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"]

  static var isAvailable: Bool { folder != nil }

  /// The sorted paths in the folder that end in one of `suffixes`.
  static func paths(endingWith suffixes: String...) -> [String] {
    guard let folder, let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    return names.compactMap { $0 as? String }.filter { name in
      suffixes.contains { name.hasSuffix($0) }
    }.sorted()
  }

  static func absolute(_ path: String) -> String { (folder ?? "") + "/" + path }

  /// The keyed archive of a compiled model or of a store's model cache; `nil` if it has none.
  static func archive(at path: String) throws -> [UInt8]? {
    let file = absolute(path)
    if path.hasSuffix(".mom") { return try InputFile.bytes(path: file, limit: 1 << 24) }
    return try modelCache(of: file).map { try Deflate.decompress($0, limit: 1 << 24) }
  }

  /// A store's model cache, read from a copy because opening a store changes its files.
  private static func modelCache(of store: String) throws -> [UInt8]? {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + suffix)
    {
      let bytes = try InputFile.bytes(path: store + suffix, limit: 1 << 28)
      try folder.write(bytes, to: "copy.sqlite" + suffix)
    }
    let connection = try Connection(path: folder.file("copy.sqlite"), mode: .readWrite)
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.blob(at: 0)
  }
}

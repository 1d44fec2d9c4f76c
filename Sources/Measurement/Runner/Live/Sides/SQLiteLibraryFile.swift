import Basics
import Foundation

/// A SQLite library that a side is to run with.
struct SQLiteLibraryFile {
  private static let loaderName = "libsqlite3.so.0"

  private let path: String
  /// What its `sqlite3_sourceid` says.
  let sourceID: String

  /// Looks into a library without using it.
  ///
  /// - Throws: ``LiveError/unusable(_:problem:)`` and ``RunnerError/noSuchInput(path:)``
  init(path: String) throws {
    let full = URL(fileURLWithPath: path).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: full) else {
      throw RunnerError.noSuchInput(path: path)
    }
    guard let handle = dlopen(full, RTLD_NOW | RTLD_LOCAL) else {
      throw LiveError.unusable(path, problem: "is no library that can be loaded: \(Self.reason)")
    }
    defer { dlclose(handle) }
    guard let symbol = dlsym(handle, "sqlite3_sourceid") else {
      throw LiveError.unusable(path, problem: "is no SQLite library: it has no 'sqlite3_sourceid'")
    }
    typealias SourceID = @convention(c) () -> UnsafePointer<CChar>?
    let text = unsafeBitCast(symbol, to: SourceID.self)().map { String(cString: $0) }
    self.path = full
    sourceID = text ?? ""
  }

  private static var reason: String { dlerror().map { String(cString: $0) } ?? "unknown" }

  /// The environment in which the loader finds this library first.
  ///
  /// - Throws: ``RunnerError/cannotWrite(path:reason:)``
  func loaderVariables(in cacheFolder: String) throws -> [String: String] {
    let name = sourceID.split(separator: " ").last.map { String($0.prefix(16)) } ?? "unknown"
    let folder = URL(fileURLWithPath: cacheFolder + "/libraries/" + name).standardizedFileURL.path
    let link = folder + "/" + Self.loaderName
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try? FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    } catch {
      throw RunnerError.cannotWrite(path: link, reason: System.errorText())
    }
    let inherited = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    return ["LD_LIBRARY_PATH": folder + inherited]
  }
}

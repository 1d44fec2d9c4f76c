import Basics
import Foundation
import PersistentStore

/// Finds the stores in a folder, such as an `.xcappdata` package with an app's files from a device.
package enum StoreSearch {
  /// The maximum depth of the search; the stores in an app's container are at most 8 levels deep.
  private static let deepest = 12
  /// The maximum number of files and folders that are visited.
  private static let most = 200_000

  /// Whether there is a folder at the path.
  package static func isFolder(_ path: String) -> Bool { FileStatus(path)?.kind == .folder }

  /// Whether there is a regular file at the path that begins with the SQLite header.
  package static func isSQLiteFile(_ path: String) -> Bool {
    FileHead.read(path, count: 16, followingLinks: true)?.areOfSQLiteFile == true
  }

  /// Returns the SQLite files below a folder, in name order and without following symbolic links.
  ///
  /// - Throws: a ``Refusal`` if there are none.
  package static func stores(in folder: String) throws -> [StoreFile] {
    var found: [String] = []
    var seen = 0
    search(folder, depth: 0, &seen, &found)
    guard !found.isEmpty else {
      throw Refusal.noInput("there is no store in '\(folder)' or in a folder below it")
    }
    return found.map { StoreFile(path: $0) }
  }

  private static func search(
    _ folder: String,
    depth: Int,
    _ seen: inout Int,
    _ found: inout [String]
  ) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where seen < most {
      seen += 1
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      switch FileStatus(path, followingLinks: false)?.kind {
      case .folder where depth < deepest: search(path, depth: depth + 1, &seen, &found)
      case .file where FileHead.read(path, count: 16)?.areOfSQLiteFile == true:
        found.append(path)
      default: continue
      }
    }
  }
}

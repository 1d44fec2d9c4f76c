import Basics
import Foundation
import PersistentStore

/// The digest of every file of a store, to say which one has changed.
package struct StoreFingerprint: Hashable, Sendable {
  /// SHA-256 in lower-case hexadecimal, by name.
  package let digests: [String: String]

  /// Reads the whole store; an empty WAL or journal counts as none.
  ///
  /// - Throws: ``RunnerError/cannotRead(path:reason:)``
  package init(of store: StoreFile) throws {
    var digests: [String: String] = [:]
    for path in store.paths {
      for file in StoreFile.files(at: path) {
        let isLog = path == store.wal || path == store.journal
        if isLog, StoreFile.bytes(at: file) == 0 { continue }
        digests[String(file.dropFirst(store.folder.count + 1))] = try Self.digest(of: file)
      }
    }
    self.digests = digests
  }

  /// What differs from an earlier fingerprint, the first file by name; `nil` where nothing does.
  package func change(since earlier: StoreFingerprint) -> String? {
    for name in Set(digests.keys).union(earlier.digests.keys).sorted() {
      switch (earlier.digests[name], digests[name]) {
      case (nil, _): return "the file '\(name)' is new"
      case (_, nil): return "the file '\(name)' is gone"
      case (let before, let after) where before != after: return "the file '\(name)' has changed"
      default: continue
      }
    }
    return nil
  }

  /// The digest of one file's bytes.
  ///
  /// - Throws: ``RunnerError/cannotRead(path:reason:)``
  package static func digest(of path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw RunnerError.cannotRead(path: path, reason: System.errorText())
    }
    defer { try? file.close() }
    var hash = SHA256()
    do {
      while let data = try file.read(upToCount: 1 << 20), !data.isEmpty { hash.update(data: data) }
    } catch {
      throw RunnerError.cannotRead(path: path, reason: System.errorText())
    }
    return hash.finalize().hexadecimal
  }
}

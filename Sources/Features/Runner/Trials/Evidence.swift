import Basics
import Foundation
import PersistentStore

/// What alone decides whether the outcome of a trial is right, beside its case and the store that it
/// started from.
///
/// Where two trials of a case agree in it, the check of the first one holds for the second: its
/// digest proves what would be read object by object again.
public struct Evidence: Hashable, Sendable {
  /// The stores that the verification reads and that the trial may have changed.
  package var stores: [StoreFile]
  /// What it takes from elsewhere, such as the error that the work threw.
  package var facts: [String]

  package init(stores: [StoreFile], facts: [String] = []) {
    self.stores = stores
    self.facts = facts
  }

  /// A digest of every byte of it, as strong as those of contents: an accident makes two equal once in
  /// 2^64.
  ///
  /// Of a WAL the frames count without the salts, which SQLite draws anew for each
  /// (https://www.sqlite.org/fileformat2.html#walformat).
  ///
  /// - Throws: ``Refusal``.
  package func digest() throws -> String {
    var hash = SHA256()
    for fact in facts { hash.update(data: Data("\(fact.utf8.count) \(fact)".utf8)) }
    for store in stores {
      for path in store.paths {
        for file in StoreFile.files(at: path) {
          let digest = try Self.digest(of: file, isWAL: path == store.wal)
          hash.update(data: Data("\(file) \(digest) ".utf8))
        }
      }
    }
    return hash.finalize().hexadecimal
  }
}

/// An outcome that was found right, and what decided it.
package struct VerifiedOutcome: Codable, Hashable, Sendable {
  package var evidence: String
  package var verification: Verification
}

extension Evidence {
  private static func digest(of path: String, isWAL: Bool) throws -> UInt64 {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Refusal.cannotRead(path) }
    defer { try? file.close() }
    var digest: UInt64 = 0
    func add(_ bytes: Data) {
      digest = bytes.withUnsafeBytes { Mixing.digest(of: $0, seed: digest) }
    }
    do {
      if isWAL {
        try forEachFrame(of: file) { frame in
          add(frame[..<8])
          add(frame[24...])
        }
      } else {
        while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty { add(bytes) }
      }
    } catch {
      throw Refusal.cannotRead(path, reason: "\(error)")
    }
    return digest
  }

  /// The frames up to the first of an older WAL: the page's number and the commit mark in 8 bytes, the
  /// salts and checksums in 16, and the page.
  private static func forEachFrame(of file: FileHandle, _ take: (Data) -> Void) throws {
    guard let header = try file.read(upToCount: 32), header.count == 32 else { return }
    let size = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    let salts = Array(header[16..<24])
    while let frame = try file.read(upToCount: 24 + size), frame.count == 24 + size,
      Array(frame[8..<16]) == salts
    {
      take(frame)
    }
  }
}

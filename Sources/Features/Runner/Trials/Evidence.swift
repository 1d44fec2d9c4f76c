import Basics
import Foundation
import PersistentStore

/// Everything that decides whether the outcome of a trial is correct, except its case and its
/// starting store.
///
/// If two trials of a case have equal evidence, the first trial's verification also holds for the
/// second, so the objects need not be read again.
public struct Evidence: Hashable, Sendable {
  /// The stores that the verification reads and that the trial may have changed.
  package var stores: [StoreFile]
  /// Other information that the verification uses, such as the error thrown by the work.
  package var facts: [String]

  package init(stores: [StoreFile], facts: [String] = []) {
    self.stores = stores
    self.facts = facts
  }

  /// Returns a digest of all the evidence.
  ///
  /// Each file contributes a 64-bit digest, so that accidental collisions have a probability of
  /// 2^-64.
  ///
  /// The salts and checksums of WAL frames are skipped, because SQLite draws new salts for each WAL
  /// (https://www.sqlite.org/fileformat2.html#walformat).
  ///
  /// - Throws: ``Refusal`` if a file cannot be read.
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

/// A verified outcome and the digest of its evidence.
package struct VerifiedOutcome: Codable, Hashable, Sendable {
  package var evidence: String
  package var verification: Verification
}

extension Evidence {
  /// Returns the 64-bit digest of a file, or of the current frames of a WAL.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read.
  static func digest(of path: String, isWAL: Bool = false) throws -> UInt64 {
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

  /// Calls a closure with each frame of the current WAL, and stops at the first frame left over
  /// from an older WAL.
  ///
  /// A frame has 8 bytes for page number and commit mark, 16 bytes for salts and checksums, and the
  /// page.
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

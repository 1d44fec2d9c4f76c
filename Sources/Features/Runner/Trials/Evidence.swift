import Basics
import Foundation
import PersistentStore
import SQLite
import Synchronization

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

  /// SHA-256 of every byte of it, computed on all processors; nothing is timed meanwhile.
  ///
  /// Of a WAL the frames count without the salts, which SQLite draws anew for each
  /// (https://www.sqlite.org/fileformat2.html#walformat).
  ///
  /// - Throws: ``Refusal``.
  package func digest() throws -> String {
    var parts: [Part] = []
    for store in stores {
      for path in store.paths {
        for file in StoreFile.files(at: path) {
          let size = Int(StoreFile.bytes(at: file))
          let pieces = path == store.wal ? 1 : max(1, (size + Part.size - 1) / Part.size)
          parts += (0..<pieces).map {
            Part(path: file, place: $0 * Part.size, isWAL: path == store.wal)
          }
        }
      }
    }
    let digests = Mutex([Result<[UInt8], any Error>?](repeating: nil, count: parts.count))
    DispatchQueue.concurrentPerform(iterations: parts.count) { [parts] index in
      let digest = Result { try parts[index].digest() }
      digests.withLock { $0[index] = digest }
    }
    var hash = SHA256()
    for fact in facts { hash.update(data: Data("\(fact.utf8.count) \(fact)".utf8)) }
    for (part, digest) in zip(parts, digests.withLock { $0 }) {
      hash.update(data: Data("\(part.path) \(part.place) ".utf8))
      hash.update(data: Data(try digest?.get() ?? []))
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
  /// A piece of a file.
  private struct Part: Sendable {
    static let size = 4 << 20

    let path: String
    let place: Int
    let isWAL: Bool

    func digest() throws -> [UInt8] {
      guard let file = FileHandle(forReadingAtPath: path) else { throw Refusal.cannotRead(path) }
      defer { try? file.close() }
      var hash = SHA256()
      do {
        if isWAL {
          try addFrames(of: file, to: &hash)
        } else {
          try file.seek(toOffset: UInt64(place))
          hash.update(data: try file.read(upToCount: Self.size) ?? Data())
        }
      } catch {
        throw Refusal.cannotRead(path, reason: "\(error)")
      }
      return hash.finalize()
    }

    /// Adds the number, the commit mark and the page of each frame up to the first of an older WAL.
    private func addFrames(of file: FileHandle, to hash: inout SHA256) throws {
      guard let header = try file.read(upToCount: 32), header.count == 32 else { return }
      let size = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
      let salts = Array(header[16..<24])
      while let frame = try file.read(upToCount: 24 + size), frame.count == 24 + size,
        Array(frame[8..<16]) == salts
      {
        hash.update(data: frame[..<8])
        hash.update(data: frame[24...])
      }
    }
  }
}

import Basics
import PersistentStore
import SQLite

/// The free disk space that an app requires before it migrates a store, estimated from the store's
/// size alone.
///
/// A transaction's pages are written to the WAL before they reach the store's file. A migration
/// within a file may therefore need twice the file's bytes, and the migration of a copy three
/// times. The space that is really needed is reported as `peakDisk`.
struct SpaceEstimate {
  let bytes: Int64

  init(of store: StoreFile, _ parameters: MigrationParameters) {
    let main = store.storeBytes + store.walBytes
    let files = store.externalBytes
    let copies: Int64 = parameters.strategy == .onCopy || parameters.backup != .none ? 1 : 0
    let isCopied = copies > 0 || parameters.isInNewFile
    bytes = main * (2 + copies) + (isCopied ? files : 0) + Self.least
  }

  /// The number of bytes that even a small store needs for an empty layout, its WAL and the file
  /// that marks a complete migration.
  private static let least: Int64 = 1 << 20
}

struct SpaceShortage: Error, CustomStringConvertible {
  let needed: Int64
  let free: Int64
  /// Whether the disk became full during the work; if `false`, the store was not touched.
  let isMet: Bool

  var description: String {
    func text(_ bytes: Int64) -> String { Figures.bytes(bytes, .significant) }
    return isMet
      ? "the disk was full during the update, with \(text(free)) free before; the store is whole: have "
        + "\(text(max(needed, 2 * free))) free, then open the app again"
      : "the update needs \(text(needed)) of free disk and finds \(text(free)); the store is as it "
        + "was: free \(text(needed - free)) more, then open the app again"
  }
}

import Basics
import PersistentStore
import SQLite

/// The free disk that an app asks for before it migrates a store, by the store's own size alone.
///
/// A transaction's pages are in the WAL before they are in the store, so a migration of a file may
/// need its bytes twice more, and a copy that is migrated three times. The rule is the app's own: the
/// result shows what was really needed (`peakDisk`).
struct SpaceEstimate {
  let bytes: Int64

  init(of store: StoreFile, _ parameters: MigrationParameters) {
    let main = store.storeBytes + store.walBytes
    let files = store.externalBytes
    let copies: Int64 = parameters.strategy == .onCopy || parameters.backup != .none ? 1 : 0
    let isCopied = copies > 0 || parameters.isInNewFile
    bytes = main * (2 + copies) + (isCopied ? files : 0) + Self.least
  }

  /// Pages that even a small store takes: an empty layout, its WAL and the marker.
  private static let least: Int64 = 1 << 20
}

/// What an app tells its user about a disk that is too full for an update.
struct SpaceShortage: Error, CustomStringConvertible {
  let needed: Int64
  let free: Int64
  /// Whether the disk was full during the work; otherwise nothing was touched.
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

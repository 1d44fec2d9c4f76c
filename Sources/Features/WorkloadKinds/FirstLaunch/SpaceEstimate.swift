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

/// Why a launch leaves the store as it is.
enum FirstLaunchError: Error, Equatable, CustomStringConvertible {
  /// Found before anything was touched.
  case needsSpace(needed: Int64, free: Int64)
  /// Met during the work.
  case diskFull(needed: Int64, free: Int64)
  case noCountingVFS

  var description: String {
    switch self {
    case .needsSpace(let needed, let free):
      "the update needs \(Self.text(needed)) of free disk and finds \(Self.text(free)); the store is as "
        + "it was: free \(Self.text(needed - free)) more, then open the app again"
    case .diskFull(let needed, let free):
      "the disk was full during the update, with \(Self.text(free)) free before; the store is whole: have "
        + "\(Self.text(max(needed, 2 * free))) free, then open the app again"
    case .noCountingVFS: "'free' needs the worker of 'storebench run': no disk is limited here"
    }
  }

  private static func text(_ bytes: Int64) -> String { Figures.bytes(bytes, .significant) }
}

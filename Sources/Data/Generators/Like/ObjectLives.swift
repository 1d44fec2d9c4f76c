import Profiling

/// When the objects of one entity were inserted, updated and deleted, between 0 and 1.
///
/// Objects that no longer exist are numbered from 0 in the order of their deletion. Those that were
/// there before the history begins come first, then they are inserted in that order; objects that
/// still exist are inserted last.
struct ObjectLives: Sendable {
  /// An object by its row, or by its number among those that no longer exist.
  enum Object: Hashable, Sendable {
    case live(Int)
    case deleted(Int)
  }

  let live: Int
  let deletes: Int
  let inserts: Int
  let updates: Int
  /// Deleted objects that were there before the history begins.
  private let olderDeleted: Int
  /// Existing objects that were there before the history begins.
  private let olderLive: Int

  init(_ changes: HistoryProfile.Changes, live: Int) {
    self.live = live
    deletes = changes.deletes
    inserts = min(changes.inserts, live + deletes)
    olderDeleted = max(deletes - inserts, 0)
    olderLive = live - (inserts - (deletes - olderDeleted))
    updates = live > 0 ? changes.updates : 0
  }

  private var insertedDeleted: Int { deletes - olderDeleted }

  func insertTime(_ number: Int) -> Double { Double(number) / Double(inserts) }
  // The deletion of an object that was inserted as the n-th is never before the n-th insertion.
  func deleteTime(_ number: Int) -> Double { Double(number) / Double(deletes) }

  func updateTime(_ number: Int) -> Double {
    let first = olderLive > 0 ? 0 : Double(insertedDeleted + 1) / Double(max(inserts, 1))
    return first + (1 - first) * Double(number) / Double(updates)
  }

  func inserted(_ number: Int) -> Object {
    number < insertedDeleted
      ? .deleted(olderDeleted + number) : .live(olderLive + number - insertedDeleted)
  }

  /// One of the existing objects that are there at the time.
  func updated(_ number: Int, _ draws: inout Draws) -> Object {
    let before = Int(updateTime(number) * Double(inserts)) - insertedDeleted
    return .live(draws.below(max(min(olderLive + before, live), 1)))
  }
}

import DataModel
import PersistentStore
import SQLite

/// What the other process knows of the writer's changes, look by look.
final class ChangeReader {
  private let store: PersistentStore
  private let shape: ReplicaShape
  private let detection: CoexistenceParameters.Detection
  private let history: HistoryReader?
  private let file: SideFile
  private var token: Int64 = 0
  private var offset: UInt64 = 0
  private var date = SaveScript.start - 1

  /// Saves seen so far: all up to that number.
  private(set) var saves = 0
  /// Objects seen to be inserted or updated.
  private(set) var changed: Set<Int64> = []
  private(set) var deleted: Set<Int64> = []
  private(set) var tombstones = 0

  init(
    store: PersistentStore,
    shape: ReplicaShape,
    detection: CoexistenceParameters.Detection,
    folder: String
  ) throws {
    self.store = store
    self.shape = shape
    self.detection = detection
    file = SideFile(folder: folder)
    history = detection == .history ? try HistoryReader(store) : nil
    token = try history?.lastToken() ?? 0
  }

  /// Looks once.
  func look() throws {
    switch detection {
    case .history: try lookAtHistory()
    case .attribute: try lookAtDates()
    case .sideFile:
      let (lines, end) = try file.lines(from: offset)
      offset = end
      saves += lines.count
      for keys in lines { changed.formUnion(keys) }
    }
  }

  private func lookAtHistory() throws {
    var last = token
    for change in try history?.changes(after: token) ?? [] {
      if change.transaction > last {
        saves += 1
        last = change.transaction
      }
      guard change.entity == shape.entity else { continue }
      if change.kind == .deletion {
        deleted.insert(change.key)
        tombstones += change.tombstone.filter { $0 != .null }.count
      } else {
        changed.insert(change.key)
      }
    }
    token = last
  }

  private func lookAtDates() throws {
    let rows = try store.connection.cached(
      "SELECT Z_PK, \(shape.date) FROM \(shape.table.name) WHERE \(shape.date) > ?"
    )
    rows.bind(date, at: 1)
    defer { rows.reset() }
    var latest = date
    while try rows.step() {
      changed.insert(rows.integer(at: 0))
      latest = max(latest, rows.integer(at: 1))
    }
    date = latest
    saves = Int(latest - SaveScript.start) + 1
  }
}

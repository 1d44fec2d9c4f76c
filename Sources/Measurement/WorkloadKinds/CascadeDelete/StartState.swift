import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// The store before a deletion, and what must become of its objects, by plain SQL alone.
struct StartState {
  let layout: StoreLayout
  let content: StoreContent
  let closure: DeletionClosure
  private let root: CascadeRoot
  private let keys: [Int64]

  init(_ trial: Trial, _ parameters: CascadeParameters) throws {
    let connection = try trial.start.plainConnection()
    let keepsHistory =
      try connection.integer(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'"
      ) == 1
    layout = StoreLayout(
      model: try ModelCache.read(from: connection, path: trial.start.path),
      keepsHistory: keepsHistory
    )
    root = try CascadeRoot(
      named: parameters.shape == .chain ? ChainModel.entity(0) : parameters.entity,
      in: layout
    )
    keys = parameters.chosen(of: try root.keys(connection), seed: trial.seed)
    content = try StoreContent(store: trial.start, layout: layout)
    closure = try Self.closure(root, keys, trial, content, isIndexed: parameters.hasChildIndex)
  }

  private static func closure(
    _ root: CascadeRoot,
    _ keys: [Int64],
    _ trial: Trial,
    _ content: StoreContent,
    isIndexed: Bool
  ) throws -> DeletionClosure {
    guard !isIndexed else {
      return try DeletionClosure(of: root.entity, keys: keys, in: content)
    }
    // Without its indexes a store would be read through for every object.
    let copy = StoreFile(path: trial.folder + "/indexed.sqlite")
    defer { try? copy.remove() }
    try copy.remove()
    try FileManager.default.copyItem(atPath: trial.start.path, toPath: copy.path)
    try addIndexes(to: copy, content.layout)
    let indexed = try StoreContent(store: copy, layout: content.layout)
    return try DeletionClosure(of: root.entity, keys: keys, in: indexed)
  }

  private static func addIndexes(to store: StoreFile, _ layout: StoreLayout) throws {
    let connection = try Connection(path: store.path, settings: nil)
    for index in layout.tables.flatMap({ layout.indexes(of: $0) }) where !index.isUnique {
      let definition = index.sql
        .replacing("CREATE INDEX", with: "CREATE INDEX IF NOT EXISTS")
      try connection.execute(definition)
    }
  }

  /// How many objects of which entity were to go, and what went with them.
  var summary: String {
    "\(keys.count == 1 ? "1 object" : "\(keys.count) objects") of '\(root.entity)' deleted, and \(closure.count - keys.count) with them"
  }

  /// The keys of the objects of a table that survive and lose a reference.
  func losers(in table: EntityTable) throws -> Set<Int64> {
    let removed = closure.removed[table.root] ?? []
    var losers: Set<Int64> = []
    for column in table.columns {
      guard let target = target(of: column), let gone = closure.removed[target] else { continue }
      let row = try content.connection.prepare(
        "SELECT Z_PK, \(column.name) FROM \(table.name) WHERE \(column.name) IS NOT NULL"
      )
      while try row.step() {
        let key = row.integer(at: 0)
        if gone.contains(row.integer(at: 1)), !removed.contains(key) { losers.insert(key) }
      }
    }
    return losers
  }

  /// The root entity of what a column leads to, where the rule of the other side is to nullify.
  private func target(of column: Column) -> String? {
    switch column.content {
    case .foreignKey(let relationship):
      guard layout.model.inverse(of: relationship)?.deleteRule == .nullify else { return nil }
      return layout.table(of: relationship.destination)?.root
    case .inverselessKey(let relationship, let source):
      guard relationship.deleteRule == .nullify else { return nil }
      return layout.table(of: source)?.root
    default: return nil
    }
  }
}

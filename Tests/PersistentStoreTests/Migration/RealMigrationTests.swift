import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tests five versions of a real bookmarks store, migrated to every later version of its model.
@Suite(.enabled(if: RealStores.isAvailable, "set STOREBENCH_REAL_STORES to a folder of stores"))
struct RealMigrationTests {
  struct Step: CustomTestStringConvertible, Sendable {
    let from: Int
    let to: Int

    static let all = (1...5).flatMap { from in ((from + 1)...6).map { Step(from: from, to: $0) } }

    var testDescription: String { "V\(from) to V\(to)" }
  }

  private let folder: TemporaryFolder
  private let versions: [VersionedSchema]

  init() throws {
    folder = try TemporaryFolder()
    let path = (RealStores.folder ?? "") + "/bookmarks/BookmarksModel.xcdatamodeld"
    versions = try ModelSource.read(path: path).versions
  }

  @Test(arguments: Step.all, LightweightMigration.Shape.allCases)
  func `keeps every bookmark, place and favourite`(
    step: Step,
    shape: LightweightMigration.Shape
  ) throws {
    let name = "bookmarks/Bookmarks_V\(step.from).sqlite"
    let original = StoreFile(path: try RealStores.copy(name, into: folder))
    let other = try TemporaryFolder()
    let file = StoreFile(path: try RealStores.copy(name, into: other))
    let before = try PersistentStore.open(original)
    let favourites = try favourites(of: before)
    #expect(!favourites.isEmpty || step.from < 3)

    let layout = try migrate(file, to: versions[step.to - 1].model, shape)
    var inspection = StoreInspection(store: file, layout: layout)
    inspection.toleratesOldFaults = true
    let expected = ExpectedContent(
      from: try StoreContent(store: original, layout: before.layout),
      layout: layout
    )
    #expect(try inspection.problems(expecting: expected, history: nil) == [])
    let after = try PersistentStore.open(file)
    #expect(try self.favourites(of: after) == favourites)
    if shape == .rebuild { #expect(try definitions(after) == layout.definitions) }
    #expect(try columns(after) == columns(of: layout))
    #expect(try indexes(after).isSuperset(of: indexes(of: layout)))
  }

  private func migrate(
    _ file: StoreFile,
    to model: Model,
    _ shape: LightweightMigration.Shape
  ) throws -> StoreLayout {
    let store = try PersistentStore.open(file)
    let migration = try LightweightMigration(from: store.layout, to: model, shape: shape)
    try migration.run(on: store.connection, path: file.path)
    let left = DeferredCleanUp(try PersistentStore.open(file))
    while try left.finishTask() {}
    try store.connection.checkpoint()
    return migration.destination
  }

  /// The identifiers of each favorites folder and of its favorites, in order, whether the
  /// relationship is a to-one or a join table.
  private func favourites(of store: PersistentStore) throws -> [[String]] {
    let joined = store.layout.joinTables.first.map { table in
      "SELECT f.ZUUID, b.ZUUID FROM \(table.name) AS j JOIN ZBOOKMARKENTITY AS f ON f.Z_PK = "
        + "j.Z_1FAVORITEFOLDERS JOIN ZBOOKMARKENTITY AS b ON b.Z_PK = j.Z_1FAVORITES "
        + "ORDER BY f.ZUUID, j.Z_FOK_1FAVORITES"
    }
    return try rows(
      joined
        ?? "SELECT f.ZUUID, b.ZUUID FROM ZBOOKMARKENTITY AS b JOIN ZBOOKMARKENTITY AS f "
        + "ON f.Z_PK = b.ZFAVORITEFOLDER ORDER BY f.ZUUID, b.Z_FOK_FAVORITEFOLDER",
      store
    )
  }

  private func definitions(_ store: PersistentStore) throws -> [String] {
    try rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL", store).map { $0[0] }
  }

  /// The names and types of the columns of all tables.
  private func columns(_ store: PersistentStore) throws -> Set<[String]> {
    try Set(
      rows(
        "SELECT m.name, c.name, c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
          + "WHERE m.type = 'table' AND (m.name GLOB 'ZBOOK*' OR m.name GLOB 'Z_[0-9]*')",
        store
      )
    )
  }

  private func columns(of layout: StoreLayout) -> Set<[String]> {
    let fixed = [("Z_PK", "INTEGER"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")]
    let objects = layout.tables.flatMap { table in
      (fixed + table.columns.map { ($0.name, $0.type.rawValue) }).map { [table.name, $0.0, $0.1] }
    }
    let pairs = layout.joinTables.flatMap { table in
      table.columnNames.map { [table.name, $0, "INTEGER"] }
    }
    return Set(objects + pairs)
  }

  /// The columns of all indexes, without the indexes' names.
  private func indexes(_ store: PersistentStore) throws -> Set<[String]> {
    try Set(
      rows(
        "SELECT m.tbl_name, m.name FROM sqlite_master AS m WHERE m.type = 'index' "
          + "AND m.sql IS NOT NULL",
        store
      ).map { index in
        try [index[0]]
          + rows("SELECT name FROM pragma_index_info('\(index[1])')", store).map { $0[0] }
      }
    )
  }

  private func indexes(of layout: StoreLayout) -> Set<[String]> {
    Set(
      layout.tables.flatMap { layout.indexes(of: $0) }.map { [$0.table] + $0.columns.map(\.name) }
    )
  }

  private func rows(_ sql: String, _ store: PersistentStore) throws -> [[String]] {
    let statement = try store.connection.prepare(sql)
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text(at: $0) })
    }
    return rows
  }
}

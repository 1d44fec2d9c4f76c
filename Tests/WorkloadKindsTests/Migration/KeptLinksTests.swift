import DataModel
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests relationships and blobs that must survive a migration to a model that declares them
/// differently.
struct KeptLinksTests {
  private static let ways: [[String: ParameterValue]] =
    LightweightMigration.Shape.allCases.map { ["shape": .text($0.rawValue)] }
    + ["objectGraph", "bareSQL"].map {
      ["strategy": .text("sideBySide"), "engine": .text($0), "batchSize": .integer(0)]
    }

  /// The library's model with a renamed to-one that is the inverse of an ordered to-many.
  private static let renamed: Model = {
    var entities = LibraryFixture.model.entities
    for index in entities.indices {
      for place in entities[index].relationships.indices {
        switch (entities[index].name, entities[index].relationships[place].name) {
        case ("Chapter", "book"): entities[index].relationships[place].name = "volume"
        case ("Book", "chapters"): entities[index].relationships[place].inverse = "volume"
        default: continue
        }
      }
    }
    return Model(entities: entities, versionIdentifiers: ["2"])
  }()

  private static func number(_ path: String, _ sql: String) throws -> Int64? {
    try Connection(path: path, mode: .readOnly).integer(sql)
  }

  @Test(arguments: ways)
  func `a to-one under another name keeps its objects and their places by its inverse`(
    way: [String: ParameterValue]
  ) throws {
    let bench = try LibraryFixture.bench()
    let chapters = try Self.number(
      bench.original.path,
      "SELECT count(*) FROM ZCHAPTER WHERE ZBOOK NOTNULL AND Z_FOK_BOOK NOTNULL"
    )
    let to = try LibraryFixture.write(Self.renamed, in: bench)
    let opened = try bench.open(way.merging(["to": to]) { $1 })
    #expect(try opened.finish().losses == [])
    let path = way["strategy"] == nil ? opened.trial.store.path : opened.trial.newStore.path
    #expect(
      try Self.number(
        path,
        "SELECT count(*) FROM ZCHAPTER WHERE ZVOLUME NOTNULL AND Z_FOK_VOLUME NOTNULL"
      ) == chapters
    )
    #expect(chapters ?? 0 > 0)
  }

  @Test func `links that an inverse keeps are not reported as dropped`() throws {
    let bench = try LibraryFixture.bench()
    let to = try LibraryFixture.write(Self.renamed, in: bench)
    #expect(try bench.fit(["to": to]).obstacle == nil)
  }

  @Test(arguments: ways)
  func `pairs whose key led from the other side have a key from this one afterwards`(
    way: [String: ParameterValue]
  ) throws {
    let bench = try LibraryFixture.bench()
    try Self.reversePairs(bench.original.path)
    let to = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    let opened = try bench.open(way.merging(["to": to, "dropped": .text("allowed")]) { $1 })
    _ = try opened.finish()
    let path = way["strategy"] == nil ? opened.trial.store.path : opened.trial.newStore.path
    #expect(
      try Self.number(
        path,
        "SELECT count(*) FROM sqlite_master AS m, pragma_table_info(m.name) AS p "
          + "WHERE m.name GLOB 'Z_[0-9]*READERS' AND p.pk = 1 AND p.name GLOB 'Z_*PUBLICATIONS'"
      ) == 1
    )
  }

  private static func rows(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(at: 0)) }
    return rows
  }

  /// Swaps master and slave of a many-to-many relationship, as frameworks before 977 may store it.
  private static func reversePairs(_ path: String) throws {
    let connection = try Connection(path: path)
    let table = try #require(
      try connection.text(
        "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*READERS' AND type = 'table'"
      )
    )
    let columns = try Self.rows(connection, "SELECT name FROM pragma_table_info('\(table)')")
    let (own, other, order) = (columns[0], columns[1], columns[2])
    let name = other.replacing("READERS", with: "PUBLICATIONS")
    for sql in [
      "CREATE TABLE \(name) ( \(other) INTEGER, \(own) INTEGER, \(order) INTEGER, "
        + "PRIMARY KEY (\(other), \(own)) )",
      "INSERT INTO \(name) SELECT \(other), \(own), \(order) FROM \(table)", "DROP TABLE \(table)",
      "CREATE INDEX \(name)_\(own)_INDEX ON \(name) (\(own), \(other))",
    ] {
      try connection.execute(sql)
    }
  }
}

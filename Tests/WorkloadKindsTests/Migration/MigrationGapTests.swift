import DataModel
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests stores in which a lightweight migration left something empty, as found in real apps
/// (coredata-format.md, section 16).
struct MigrationGapTests {
  private static let shapes = LightweightMigration.Shape.allCases

  /// The library's model with changed relationships of one entity.
  private static func model(
    _ entity: String,
    _ change: (inout [Relationship]) -> Void
  ) -> Model {
    var entities = LibraryFixture.model.entities
    for index in entities.indices where entities[index].name == entity {
      change(&entities[index].relationships)
    }
    return Model(entities: entities, versionIdentifiers: ["2"])
  }

  private static func rows(_ path: String, _ sql: String) throws -> [String] {
    let statement = try Connection(path: path, mode: .readOnly).prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(at: 0)) }
    return rows
  }

  @Test(arguments: shapes)
  func `a to-many that becomes ordered has places without values`(
    shape: LightweightMigration.Shape
  ) throws {
    let ordered = try LibraryFixture.bench()
    let unordered = Self.model("Book") { relationships in
      for index in relationships.indices where relationships[index].name == "chapters" {
        relationships[index].isOrdered = false
      }
    }
    let way: [String: ParameterValue] = [
      "from": try LibraryFixture.write(unordered, in: ordered),
      "to": .text(ordered.original.path), "shape": .text(shape.rawValue),
    ]
    let opened = try ordered.open(way)
    let verification = try opened.finish()
    let path = opened.trial.store.path
    #expect(try Self.rows(path, "SELECT count(*) FROM ZCHAPTER WHERE ZBOOK NOTNULL") != ["0"])
    #expect(try Self.rows(path, "SELECT DISTINCT Z_FOK_BOOK FROM ZCHAPTER") == [""])
    #expect(
      verification.notes == [
        "Book: 'chapters' becomes ordered, but existing objects have no positions: give them an "
          + "order at the first launch"
      ]
    )
  }

  @Test(arguments: shapes)
  func `pairs that become ordered have places without values`(
    shape: LightweightMigration.Shape
  ) throws {
    let bench = try LibraryFixture.bench()
    let to = Self.model("Publication") { $0[0].isOrdered = true }
    let verification = try bench.verify([
      "to": try LibraryFixture.write(to, in: bench), "shape": .text(shape.rawValue),
    ])
    #expect(verification.notes.count == 1)
  }

  @Test(arguments: shapes)
  func `pairs may lose the order of one side and get that of the other`(
    shape: LightweightMigration.Shape
  ) throws {
    let bench = try LibraryFixture.bench()
    var entities = Self.model("Publication") { $0[0].isOrdered = true }.entities
    for index in entities.indices where entities[index].name == "Reader" {
      for place in entities[index].relationships.indices {
        entities[index].relationships[place].isOrdered = false
      }
    }
    let opened = try bench.open([
      "to": try LibraryFixture.write(Model(entities: entities), in: bench),
      "shape": .text(shape.rawValue),
    ])
    let verification = try opened.finish()
    #expect(verification.notes.map { $0.prefix(24) } == ["Publication: 'readers' b"])
    let columns = try Self.rows(
      opened.trial.store.path,
      "SELECT p.name FROM sqlite_master AS m, pragma_table_info(m.name) AS p "
        + "WHERE m.name GLOB 'Z_[0-9]*' AND p.name LIKE 'Z_FOK%'"
    )
    #expect(columns.count == 1)
  }

  @Test(arguments: shapes)
  func `a default of whole seconds is kept as the integer that its column makes of it`(
    shape: LightweightMigration.Shape
  ) throws {
    let bench = try LibraryFixture.bench()
    var entities = LibraryFixture.model.entities
    for index in entities.indices where entities[index].name == "Chapter" {
      entities[index].attributes.append(
        Attribute(name: "day", type: .date, isOptional: false, defaultValue: .real(86_400))
      )
    }
    let opened = try bench.open([
      "to": try LibraryFixture.write(Model(entities: entities), in: bench),
      "shape": .text(shape.rawValue),
    ])
    _ = try opened.finish()
    #expect(
      try Self.rows(opened.trial.store.path, "SELECT DISTINCT typeof(ZDAY) || ZDAY FROM ZCHAPTER")
        == ["integer86400"]
    )
  }

  @Test func `objects of an entity that becomes abstract are no objects of anything`() throws {
    let bench = try LibraryFixture.bench()
    var entities = LibraryFixture.model.entities
    for index in entities.indices where entities[index].name == "Issue" {
      entities[index].isAbstract = true
    }
    let to = try LibraryFixture.write(Model(entities: entities), in: bench)
    for strategy in ["lightweight", "sideBySide"] {
      #expect(
        try bench.fit(["to": to, "strategy": .text(strategy)]).obstacle
          == "4 objects of 'Issue' would lose their entity, because it becomes abstract: make them "
          + "objects of a sub-entity first"
      )
    }
  }

  @Test(arguments: ["objectGraph", "bareSQL"])
  func
    `a copy has nothing for a new required relationship, and a migration in place leaves it empty`(
      engine: String
    ) throws
  {
    let bench = try LibraryFixture.bench()
    let to = Self.model("Chapter") {
      $0.append(Relationship(name: "editor", destination: "Reader", isOptional: false))
    }
    let values: [String: ParameterValue] = [
      "to": try LibraryFixture.write(to, in: bench), "engine": .text(engine),
      "batchSize": .integer(0),
    ]
    #expect(try bench.fit(values).obstacle == nil)
    #expect(
      try bench.fit(values.merging(["strategy": .text("sideBySide")]) { $1 }).obstacle
        == "copies of Chapter have no object for the required relationship 'editor': set it by a map, "
        + "make it optional, or migrate in place, which leaves it empty"
    )
  }

  @Test(arguments: shapes)
  func `a new required to-many of existing objects stays empty`(
    shape: LightweightMigration.Shape
  ) throws {
    let bench = try LibraryFixture.bench()
    var to = Self.model("Reader") {
      $0.append(
        Relationship(
          name: "cards",
          destination: "Card",
          inverse: "reader",
          isToMany: true,
          isOptional: false,
          minimumCount: 1
        )
      )
      $0.append(Relationship(name: "home", destination: "Card", isOptional: false))
    }
    to = Model(
      entities: to.entities + [
        Entity(
          name: "Card",
          relationships: [
            Relationship(name: "reader", destination: "Reader", inverse: "cards", isOptional: false)
          ]
        )
      ]
    )
    let verification = try bench.verify([
      "to": try LibraryFixture.write(to, in: bench), "shape": .text(shape.rawValue),
    ])
    #expect(
      verification.notes
        == ["cards", "home"].map {
          "Reader: relationship '\($0)' becomes required, but existing objects may have no target: "
            + "the migration succeeds, but the next save of such an object fails"
        }
    )
  }

  @Test(arguments: shapes)
  func `a new inverse of a one-to-one stays empty`(shape: LightweightMigration.Shape) throws {
    let bench = try LibraryFixture.bench()
    var to = Self.model("Reader") { relationships in
      for index in relationships.indices where relationships[index].name == "favourite" {
        relationships[index].inverse = "fan"
      }
    }
    var entities = to.entities
    for index in entities.indices where entities[index].name == "Publication" {
      entities[index].relationships.append(
        Relationship(name: "fan", destination: "Reader", inverse: "favourite")
      )
    }
    to = Model(entities: entities)
    let verification = try bench.verify([
      "to": try LibraryFixture.write(to, in: bench), "shape": .text(shape.rawValue),
    ])
    #expect(
      verification.notes == [
        "Publication: 'fan' is the new inverse of a one-to-one and stays empty: set it at the first "
          + "launch"
      ]
    )
  }

  @Test func `join tables without a primary key stay so in place and get one when rebuilt`() throws
  {
    for shape in Self.shapes {
      let bench = try LibraryFixture.bench()
      try Self.removePrimaryKey(bench.original.path)
      // A new entity that sorts first changes entity numbers, and so the name of the join table.
      let to = LibraryFixture.nextModel(isUnique: false)
      let opened = try bench.open([
        "to": try LibraryFixture.write(to, in: bench), "shape": .text(shape.rawValue),
      ])
      _ = try opened.finish()
      let sql = try Self.rows(
        opened.trial.store.path,
        "SELECT sql FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'"
      )
      #expect(sql.count == 1)
      #expect(sql[0].contains("PRIMARY KEY") == (shape == .rebuild))
    }
  }

  /// Removes a join table's primary key, as in stores of frameworks up to 754.
  private static func removePrimaryKey(_ path: String) throws {
    let connection = try Connection(path: path)
    let name = try connection.text(
      "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'"
    )
    let table = try #require(name)
    let sql = try #require(
      try connection.text("SELECT sql FROM sqlite_master WHERE name = '\(table)'")
    )
    let keyless = sql.replacing(/, PRIMARY KEY \([^)]*\)/, with: "")
    try connection.execute("ALTER TABLE \(table) RENAME TO old")
    let index = try connection.text(
      "SELECT sql FROM sqlite_master WHERE tbl_name = 'old' AND sql LIKE 'CREATE INDEX%'"
    )
    try connection.execute(keyless)
    try connection.execute("INSERT INTO \(table) SELECT * FROM old")
    try connection.execute("DROP TABLE old")
    if let index { try connection.execute(index.replacing("\"old\"", with: table)) }
  }
}

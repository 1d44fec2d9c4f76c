import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tables that later releases of an app altered in place: what ``LayoutComparison`` says was run on
/// them, run on the statements of the earlier release, gives the file's text to the character.
struct TableHistoryTests {
  /// A store of one release after statements have been run on it, compared with the next release's
  /// model.
  private func comparison(
    of old: Model,
    after statements: [String],
    as new: Model,
    framework: Int = 1251,
    made: LayoutGeneration = .current
  ) throws -> (comparison: LayoutComparison, texts: [String: String]) {
    let folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let connection = try Connection(path: path, mode: .create, settings: nil)
    let layout = StoreLayout(model: old, keepsHistory: true, generation: made)
    try connection.executeScript(layout.definitions + statements)
    let metadata = StoreMetadata(
      uuid: "00000000-0000-0000-0000-000000000000",
      versionIdentifiers: [""],
      frameworkVersion: framework
    )
    try SystemRows(layout: layout, metadata: metadata).write(to: connection)
    return (
      try LayoutComparison(model: new, connection: connection, path: path),
      try Self.texts(connection)
    )
  }

  private static func texts(_ connection: Connection) throws -> [String: String] {
    let row = try connection.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    var texts: [String: String] = [:]
    while try row.step() { texts[row.text(at: 0)] = row.text(at: 1) }
    return texts
  }

  /// The earlier release's own statements, and then those that the comparison names.
  private func replayed(_ comparison: LayoutComparison, on old: Model) throws -> [String: String] {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    let layout = StoreLayout(model: old, keepsHistory: true)
    try connection.executeScript(layout.definitions + comparison.histories.flatMap(\.statements))
    return try Self.texts(connection)
  }

  private static func photo(_ attributes: [Attribute] = [], albums: Bool = true) -> Entity {
    Entity(
      name: "Photo",
      attributes: [Attribute(name: "date", type: .date), Attribute(name: "title", type: .string)]
        + attributes,
      relationships: [
        Relationship(name: "albums", destination: "Album", inverse: "photos", isToMany: true),
        Relationship(name: "moment", destination: "Moment", inverse: "photos"),
      ],
      fetchIndexes: [FetchIndex(name: "byTitle", elements: [.init(property: "title")])]
    )
  }

  private static func album(isOrdered: Bool = false) -> Entity {
    Entity(
      name: "Album",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "photos",
          destination: "Photo",
          inverse: "albums",
          isToMany: true,
          isOrdered: isOrdered
        )
      ]
    )
  }

  private static func moment(isOrdered: Bool = false) -> Entity {
    Entity(
      name: "Moment",
      relationships: [
        Relationship(
          name: "photos",
          destination: "Photo",
          inverse: "moment",
          isToMany: true,
          isOrdered: isOrdered
        )
      ]
    )
  }

  private static let old = Model(entities: [photo(), album(), moment()])

  @Test func `columns that were added stand at the end`() throws {
    let new = Model(entities: [
      Self.photo([
        Attribute(name: "altitude", type: .double), Attribute(name: "zoom", type: .integer16),
      ]), Self.album(), Self.moment(isOrdered: true),
    ])
    let (comparison, texts) = try comparison(
      of: Self.old,
      after: [
        "ALTER TABLE ZPHOTO ADD COLUMN ZALTITUDE FLOAT",
        "ALTER TABLE ZPHOTO ADD COLUMN ZZOOM INTEGER",
        "ALTER TABLE ZPHOTO ADD COLUMN Z_FOK_MOMENT INTEGER",
      ],
      as: new
    )
    #expect(comparison.isExplained)
    #expect(comparison.entries(in: .alteredInPlace).map(\.name) == ["ZPHOTO"])
    #expect(
      comparison.histories.map(\.statements) == [
        [
          "ALTER TABLE ZPHOTO ADD COLUMN ZALTITUDE FLOAT",
          "ALTER TABLE ZPHOTO ADD COLUMN ZZOOM INTEGER",
          "ALTER TABLE ZPHOTO ADD COLUMN Z_FOK_MOMENT INTEGER",
        ]
      ]
    )
    #expect(try replayed(comparison, on: Self.old) == texts)
  }

  /// A new entity that sorts in front renumbers what follows: join tables and their columns are
  /// renamed, and indexes under old names pile up beside the new ones.
  @Test func `renumbered join tables keep the indexes of all releases`() throws {
    let old = Model(entities: [Self.photo(), Self.album(isOrdered: true), Self.moment()])
    let new = Model(entities: old.entities + [Entity(name: "Aaa"), Entity(name: "Aab")])
    var statements: [String] = []
    for number in [1, 2] {
      let (table, next) = ("Z_\(number)PHOTOS", "Z_\(number + 1)PHOTOS")
      statements += [
        "ALTER TABLE \(table) RENAME COLUMN Z_\(number)ALBUMS TO Z_\(number + 1)ALBUMS",
        "ALTER TABLE \(table) RENAME COLUMN Z_\(number + 2)PHOTOS TO Z_\(number + 3)PHOTOS",
        "ALTER TABLE \(table) RENAME COLUMN Z_FOK_\(number + 2)PHOTOS "
          + "TO Z_FOK_\(number + 3)PHOTOS", "ALTER TABLE \(table) RENAME TO \(next)",
        "CREATE INDEX \(next)_Z_\(number + 3)PHOTOS_INDEX ON \(next) "
          + "(Z_\(number + 3)PHOTOS, Z_\(number + 1)ALBUMS)",
      ]
    }
    statements += ["Aaa", "Aab"].map {
      "CREATE TABLE Z\($0.uppercased()) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )"
    }
    let (comparison, texts) = try comparison(of: old, after: statements, as: new)
    #expect(comparison.entries(in: .unexplained) == [])
    #expect(
      texts["Z_3PHOTOS"]
        == "CREATE TABLE \"Z_3PHOTOS\" ( Z_3ALBUMS INTEGER, Z_5PHOTOS INTEGER, "
        + "Z_FOK_5PHOTOS INTEGER, PRIMARY KEY (Z_3ALBUMS, Z_5PHOTOS) )"
    )
    let history = try #require(comparison.histories.first)
    #expect(comparison.histories.count == 1)
    #expect(history.assumedNames == [])
    let expected = texts.filter { $0.value.contains("PHOTOS") && $0.key.hasPrefix("Z_") }
    let replayed = try replayed(comparison, on: old)
    #expect(expected.count == 4)
    for (name, text) in expected { #expect(replayed[name] == text) }
  }

  @Test func `a renamed attribute stands where its former name stood`() throws {
    let renamed = Entity(
      name: "Photo",
      attributes: [
        Attribute(name: "date", type: .date),
        Attribute(name: "caption", type: .string, renamingIdentifier: "title"),
        Attribute(name: "place", type: .string),
      ],
      relationships: Self.photo().relationships,
      fetchIndexes: [FetchIndex(name: "byTitle", elements: [.init(property: "caption")])]
    )
    var old = Self.photo([Attribute(name: "place", type: .string)])
    old.attributes.append(Attribute(name: "taken", type: .string))
    let former = Model(entities: [old, Self.album(), Self.moment()])
    var next = renamed
    next.attributes.append(Attribute(name: "taken", type: .string))
    let new = Model(entities: [next, Self.album(), Self.moment()])
    let (comparison, texts) = try comparison(
      of: former,
      after: ["ALTER TABLE ZPHOTO RENAME COLUMN ZTITLE TO ZCAPTION"],
      as: new
    )
    #expect(comparison.isExplained)
    #expect(
      comparison.histories.map(\.statements) == [
        [
          "ALTER TABLE ZPHOTO RENAME COLUMN ZTITLE TO ZCAPTION"
        ]
      ]
    )
    #expect(try replayed(comparison, on: former) == texts)
  }

  @Test func `a renamed entity keeps its indexes under the former name`() throws {
    var picture = Self.photo()
    picture.name = "Picture"
    picture.renamingIdentifier = "Photo"
    let new = Model(
      entities: [picture, Self.album(), Self.moment()].map { entity in
        var entity = entity
        for place in entity.relationships.indices
        where entity.relationships[place].destination == "Photo" {
          entity.relationships[place].destination = "Picture"
        }
        return entity
      }
    )
    let (comparison, texts) = try comparison(
      of: Self.old,
      after: [
        "ALTER TABLE ZPHOTO RENAME TO ZPICTURE",
        "CREATE INDEX ZPICTURE_ZMOMENT_INDEX ON ZPICTURE (ZMOMENT)",
        "CREATE INDEX Z_Picture_byTitle ON ZPICTURE (ZTITLE COLLATE BINARY ASC)",
      ],
      as: new
    )
    #expect(comparison.entries(in: .unexplained) == [])
    #expect(comparison.histories.map(\.assumedNames) == [[]])
    #expect(try replayed(comparison, on: Self.old) == texts)
  }

  /// An index of a column that was added, made before the table was renamed.
  @Test func `indexes of added columns are made after them`() throws {
    let new = Model(entities: [
      Entity(
        name: "Photo",
        attributes: Self.photo([Attribute(name: "altitude", type: .double)]).attributes,
        relationships: Self.photo().relationships,
        fetchIndexes: [
          FetchIndex(name: "byTitle", elements: [.init(property: "title")]),
          FetchIndex(name: "byAltitude", elements: [.init(property: "altitude")]),
        ]
      ), Self.album(), Self.moment(),
    ])
    let (comparison, texts) = try comparison(
      of: Self.old,
      after: [
        "ALTER TABLE ZPHOTO ADD COLUMN ZALTITUDE FLOAT",
        "CREATE INDEX Z_Photo_byAltitude ON ZPHOTO (ZALTITUDE COLLATE BINARY ASC)",
      ],
      as: new
    )
    #expect(comparison.isExplained)
    #expect(try replayed(comparison, on: Self.old) == texts)
  }

  @Test func `what an older framework made stays, and a join table may have no key`() throws {
    var old = Self.old
    old = Model(
      entities: old.entities.map { entity in
        var entity = entity
        if entity.name == "Album" { entity.uniquenessConstraints = [["name"]] }
        return entity
      }
    )
    let (comparison, _) = try comparison(
      of: old,
      after: [
        "DROP TABLE Z_1PHOTOS",
        "CREATE TABLE Z_1PHOTOS ( Z_1ALBUMS INTEGER, Z_3PHOTOS INTEGER )",
        "CREATE INDEX Z_1PHOTOS_Z_3PHOTOS_INDEX ON Z_1PHOTOS (Z_3PHOTOS, Z_1ALBUMS)",
        "CREATE UNIQUE INDEX Z_Album_UNIQUE_name ON ZALBUM (ZNAME COLLATE BINARY ASC)",
      ],
      as: old,
      made: .constraintsInTables
    )
    #expect(comparison.isExplained)
    #expect(comparison.entries(in: .olderLayout).map(\.name) == ["ZALBUM"])
  }

  /// Nothing of a hostile schema is run, and what no statement leads to stays unexplained.
  @Test(arguments: [
    "ALTER TABLE ZPHOTO ADD COLUMN ZMORE INTEGER DEFAULT (abs(-9223372036854775808))",
    "ALTER TABLE ZPHOTO ADD COLUMN \"Z; DROP TABLE ZALBUM\" INTEGER",
    "CREATE INDEX Z_Photo_mine ON ZPHOTO (ZTITLE COLLATE NOCASE) WHERE length(ZTITLE) > 3",
  ])
  func `what is in no framework's statements stays unexplained`(statement: String) throws {
    let (comparison, _) = try comparison(of: Self.old, after: [statement], as: Self.old)
    #expect(comparison.entries(in: .unexplained).count == 1)
    #expect(comparison.histories == [])
  }
}

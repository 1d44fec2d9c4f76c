import DataModel
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests relationships of a filled store that get an inverse, or another kind of inverse.
struct NewInverseTests {
  private static let ways: [[String: ParameterValue]] = [
    ["strategy": .text("lightweight"), "shape": .text("inPlace")],
    ["strategy": .text("lightweight"), "shape": .text("rebuild")],
    ["strategy": .text("sideBySide"), "batchSize": .integer(0)],
    ["strategy": .text("sideBySide")],
    ["strategy": .text("sideBySide"), "engine": .text("bareSQL")],
    ["strategy": .text("exportImport")], ["strategy": .text("gradual")],
    ["strategy": .text("mappingModel")],
  ]

  private static func model(
    _ guests: [Relationship],
    _ rooms: [Relationship],
    version: String
  ) -> Model {
    Model(
      entities: [
        Entity(
          name: "Guest",
          attributes: [Attribute(name: "name", type: .string)],
          relationships: guests
        ),
        Entity(
          name: "Room",
          attributes: [Attribute(name: "number", type: .integer32)],
          relationships: rooms
        ),
        Entity(name: "Suite", superentity: "Room"),
      ],
      versionIdentifiers: [version]
    )
  }

  private static func bench(_ old: Model) throws -> KindBench<MigrationWorkload> {
    try KindBench(model: old) { context in
      let rooms = try ["Room", "Suite", "Room"].map { try context.insert($0) }
      for index in 0..<8 {
        let guest = try context.insert("Guest")
        try guest.setValue(.text("Guest \(index)"), of: "name")
        guard index < 7 else { continue }
        if old.entity(named: "Guest")?.relationships.isEmpty == true {
          try rooms[index % 2].add(guest, to: "guests")
        } else {
          try guest.setTarget(rooms[index % 2], of: "room")
        }
      }
    }
  }

  private static func rows(_ path: String, _ sql: String) throws -> [String] {
    let statement = try Connection(path: path, mode: .readOnly).prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(at: 0)) }
    return rows
  }

  @Test(arguments: ways)
  func `a to-one that becomes one-to-one keeps the last of several objects`(
    way: [String: ParameterValue]
  ) throws {
    let bench = try Self.bench(
      Self.model([Relationship(name: "room", destination: "Room")], [], version: "1")
    )
    let new = Self.model(
      [Relationship(name: "room", destination: "Room", inverse: "guest")],
      [Relationship(name: "guest", destination: "Guest", inverse: "room")],
      version: "2"
    )
    let values = way.merging([
      "to": try LibraryFixture.write(new, in: bench), "dropped": .text("allowed"),
    ]) { $1 }
    let opened = try bench.open(values)
    let verification = try opened.finish()
    let isCopy = way["strategy"] != .text("lightweight")
    #expect(
      verification.losses
        == (isCopy
          ? [
            "5 objects of Guest had the same 'room' as a later object, and lost the link: the "
              + "relationship is now one-to-one"
          ] : [])
    )
    let kept = try Self.rows(
      opened.session.result.path,
      "SELECT ZNAME FROM ZGUEST WHERE ZROOM NOTNULL ORDER BY 1"
    )
    let answers = try Self.rows(
      opened.session.result.path,
      "SELECT count(*) FROM ZGUEST AS g JOIN ZROOM AS r ON r.ZGUEST = g.Z_PK AND g.ZROOM = r.Z_PK"
    )
    #expect(answers == [isCopy ? "2" : "0"])
    #expect(kept == (isCopy ? ["Guest 5", "Guest 6"] : (0..<7).map { "Guest \($0)" }))
  }

  @Test func `a to-one that becomes one-to-one is a loss that has to be allowed`() throws {
    let bench = try Self.bench(
      Self.model([Relationship(name: "room", destination: "Room")], [], version: "1")
    )
    let new = Self.model(
      [Relationship(name: "room", destination: "Room", inverse: "guest")],
      [Relationship(name: "guest", destination: "Guest", inverse: "room")],
      version: "2"
    )
    let values: [String: ParameterValue] = ["to": try LibraryFixture.write(new, in: bench)]
    #expect(try bench.fit(values).obstacle == nil)
    #expect(
      try bench.fit(values.merging(["strategy": .text("sideBySide")]) { $1 }).obstacle
        == "5 objects of Guest have the same 'room' as a later object, but the relationship becomes "
        + "one-to-one: a copy keeps only the last object's link; keep the inverse to-many, "
        + "migrate in place, or allow the loss with 'dropped: allowed'"
    )
  }

  @Test(arguments: ways)
  func `a to-many with sub-entities above it gets an inverse`(way: [String: ParameterValue]) throws
  {
    let bench = try Self.bench(
      Self.model(
        [],
        [
          Relationship(name: "guests", destination: "Guest", isToMany: true)
        ],
        version: "1"
      )
    )
    let new = Self.model(
      [Relationship(name: "room", destination: "Room", inverse: "guests")],
      [Relationship(name: "guests", destination: "Guest", inverse: "room", isToMany: true)],
      version: "2"
    )
    let opened = try bench.open(
      way.merging(["to": try LibraryFixture.write(new, in: bench)]) { $1 }
    )
    #expect(try opened.finish().losses == [])
    #expect(
      try Self.rows(
        opened.session.result.path,
        "SELECT count(*) FROM ZGUEST AS g JOIN ZROOM AS r ON r.Z_PK = g.ZROOM "
          + "AND r.Z_ENT = g.Z2_ROOM"
      ) == ["7"]
    )
  }
}

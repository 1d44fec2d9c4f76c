import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Merging two replicas` {
  private static func bench(keepsHistory: Bool = false) throws -> KindBench<ReplicasWorkload> {
    let model = Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid), Attribute(name: "body", type: .string),
          Attribute(name: "changedAt", type: .date), Attribute(name: "scan", type: .binary),
        ],
        relationships: [Relationship(name: "folder", destination: "Folder", inverse: "notes")]
      ),
      Entity(
        name: "Folder",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "notes", destination: "Note", inverse: "folder", isToMany: true)
        ]
      ),
    ])
    return try KindBench(model: model, keepsHistory: keepsHistory) { context in
      let folder = try context.insert("Folder")
      try folder.setValue(.text("all"), of: "name")
      for index in 0..<200 {
        let note = try context.insert("Note")
        let id = (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
        try note.setValue(.blob(id), of: "id")
        try note.setValue(.text("note \(index)"), of: "body")
        try note.setValue(
          index % 9 == 0 ? .null : .real(5e8 + Double(index) + 0.5),
          of: "changedAt"
        )
        try note.setTarget(index % 3 == 0 ? nil : folder, of: "folder")
      }
    }
  }

  @Test func `a store without what replicas need is left out with the reason`() throws {
    let bench = try Self.bench()
    let foreign: [String: ParameterValue] = [
      "entity": .text("Task"), "identity": .text("key"), "date": .text("modifiedAt"),
    ]
    #expect(try bench.fit(foreign).misfits.map(\.parameter) == ["entity", "identity", "date"])
    #expect(try bench.fit(foreign).obstacle == nil)
    #expect(try bench.fit([:]).obstacle == nil && bench.fit([:]).misfits.isEmpty)
    #expect(
      try bench.fit(["entity": .text("Folder")]).obstacle
        == "'Folder' has no UUID, no date of its last change or no text; name them in 'identity' and "
        + "'date'"
    )
  }

  @Test(arguments: [0, 0.2, 1], [false, true])
  func `keeps the later change of each object by either engine`(
    conflicts: Double,
    keepsHistory: Bool
  ) throws {
    let bench = try Self.bench(keepsHistory: keepsHistory)
    let values: [String: ParameterValue] = [
      "conflicts": .real(conflicts), "changed": .real(conflicts < 1 ? 0.1 : 0),
      "batchSize": .integer(7),
    ]
    let verifications = try ["objectGraph", "bareSQL"].map {
      try bench.verify(values.merging(["engine": .text($0)]) { $1 })
    }
    #expect(verifications[0] == verifications[1])
    let words = try #require(verifications[0].notes.first)
    let match = try #require(
      words.wholeMatch(
        of: /(\d+) of Note copied from the other replica, (\d+) of them also changed here/
      )
    )
    let (taken, lost) = (try #require(Int(match.1)), try #require(Int(match.2)))
    // Each replica wins about half of the conflicts.
    #expect(lost <= taken)
    #expect(conflicts > 0 ? (5..<150).contains(lost) : lost == 0)
    #expect(conflicts < 1 ? taken > lost : taken == lost)
  }

  @Test(arguments: ["objectGraph", "bareSQL"])
  func `catches every mutation that can occur`(engine: String) throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(after: ["engine": .text(engine), "conflicts": .real(0.3)])
    #expect(tally.missed == [])
    #expect(tally.occurred > 8)
  }

  @Test func `refuses objects that cannot be told apart, and shares above one`() throws {
    let bench = try Self.bench()
    try Connection(path: bench.original.path).execute("UPDATE ZNOTE SET ZID = X'00' WHERE Z_PK < 3")
    #expect {
      try bench.verify([:])
    } throws: { "\($0)".contains("several objects of 'Note' have the same 'id'") }
    #expect {
      try bench.verify(["entity": .text("Folder")])
    } throws: { "\($0)".contains("'Folder' has no UUID") }
    let values = try bench.parameters(["conflicts": .real(0.9), "changed": .real(0.2)])
    #expect(
      ReplicasWorkload.impossibility(of: values)
        == "'conflicts' plus twice 'changed' is more than all objects: make one of them smaller"
    )
  }
}

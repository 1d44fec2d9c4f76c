import Basics
import DataModel
import Testing

@testable import SQLLog

/// Tests the scenario steps that are made from a log.
@Suite struct LogScenarioTests {
  private static let notes = Model(entities: [
    Entity(
      name: "Folder",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [
        Relationship(name: "notes", destination: "Note", inverse: "folder", isToMany: true)
      ]
    ),
    Entity(
      name: "Note",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "isPinned", type: .boolean),
        Attribute(name: "link", type: .uri), Attribute(name: "order", type: .integer16),
        Attribute(name: "weight", type: .float), Attribute(name: "id", type: .uuid),
        Attribute(name: "rating", type: .integer32, maximum: .integer(5)),
        Attribute(name: "code", type: .string, maximum: .integer(10)),
        Attribute(name: "stars", type: .integer16, minimum: .integer(1), maximum: .integer(5)),
      ],
      relationships: [
        Relationship(name: "folder", destination: "Folder", inverse: "notes"),
        Relationship(name: "file", destination: "File", inverse: "note"),
      ]
    ),
    Entity(
      name: "File",
      relationships: [Relationship(name: "note", destination: "Note", inverse: "file")]
    ),
  ])

  private static func attachments(isAbstract: Bool) -> Model {
    Model(entities: [
      Entity(
        name: "Attachment",
        isAbstract: isAbstract,
        attributes: [Attribute(name: "name", type: .string)]
      ),
      Entity(
        name: "Photo",
        superentity: "Attachment",
        attributes: [Attribute(name: "width", type: .integer32)]
      ),
      Entity(
        name: "Video",
        superentity: "Attachment",
        attributes: [Attribute(name: "seconds", type: .double)]
      ),
    ])
  }

  private static func insert(_ table: String, _ columns: [String]) -> String {
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES(\(marks))"
  }

  private static func update(_ table: String, _ columns: [String]) -> String {
    let sets = (["Z_OPT"] + columns).map { "\($0) = ?" }.joined(separator: ", ")
    return "UPDATE \(table) SET \(sets)  WHERE Z_PK = ? AND Z_OPT = ?"
  }

  private static let deletion = "DELETE FROM ZNOTE WHERE Z_PK = ? AND Z_OPT = ?"

  private func scenario(
    _ lines: [String],
    model: Model = notes,
    counts: [String: Int]? = nil,
    marker: String? = nil
  ) throws -> LogScenario {
    let log = try LogFixture(lines.joined(separator: "\n") + "\n")
    return try withExtendedLifetime(log) {
      try LogScenario(
        of: [log.path],
        marker: try marker.map { try ActionMarker($0) },
        model: model,
        schema: LogSchema(model: model),
        counts: counts
      )
    }
  }

  @Test func `a save comes before a step that uses objects inserted in the same transaction`()
    throws
  {
    let parent = Self.insert("ZFOLDER", ["ZTITLE"])
    let child = Self.insert("ZNOTE", ["ZFOLDER", "ZTITLE"])
    let made = try scenario([Lines.save([parent, child, child])])
    #expect(
      made.steps.map(\.text) == [
        "{ insert: Folder, objects: 1 }", "save",
        "{ insert: Note, objects: 2, to: { folder: uniform } }", "save",
      ]
    )
    #expect(made.notes.contains { $0.text.contains("a step uses only saved objects of Folder") })
    let changed = try scenario([Lines.save([child, Self.update("ZNOTE", ["ZTITLE"])])])
    #expect(
      changed.steps.map(\.text) == [
        "{ insert: Note, objects: 1, to: { folder: uniform } }", "save",
        "{ update: Note, objects: 1, set: [title] }", "save",
      ]
    )
    // A list of steps that is cut to a limit ends with a save.
    #expect(made.steps(upTo: 3).map(\.text) == ["{ insert: Folder, objects: 1 }", "save"])
    #expect(made.steps(upTo: 4).count == 4)
  }

  @Test func `updates change every attribute that a step can change, and move objects`() throws {
    let columns = ["ZISPINNED", "ZLINK", "ZORDER", "ZWEIGHT", "ZSTARS", "ZFOLDER"]
    let made = try scenario([Lines.save([Self.update("ZNOTE", columns)])])
    #expect(
      made.steps.first?.text
        == "{ update: Note, objects: 1, set: [isPinned, link, order, weight, stars], "
        + "to: { folder: uniform } }"
    )
    #expect(made.notes.isEmpty)
  }

  @Test func `updates leave out what a step cannot change, and name it`() throws {
    let columns = ["ZTITLE", "ZRATING", "ZCODE", "ZID", "ZFILE"]
    let made = try scenario([Lines.save([Self.update("ZNOTE", columns)])])
    #expect(made.steps.first?.text == "{ update: Note, objects: 1, set: [title] }")
    let others = ["rating", "code", "id", "file"]
    #expect(
      made.notes.map(\.text) == others.map { "changes of Note.\($0), which the steps leave out" }
    )
  }

  @Test func `a test for NULL alone is a condition`() throws {
    let sql = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0 WHERE  t0.ZFOLDER IS NULL"
    let made = try scenario([Lines.fetch(sql, rows: 12)])
    #expect(made.steps.map(\.text) == ["{ fetch: Note, limit: 12 }"])
    #expect(made.notes.first?.text.hasPrefix("reads of Note by folder: ") == true)
  }

  @Test func `a batch request is named, since the log does not show its objects`() throws {
    let deletion = "DELETE FROM ZNOTE WHERE Z_PK IN (SELECT * FROM _Z_intarray0)"
    let child = Self.insert("ZNOTE", ["ZTITLE"])
    let made = try scenario([Lines.save([deletion]), Lines.save([child])])
    #expect(made.steps.map(\.text).last == "save")
    #expect(!made.steps.contains { $0.text.contains("delete") })
    #expect(made.notes.map(\.text).contains { $0.hasPrefix("deletes of Note by a batch request") })
  }

  @Test func `to-ones that lose deleted objects are left to the delete rule`() throws {
    let delete = "DELETE FROM ZFOLDER WHERE Z_PK = ? AND Z_OPT = ?"
    let made = try scenario([Lines.save([Self.update("ZNOTE", ["ZFOLDER"]), delete])])
    #expect(made.steps.map(\.text) == ["{ delete: Folder, objects: 1 }", "save"])
    #expect(made.notes.isEmpty)
  }

  @Test(arguments: [true, false])
  func `insertions are of the entity that has the statement's columns`(isAbstract: Bool) throws {
    let model = Self.attachments(isAbstract: isAbstract)
    let video = Self.insert("ZATTACHMENT", ["ZNAME", "ZSECONDS"])
    let photo = Self.insert("ZATTACHMENT", ["ZNAME", "ZWIDTH"])
    let made = try scenario([Lines.save([video, photo, photo])], model: model)
    #expect(
      made.steps.map(\.text) == [
        "{ insert: Video, objects: 1 }", "save", "{ insert: Photo, objects: 2 }", "save",
      ]
    )
    #expect(
      made.notes.map(\.text) == [
        "saves that are two in the steps: a step uses only saved objects of Video"
      ]
    )
    let unknown = try scenario(
      [Lines.save([Self.insert("ZATTACHMENT", ["ZNAME"])])],
      model: model
    )
    #expect(
      unknown.steps.first?.text == "{ insert: \(isAbstract ? "Photo" : "Attachment"), objects: 1 }"
    )
    #expect(unknown.notes.contains { $0.text.contains("Photo or Video") } == isAbstract)
  }

  @Test func `mandatory to-ones are set, also of ordered relationships`() throws {
    let model = Model(entities: [
      Entity(
        name: "Entry",
        relationships: [
          Relationship(name: "list", destination: "List", inverse: "entries", isOptional: false)
        ]
      ),
      Entity(
        name: "List",
        relationships: [
          Relationship(
            name: "entries",
            destination: "Entry",
            inverse: "list",
            isToMany: true,
            isOrdered: true
          )
        ]
      ),
    ])
    let made = try scenario([Lines.save([Self.insert("ZENTRY", ["ZLIST"])])], model: model)
    #expect(made.steps.first?.text == "{ insert: Entry, objects: 1, to: { list: uniform } }")
  }

  @Test func `new objects lead to no entity of which the store has no objects`() throws {
    let insert = Lines.save([Self.insert("ZNOTE", ["ZFOLDER", "ZTITLE"])])
    let made = try scenario([insert], counts: ["Note": 3])
    #expect(made.steps.first?.text == "{ insert: Note, objects: 1 }")
    #expect(made.notes.contains { $0.text.contains("the store has no Folder") })
    let linked = try scenario([insert], counts: ["Note": 3, "Folder": 1])
    #expect(linked.steps.first?.text == "{ insert: Note, objects: 1, to: { folder: uniform } }")
  }

  @Test func `steps pick no more objects than the store has`() throws {
    let updates = Lines.save(Array(repeating: Self.update("ZNOTE", ["ZTITLE"]), count: 5))
    let deletions = Lines.save(Array(repeating: Self.deletion, count: 5))
    let made = try scenario([updates, deletions], counts: ["Note": 3])
    #expect(
      made.steps.map(\.text) == [
        "{ update: Note, objects: 3, set: [title] }", "save",
        "{ delete: Note, objects: 2 }", "save",
      ]
    )
    #expect(
      made.notes.map(\.text) == [
        "updates of 5 objects of Note, of which the store then has 3: the step picks 3",
        "deletes of 5 objects of Note, of which the store then has 3: the step picks 2, which "
          + "leaves one for other steps",
      ]
    )
    #expect(throws: Refusal.self) { try scenario([updates], counts: ["Folder": 3]) }
  }

  @Test func `each action has a part of its own`() throws {
    let names = ["detail 1", "detail 2", "详情", "列表", "count", "detail 1"]
    let fetch = Lines.fetch("SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZNOTE t0", rows: 3)
    let made = try scenario(
      names.flatMap { ["screen: \($0)", fetch] },
      marker: "screen: (?<name>.+)"
    )
    #expect(made.parts.map(\.action) == Array(names.prefix(5)))
    #expect(made.parts.map(\.part) == ["detail", "detailA", "partA", "partB", "countA"])
    #expect(
      made.steps.map(\.part) == ["detail", "detailA", "partA", "partB", "countA", "detail"]
    )
    #expect(made.steps.first?.text == "{ fetch: Note, as: detail }")
  }
}

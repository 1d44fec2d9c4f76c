import Basics
import Foundation
import TestSupport
import Testing

@testable import DataModel

struct MigrationMapTests {
  private static let old = Model(entities: [
    Entity(
      name: "CDTask",
      attributes: [
        Attribute(name: "taskTitle", type: .string),
        Attribute(name: "status", type: .integer16),
        Attribute(name: "code", type: .string),
        Attribute(name: "due", type: .date),
      ],
      relationships: [Relationship(name: "project", destination: "CDProject", inverse: "tasks")]
    ),
    Entity(
      name: "CDProject",
      attributes: [Attribute(name: "label", type: .string)],
      relationships: [
        Relationship(name: "tasks", destination: "CDTask", inverse: "project", isToMany: true)
      ]
    ),
  ])
  private static let new = Model(entities: [
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string),
        Attribute(name: "state", type: .string, isOptional: false, defaultValue: .text("open")),
        Attribute(name: "code", type: .integer64),
        Attribute(name: "due", type: .string),
        Attribute(name: "projectLabel", type: .string),
      ],
      relationships: [Relationship(name: "project", destination: "Project", inverse: "tasks")]
    ),
    Entity(
      name: "Project",
      attributes: [Attribute(name: "label", type: .string)],
      relationships: [
        Relationship(name: "tasks", destination: "Task", inverse: "project", isToMany: true)
      ]
    ),
  ])

  private static func mapping(_ text: String) throws -> MappingModel {
    let map = try MapFile.parse(text, file: "map.yaml")
    return try MappingModel(from: old, to: new, by: map)
  }

  @Test func `renames, converts and reads along a to-one`() throws {
    let mapping = try Self.mapping(
      """
      entities:
        Task:
          from: CDTask
          where: { status: [0, 1] }
          attributes:
            title: taskTitle
            state: { from: status, values: { 0: open, 1: 17 }, otherwise: done }
            projectLabel: project.label
        Project: CDProject
      """
    )
    #expect(mapping.obstacles.isEmpty)
    let task = try #require(mapping.mapping(from: "CDTask"))
    #expect(task.destination == "Task")
    #expect(task.conditions == [EntityMap.Condition("status", in: [.integer(0), .integer(1)])])
    let values = Dictionary(keepingFirst: task.attributes.map { ($0.destination.name, $0) })
    #expect(values["title"]?.source?.name == "taskTitle")
    #expect(values["title"]?.value == nil)
    // An attribute whose type differs is converted even if the mapping file does not mention it.
    #expect(values["code"]?.value == .converted(.source(["code"]), .textToInteger))
    #expect(values["due"]?.value == .converted(.source(["due"]), .dateToText))
    #expect(values["projectLabel"]?.value == .source(["project", "label"]))
    let state = try #require(values["state"]?.value)
    func made(_ status: Value) -> Value { state.value(now: 0) { _ in status } }
    #expect(made(.integer(0)) == .text("open"))
    #expect(made(.integer(1)) == .text("17"))
    #expect(made(.integer(7)) == .text("done"))
    #expect(task.relationships.first?.source?.name == "project")
  }

  @Test func `names everything that the models do not have at once`() throws {
    let error = #expect(throws: MigrationMapError.self) {
      try Self.mapping(
        """
        entities:
          Task:
            from: CDTask
            where: { stats: 1 }
            attributes: { titel: taskTitle, title: tasktitle, code: { value: many } }
            relationships: { project: projects }
          Project: CDProjekt
          Note: CDTask
        drop: [CDLog]
        """
      )
    }
    let problems = try #require(error).problems
    #expect(
      problems == [
        "the old model has no entity 'CDLog' (it has CDProject, CDTask)",
        "'CDTask' has no attribute 'stats'; did you mean 'status'?",
        "'Task.code' is integer64, not many",
        "'Task' has no attribute 'titel'; did you mean 'title'?",
        "'CDTask' has no attribute 'tasktitle'; did you mean 'taskTitle'?",
        "'CDTask' has no relationship 'projects'; did you mean 'project'?",
        "the old model has no entity 'CDProjekt'; did you mean 'CDProject'?",
        "the new model has no entity 'Note' (it has Project, Task)",
      ]
    )
  }

  @Test func `names every problem of a file at once, with its line`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      entities:
        Tusk:
          from: CDTask
          attributes: { title: tasktitle, code: { from: code, as: [upercased] } }
        Project:
          from: CDProject
          atributes: { label: label }
      drop: [CDLog]
      rest: maybe
      """,
      to: "map.yaml"
    )
    let error = #expect(throws: InvalidInput.self) {
      try MappingModel(from: Self.old, to: Self.new).mapped(by: path)
    }
    let problems = try #require(error).problems
    #expect(
      problems.map { "\($0.place?.line ?? 0): \($0.message)" } == [
        "2: the new model has no entity 'Tusk'; did you mean 'Task'?",
        "4: 'CDTask' has no attribute 'tasktitle'; did you mean 'taskTitle'?",
        "4: item 1 of 'as' cannot be 'upercased'; did you mean 'uppercased'?",
        "7: unknown key 'atributes' in 'Project'; did you mean 'attributes'?",
        "8: the old model has no entity 'CDLog' (it has CDProject, CDTask)",
        "9: 'rest' cannot be 'maybe' (one of infer, drop)",
      ]
    )
  }

  @Test(arguments: [
    ("entities: { Task: { form: CDTask } }", "unknown key 'form'"),
    ("entities: { Task: { attributes: { a: { from: b, now: true } } } }", "must have one of"),
    ("entities: { Task: { attributes: { a: { from: b, as: upper } } } }", "cannot be 'upper'"),
    ("entities: [Task]", "must be a mapping"),
    ("entity: {}", "unknown key 'entity'"),
    ("rest: drop", "--draft-map"),
    ("entities: { Task: { attributes: { a: { value: [1] } } } }", "must be a value"),
  ])
  func `refuses a file that is no map`(text: String, reason: String) {
    #expect {
      try MapFile.parse(text, file: "map.yaml")
    } throws: { error in
      "\(error)".contains("map.yaml") && "\(error)".contains(reason)
    }
  }

  @Test func `the map that the page on SwiftData shows is read whole`() throws {
    let page = try String(contentsOfFile: Repository.path("docs/swiftdata.md"), encoding: .utf8)
    let text = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
    let map = try MapFile.parse(text.components(separatedBy: "\n```")[0], file: "map.yaml")
    #expect(map.entities.count == 6)
  }

  @Test(arguments: [
    (ValueConversion.numberToText, Value.integer(-7), Value.text("-7")),
    (.numberToText, .real(2.5), .text("2.5")), (.numberToText, .real(3), .text("3")),
    (.numberToText, .text("3"), .null), (.booleanToText, .integer(1), .text("true")),
    (.textToInteger, .text("42"), .integer(42)), (.textToInteger, .text("042"), .null),
    (.textToInteger, .text("x7"), .null), (.textToInteger, .null, .null),
    (.textToNumber, .text(" 1.5e2 "), .real(150)), (.textToNumber, .text("0x10"), .null),
    (.textToBoolean, .text("Yes"), .integer(1)), (.textToBoolean, .text("maybe"), .null),
    (.numberToBoolean, .real(0.5), .integer(1)), (.numberToBoolean, .integer(0), .integer(0)),
    (.numberToInteger, .real(-2.9), .integer(-2)), (.numberToInteger, .real(1e300), .null),
    (.integerToNumber, .integer(4), .real(4)),
    (.dateToText, .real(796_726_800.9), .text("2026-04-01T09:00:00Z")),
    (.textToDate, .text("2026-04-01T09:00:00Z"), .real(796_726_800)),
    (.textToDate, .text("yesterday"), .null), (.unixTimeToDate, .integer(978_307_201), .real(1)),
    (.dateToUnixTime, .real(1), .integer(978_307_201)),
    (.unixMillisecondsToDate, .integer(978_307_200_500), .real(0.5)),
    (.textToData, .text("ß"), .blob([0xc3, 0x9f])), (.dataToText, .blob([0xff]), .null),
    (.dataToText, .blob([0x41]), .text("A")), (.trimmed, .text(" a\n"), .text("a")),
    (.uppercased, .text("é1"), .text("É1")), (.lowercased, .text("AB"), .text("ab")),
  ])
  func `converts values and loses what has no counterpart`(
    conversion: ValueConversion,
    value: Value,
    result: Value
  ) {
    #expect(conversion(value) == result)
  }

  @Test func `writes a UUID as a text and reads it back`() {
    let bytes = Value.blob((1...16).map { UInt8($0) })
    let text = Value.text("01020304-0506-0708-090A-0B0C0D0E0F10")
    #expect(ValueConversion.uuidToText(bytes) == text)
    #expect(ValueConversion.textToUUID(text) == bytes)
    #expect(ValueConversion.textToUUID(.text("01020304")) == .null)
    #expect(ValueExpression.identifier(of: "Task/p1") != ValueExpression.identifier(of: "Task/p2"))
    #expect(ValueExpression.identifier(of: "Task/p1").count == 16)
  }

  @Test func `renames alone make a model for a lightweight migration`() throws {
    let renaming = try Self.mapping(
      """
      entities:
        Task: { from: CDTask, attributes: { title: taskTitle, code: { value: null }, due: { value: null } } }
        Project: CDProject
      """
    )
    #expect(
      renaming.renamingBlockers == [
        "Task.code is made from other values", "Task.due is made from other values",
      ]
    )
    let plain = Model(entities: [
      Entity(name: "Project", attributes: Self.new.entities[0].attributes)
    ])
    let old = Model(entities: [
      Entity(name: "CDProject", attributes: Self.old.entities[0].attributes)
    ])
    let map = try MapFile.parse("entities: { Project: CDProject }", file: "")
    let mapping = try MappingModel(from: old, to: plain, by: map)
    #expect(mapping.renamingBlockers.isEmpty)
    #expect(mapping.renamedDestination.entity(named: "Project")?.renamingIdentifier == "CDProject")
    #expect(MappingModel(from: old, to: mapping.renamedDestination).isLightweight)
  }
}

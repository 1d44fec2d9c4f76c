import DataModel
import Testing

@testable import SQLLog

@Suite struct LogSchemaTests {
  private static let model = Model(entities: [
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "createdAt", type: .date), Attribute(name: "photo", type: .binary),
      ],
      relationships: [
        Relationship(name: "project", destination: "Project", inverse: "tasks"),
        Relationship(name: "tags", destination: "Tag", inverse: "tasks", isToMany: true),
      ],
      fetchIndexes: [FetchIndex(name: "byDate", elements: [.init(property: "createdAt")])]
    ),
    Entity(
      name: "Project",
      relationships: [
        Relationship(name: "tasks", destination: "Task", inverse: "project", isToMany: true)
      ]
    ),
    Entity(
      name: "Tag",
      relationships: [
        Relationship(name: "tasks", destination: "Task", inverse: "tags", isToMany: true)
      ]
    ),
  ])

  @Test func `reads tables, relationships and indexes of a model`() throws {
    let schema = LogSchema(model: Self.model)
    let task = try #require(schema.tables["ZTASK"])
    #expect(task.entity == "Task")
    #expect(task.properties["ZCREATEDAT"] == "createdAt")
    #expect(task.destinations == ["ZPROJECT": "Project"])
    #expect(task.binaryColumns == ["ZPHOTO"])
    #expect(
      task.indexes.map { "\($0.name) \($0.isFetchIndex)" }.sorted()
        == ["ZTASK_ZPROJECT_INDEX false", "Z_Task_byDate true"]
    )
    let words = Vocabulary(schema: schema, names: LogNames())
    #expect(words.toOne(from: "ZTASK", to: "ZPROJECT") == "Task.project")
    #expect(words.toOne(from: "ZPROJECT", to: "ZTASK") == nil)
  }

  @Test(arguments: [
    (
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE t0.ZPROJECT = ? AND t0.ZCREATEDAT > ? ORDER BY "
        + "t0.ZCREATEDAT DESC",
      "fetch of Task by project, createdAt sorted by createdAt (descending)"
    ), ("SELECT COUNT(*) FROM ZTASK t0 WHERE t0.ZPROJECT = ?", "count of Task by project"),
    ("DELETE FROM ZTASK WHERE Z_PK = ? AND Z_OPT = ?", "delete of Task"),
    (
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE (t0.ZCREATEDAT IS NOT NULL AND t0.ZCREATEDAT > ?) "
        + "AND t0.Z_ENT = ?", "fetch of Task by createdAt"
    ), ("SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE t0.Z_ENT = ?", "fetch of Task by entity"),
  ])
  func `describes operations in Core Data's terms`(sql: String, expected: String) {
    let words = Vocabulary(schema: LogSchema(model: Self.model), names: LogNames())
    #expect(words.operation(StatementShape(fingerprint: sql)) == expected)
  }

  @Test func `names to-many faults over join tables`() throws {
    let schema = LogSchema(model: Self.model)
    let key = try #require(schema.joins.first { $0.value == "Task.tags" }?.key)
    let (table, column) = (key.split(separator: ".")[0], key.split(separator: ".")[1])
    let other = try #require(schema.joins.first { $0.value == "Tag.tasks" }?.key)
    let words = Vocabulary(schema: schema, names: LogNames())
    let shape = StatementShape(
      fingerprint: "SELECT 0, t0.Z_PK FROM \(table) t1 JOIN ZTAG t0 ON t0.Z_PK = "
        + "t1.\(other.split(separator: ".")[1]) WHERE t1.\(column) = ?"
    )
    #expect(words.operation(shape) == "fault on Task.tags")
  }
}

import DataModel
import PersistentStore
import SQLite
import Testing

/// Tests changes of a many-to-many relationship whose other side is not loaded.
struct ManyToManyTests {
  /// A filled store with one more task, and the tag `home` as a fault.
  private static func opened(
    keepsHistory: Bool = false
  ) throws -> (fixture: ContextStore, context: ObjectContext, task: ManagedObject) {
    let fixture = try ContextStore(keepsHistory: keepsHistory)
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.insert("Task")
    try task.setValue(.text("Task 7"), of: "title")
    return (fixture, context, task)
  }

  private static func tag(_ context: ObjectContext) throws -> ManagedObject {
    try context.object(context.description(of: "Tag"), key: 1)
  }

  private static func pairs(_ fixture: ContextStore) throws -> [String] {
    try fixture.column("SELECT count(*) FROM \(fixture.store.layout.joinTables[0].name)")
  }

  @Test func `is not read, however much it holds`() throws {
    let (fixture, context, task) = try Self.opened()
    let tag = try Self.tag(context)
    let statements = try fixture.prepared {
      try task.add(tag, to: "tags")
      try context.save()
    }
    #expect(!statements.contains { $0.contains(" JOIN ") })
    // The only fault that fires is for the tag's own row.
    #expect(context.statistics.faultsFired == 1)
    #expect(try Self.pairs(fixture) == ["13"])
  }

  @Test func `is changed all the same: its version and its history say so`() throws {
    let (fixture, context, task) = try Self.opened(keepsHistory: true)
    try task.add(Self.tag(context), to: "tags")
    try context.save()
    #expect(try fixture.column("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 1") == ["2"])
    let changes = try fixture.column(
      "SELECT ZCHANGETYPE || ' ' || ZENTITYPK || ' ' || (ZCOLUMNS IS NOT NULL) FROM ACHANGE "
        + "WHERE ZTRANSACTIONID = (SELECT max(ZTRANSACTIONID) FROM ACHANGE) ORDER BY 1"
    )
    #expect(changes == ["0 7 0", "1 1 1"])
  }

  @Test func `has what was added beside what the store has, once it is read`() throws {
    let (fixture, context, task) = try Self.opened()
    let tag = try Self.tag(context)
    try task.add(tag, to: "tags")
    let targets = try tag.targets(of: "tasks")
    #expect(targets.count == 7)
    #expect(targets.last === task)
    try tag.remove(targets[0], from: "tasks")
    try context.save()
    #expect(try Self.pairs(fixture) == ["12"])
    #expect(try tag.targets(of: "tasks").count == 6)
  }

  @Test func `is read anew after the save`() throws {
    let (_, context, task) = try Self.opened()
    let tag = try Self.tag(context)
    try task.add(tag, to: "tags")
    try context.save()
    #expect(try tag.targets(of: "tasks").count == 7)
  }

  @Test func `takes back what was added`() throws {
    let (fixture, context, task) = try Self.opened()
    let tag = try Self.tag(context)
    try task.add(tag, to: "tags")
    try task.remove(tag, from: "tags")
    try context.save()
    #expect(try Self.pairs(fixture) == ["12"])
    #expect(try tag.targets(of: "tasks").count == 6)
  }

  @Test func `is deleted from what was added to it`() throws {
    let (fixture, context, task) = try Self.opened()
    let tag = try Self.tag(context)
    try task.add(tag, to: "tags")
    try context.delete(tag)
    #expect(try task.targets(of: "tags").isEmpty)
    try context.save()
    #expect(try Self.pairs(fixture) == ["6"])
  }

  @Test func `leaves what the other side has read when it is deleted`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 0)
    let tags = try task.targets(of: "tags")
    #expect(tags.count == 2)
    let deleted = try fixture.prepared { try context.delete(tags[0]) }
    // The deletion does not read the tag's tasks.
    #expect(!deleted.contains { $0.contains(" JOIN ") })
    #expect(try task.targets(of: "tags").map(\.key) == [tags[1].key])
    try context.save()
    #expect(try task.targets(of: "tags").map(\.key) == [tags[1].key])
    #expect(try Self.pairs(fixture) == ["6"])
    try context.merge("Tag", updated: [Int64](), deleted: [tags[1].key])
    #expect(try task.targets(of: "tags").isEmpty)
  }
}

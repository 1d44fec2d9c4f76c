import DataModel
import PersistentStore
import Testing

struct IdentityMapTests {
  @Test func `objects come and go in any order and are always found`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let description = try context.description(of: "Task")
    var kept: [Int64: ManagedObject] = [:]
    var state: UInt64 = 1
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = Int64(state >> 40) % 700
      if state & 0x10000 == 0 {
        kept[key] = context.object(description, key: key)
      } else {
        kept[key] = nil
      }
    }
    for (key, object) in kept { #expect(context.object(description, key: key) === object) }
  }

  @Test func `an object that nobody holds is read anew`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    do {
      let task = try context.fetch(FetchRequest("Task")).object(at: 0)
      #expect(!task.isFault)
    }
    let description = try context.description(of: "Task")
    #expect(context.object(description, key: 1).isFault)
  }

  @Test func `a context lives as long as one of its objects, of whatever entity`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    weak var context: ObjectContext?
    var objects: [ManagedObject] = []
    do {
      let made = try fixture.context()
      context = made
      for entity in ["Task", "Tag"] {
        objects.append(made.object(try made.description(of: entity), key: 1))
      }
    }
    objects.removeFirst()
    // The object reads its row through the context, which only the object retains.
    #expect(try objects[0].value(of: "name") != .null)
    #expect(context != nil)
    objects = []
    #expect(context == nil)
  }

  @Test func `a context lives as long as an object that another one leads to`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    weak var context: ObjectContext?
    var task: ManagedObject?
    do {
      let made = try fixture.context()
      context = made
      task = try made.fetch(FetchRequest("Task")).object(at: 0)
    }
    // Only the task retains its tags, so they are released with it.
    #expect(try task?.targets(of: "tags").isEmpty == false)
    task = nil
    #expect(context == nil)
  }

  @Test func `a changed object is kept until it is saved`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    try context.fetch(FetchRequest("Task")).object(at: 0).setValue(.integer(9), of: "priority")
    #expect(context.hasChanges)
    try context.save()
    #expect(try fixture.column("SELECT ZPRIORITY FROM ZTASK WHERE Z_PK = 1") == ["9"])
  }
}

import DataModel
import PersistentStore
import TestSupport
import Testing

/// Tests stores that an object context wrote, inspected by plain SQL.
@Suite struct ContextInspectionTests {
  private let folder: TemporaryFolder
  private let store: PersistentStore
  private let context: ObjectContext

  init() throws {
    folder = try TemporaryFolder()
    store = try PersistentStore.create(
      at: folder.path + "/Tasks.sqlite",
      model: SampleModel.model,
      options: PersistentStore.Options(keepsHistory: true)
    )
    context = try ObjectContext(store: store, author: "test")
    try fill()
  }

  private func fill() throws {
    let project = try context.insert("Project")
    try set(project, ["id": .blob(Array(0..<16)), "name": .text("Home"), "createdAt": .real(7.5)])
    try project.setValue(.integer(0), of: "isArchived")
    for index in 1...4 {
      let task = try context.insert("Task")
      try set(
        task,
        [
          "id": .blob(Array(repeating: UInt8(index), count: 16)), "title": .text("Task \(index)"),
          "createdAt": .real(Double(index) + 0.25), "isCompleted": .integer(0),
          "isFlagged": .integer(1), "sortOrder": .integer(Int64(index)), "progress": .real(0.5),
          "dueDate": .real(1000),
        ]
      )
      try task.setTarget(project, of: "project")
      for child in 1...index {
        let subtask = try context.insert("Subtask")
        try set(subtask, ["title": .text("Step \(child)"), "isCompleted": .integer(0)])
        try task.add(subtask, to: "subtasks")
      }
      let image = try context.insert("ImageAttachment")
      let bytes = [UInt8](repeating: UInt8(index), count: index * 60_000)
      try set(
        image,
        [
          "filename": .text("\(index).heic"), "data": .blob(bytes), "width": .integer(3),
          "height": .integer(4),
        ]
      )
      try image.setTarget(task, of: "task")
      try task.setTarget(image, of: "cover")
    }
    try context.save()
  }

  private func set(_ object: ManagedObject, _ values: KeyValuePairs<String, Value>) throws {
    for (name, value) in values { try object.setValue(value, of: name) }
  }

  private func content() throws -> StoreContent {
    try StoreContent(store: store.file, layout: store.layout)
  }

  @Test func `keeps every rule of the layout`() throws {
    #expect(try StoreAudit(store: store.file, layout: store.layout).findings() == [])
  }

  @Test func `hands out the values that lie in the file`() throws {
    for (entity, properties) in [
      ("Task", ["title", "id", "createdAt", "dueDate", "sortOrder", "details"]),
      ("ImageAttachment", ["data", "filename", "width"]),
    ] {
      let shape = ObjectDigest.Shape(entity: entity, properties: properties)
      var list = ListDigest()
      let fresh = try ObjectContext(store: store)
      let objects = try fresh.fetch(FetchRequest(entity))
      for index in 0..<objects.count {
        let object = try objects.object(at: index)
        var digest = ObjectDigest(shape, key: object.key)
        for property in shape.properties { digest.add(try object.value(of: property)) }
        list.add(digest.value)
      }
      #expect(list.count == 4)
      #expect(try content().digest(shape).unordered == list.unordered)
    }
  }

  @Test func `does and records what the delete rules say`() throws {
    let copy = try StoreCopy(of: store.file)
    let original = try StoreContent(store: copy.file, layout: store.layout)
    let tasks = try context.fetch(
      FetchRequest("Task", sortDescriptors: [FetchRequest.SortDescriptor("title")])
    )
    let (second, third) = (try tasks.object(at: 1), try tasks.object(at: 2))
    try third.setValue(.text("changed"), of: "title")
    try context.delete(second)
    try context.save()

    let closure = try DeletionClosure(of: "Task", keys: [second.key], in: original)
    // Deleting the task also deletes its two steps and its image.
    #expect(closure.count == 4)
    var expected = ExpectedContent(from: original)
    try expected.remove(closure)
    try expected.change("Task") {
      if $0.key == third.key { try $0.set("title", .text("changed")) }
    }
    let inspection = StoreInspection(store: store.file, layout: store.layout)
    #expect(try inspection.problems(expecting: expected, history: .recording) == [])
    #expect(try !inspection.problems(expecting: expected, history: .unchanged).isEmpty)
  }
}

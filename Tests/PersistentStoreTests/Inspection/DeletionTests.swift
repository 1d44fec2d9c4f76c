import DataModel
import TestSupport
import Testing

@testable import PersistentStore

@Suite struct DeletionClosureTests {
  let sample: SampleStore
  let original: StoreContent

  init() throws {
    sample = try SampleStore.filled()
    original = try StoreContent(store: sample.file, layout: sample.layout)
  }

  @Test func `follows cascades through every sort of relationship`() throws {
    // Project 2 has tasks 1, 4, 7 and 10 with 1 + 0 + 3 + 2 subtasks; tasks 1, 4 and 7 have an
    // attachment each.
    let closure = try DeletionClosure(of: "Project", keys: [2], in: original)
    #expect(closure.removed["Project"] == [2])
    #expect(closure.removed["Task"] == [1, 4, 7, 10])
    #expect(closure.removed["Subtask"]?.count == 6)
    #expect(closure.removed["Attachment"] == [1, 4, 7])
    #expect(closure.count == 14)
    #expect(closure.denials == [])
  }

  @Test func `takes nothing along where the rule is to nullify, and nothing that is not there`()
    throws
  {
    #expect(try DeletionClosure(of: "Category", keys: [1, 2, 99], in: original).count == 2)
  }

  @Test func `names what denies a deletion, unless it goes as well`() throws {
    let model = Self.modelDenying
    let store = try SampleStore(model: model, keepsHistory: false)
    try store.insert("Folder", ["name": .text("full")])
    try store.insert("Folder", ["name": .text("empty")])
    try store.insert("Note", ["folder": .integer(1)])
    try store.finish()
    let content = try StoreContent(store: store.file, layout: store.layout)
    let denial = DeletionClosure.Denial(
      object: ContentReference(entity: "Folder", key: 1),
      relationship: "notes"
    )
    let denied = try DeletionClosure(of: "Folder", keys: [1, 2], in: content)
    #expect(denied.denials == [denial])
    let remaining = try denied.remaining(of: denial)
    #expect(remaining.table == "ZNOTE" && remaining.keys == [1])
    #expect(try DeletionClosure(of: "Folder", keys: [2], in: content).denials == [])
    let account = try DeletionClosure(of: "Note", keys: [1], in: content)
    #expect(account.removed == ["Note": [1], "Folder": [1]])
    #expect(account.denials == [])
  }

  /// A model in which a folder with notes cannot be deleted; deleting a note deletes its folder.
  private static let modelDenying = Model(entities: [
    .folder(deleteRule: .deny),
    Entity(
      name: "Note",
      relationships: [
        Relationship(name: "folder", destination: "Folder", inverse: "notes", deleteRule: .cascade)
      ]
    ),
  ])

  @Test func `leaves a reference as it is where no rule empties it`() throws {
    // Task 1's cover is attachment 1, which has no inverse relationship to the task.
    let copy = try sample.copy()
    try copy.execute("DELETE FROM ZATTACHMENT WHERE Z_PK = 1")
    var expected = ExpectedContent(from: original)
    try expected.remove("Attachment", keys: [1])
    let actual = try StoreContent(store: copy.file, layout: sample.layout)
    #expect(try ContentComparison(expected: expected, actual: actual).findings().isEmpty)
    expected.nullification = .always
    #expect(
      try ContentComparison(expected: expected, actual: actual).findings().sentences == [
        "Task 1 has 'cover' = Attachment 1, expected NULL"
      ]
    )
  }

  @Test func `expects the target of a to-many without inverse to forget its source`() throws {
    let copy = try sample.copy()
    try copy.execute("DELETE FROM ZPROJECT WHERE Z_PK = 3")
    try copy.execute("UPDATE ZTASK SET ZPROJECT = NULL WHERE ZPROJECT = 3")
    try copy.execute("UPDATE ZPERSON SET Z5WATCHERS = NULL WHERE Z5WATCHERS = 3")
    var expected = ExpectedContent(from: original)
    try expected.remove("Project", keys: [3])
    try expected.change("Task") {
      if $0["project"] == .object(ContentReference(entity: "Project", key: 3)) {
        try $0.set("project", .null)
      }
    }
    let actual = try StoreContent(store: copy.file, layout: sample.layout)
    #expect(try ContentComparison(expected: expected, actual: actual).findings().isEmpty)
  }
}

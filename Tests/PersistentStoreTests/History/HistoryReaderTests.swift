import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite struct `Reading history by token` {
  private static let model = Model(entities: [
    Entity(
      name: "Note",
      attributes: [
        Attribute(name: "body", type: .string, preservesValueOnDeletion: true),
        Attribute(name: "rank", type: .integer16),
      ]
    )
  ])

  @Test func `tells what was done since, and forgets what is purged`() throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore.create(
      at: folder.file("notes.sqlite"),
      model: Self.model,
      options: PersistentStore.Options(keepsHistory: true)
    )
    let context = try ObjectContext(store: store)
    let note = try context.insert("Note")
    try note.setValue(.text("first"), of: "body")
    try context.save()
    let reader = try HistoryReader(store)
    let token = try reader.lastToken()
    #expect(try reader.changes(after: 0).map(\.kind) == [.insertion])
    #expect(try reader.changes(after: token) == [])
    try note.setValue(.integer(2), of: "rank")
    try context.save()
    try context.delete(note)
    try context.save()
    let changes = try reader.changes(after: token)
    #expect(changes.map(\.kind) == [.update, .deletion])
    #expect(changes.map(\.tombstone) == [[], [.text("first")]])
    #expect(changes.allSatisfy { $0.entity == "Note" && $0.key == note.key })
    #expect(try store.purgeHistory(through: changes[0].transaction) == 2)
    #expect(try reader.changes(after: 0) == [changes[1]])
    #expect(try reader.lastToken() == changes[1].transaction)
  }
}

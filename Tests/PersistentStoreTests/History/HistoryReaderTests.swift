import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite struct `Reading history by token` {
  private static func model(unique: [[String]] = []) -> Model {
    Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "body", type: .string, preservesValueOnDeletion: true),
          Attribute(name: "rank", type: .integer16),
        ],
        uniquenessConstraints: unique
      )
    ])
  }

  @Test func `tells what was done since, and forgets what is purged`() throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore.create(
      at: folder.file("notes.sqlite"),
      model: Self.model(),
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

  @Test(arguments: StoreBehaviours.HistoryKeys.allCases)
  func `a save that fails uses up a token only if it was reserved before`(
    keys: StoreBehaviours.HistoryKeys
  ) throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore.create(
      at: folder.file("notes.sqlite"),
      model: Self.model(unique: [["rank"]]),
      options: PersistentStore.Options(keepsHistory: true)
    )
    let context = try ObjectContext(store: store, behaviours: StoreBehaviours(historyKeys: keys))
    let notes = try [1, 1].map { (rank: Int64) in
      let note = try context.insert("Note")
      try note.setValue(.integer(rank), of: "rank")
      return note
    }
    #expect(throws: ObjectContextError.self) { try context.save() }
    try notes[1].setValue(.integer(2), of: "rank")
    try context.save()
    try notes[0].setValue(.integer(3), of: "rank")
    try context.save()
    let tokens = try HistoryReader(store).changes(after: 0).map(\.transaction)
    #expect(tokens == (keys == .inSave ? [1, 1, 2] : [2, 2, 3]))
    var audit = StoreAudit(store: store.file, layout: store.layout)
    if keys == .beforeSave { audit.exceptions = [.historyGap] }
    #expect(try audit.findings().map(\.description) == [])
  }
}

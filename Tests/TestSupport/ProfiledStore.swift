import DataModel
import Generators
import PersistentStore
import SQLite

/// A store whose rows tests write by plain SQL.
package struct ProfiledStore {
  package let folder: TemporaryFolder
  package let file: StoreFile
  package let model: Model

  /// Makes a store of two entities: `Note`, with attributes of several types, and `Tag`, the target
  /// of a relationship of `Note`.
  package init(keepsHistory: Bool = false) throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder.file("notes.sqlite"))
    model = Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "text", type: .string), Attribute(name: "date", type: .date),
          Attribute(name: "number", type: .integer64), Attribute(name: "blob", type: .binary),
          Attribute(name: "price", type: .double), Attribute(name: "isDone", type: .boolean),
        ],
        relationships: [Relationship(name: "tag", destination: "Tag", inverse: "notes")]
      ),
      Entity(
        name: "Tag",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "notes", destination: "Note", inverse: "tag", isToMany: true)
        ]
      ),
    ])
    let options = PersistentStore.Options(keepsHistory: keepsHistory)
    _ = try PersistentStore.create(at: file.path, model: model, options: options)
  }

  /// A row of `Note`; properties that are not set are NULL.
  package struct Note {
    package var text: String?
    package var date: Double?
    package var number: Int64?
    package var blobSize: Int?
    package var price: Double?
    package var isDone: Bool?
    package var tag: Int64?

    package init(
      text: String? = nil,
      date: Double? = nil,
      number: Int64? = nil,
      blobSize: Int? = nil,
      price: Double? = nil,
      isDone: Bool? = nil,
      tag: Int64? = nil
    ) {
      self.text = text
      self.date = date
      self.number = number
      self.blobSize = blobSize
      self.price = price
      self.isDone = isDone
      self.tag = tag
    }
  }

  package func insert(_ notes: [Note], tags: [String] = []) throws {
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.transaction {
      let insert = try connection.prepare(
        "INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTEXT, ZDATE, ZNUMBER, ZBLOB, ZPRICE, ZISDONE, ZTAG) "
          + "VALUES (1, 1, ?, ?, ?, zeroblob(?), ?, ?, ?)"
      )
      for note in notes {
        insert.clearBindings()
        if let text = note.text { insert.bind(text, at: 1) }
        if let date = note.date { insert.bind(date, at: 2) }
        if let number = note.number { insert.bind(number, at: 3) }
        insert.bind(Int64(note.blobSize ?? 0), at: 4)
        if let price = note.price { insert.bind(price, at: 5) }
        if let isDone = note.isDone { insert.bind(isDone ? 1 as Int64 : 0, at: 6) }
        if let tag = note.tag { insert.bind(tag, at: 7) }
        try insert.run()
      }
      let tagInsert = try connection.prepare(
        "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZNAME) VALUES (2, 1, ?)"
      )
      for tag in tags {
        tagInsert.bind(tag, at: 1)
        try tagInsert.run()
      }
    }
    try connection.checkpoint()
  }

  package func content() throws -> StoreContent { try .reading(file) }

  package func profile(k: Int = 20) throws -> StoreProfile {
    try StoreProfiler(content(), k: k).profile()
  }
}

extension StoreContent {
  /// The content of a store, read with the model that the store contains.
  package static func reading(_ file: StoreFile) throws -> StoreContent {
    try StoreContent(store: file, layout: PersistentStore.open(file, mode: .readOnly).layout)
  }

  /// The statements that make the store's tables and indexes, in the order of the file.
  package func statements() throws -> [String] {
    let row = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    )
    var statements: [String] = []
    while try row.step() { statements.append(row.text(at: 0)) }
    return statements
  }
}

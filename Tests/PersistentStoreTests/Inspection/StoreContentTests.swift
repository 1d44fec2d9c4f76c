import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@Suite struct StoreContentTests {
  @Test func `reads objects by entity, with their values by name`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let task = try #require(try content.object(key: 2, in: content.table(of: "Task")))
    let values = task.shape.properties.enumerated().map { "\($1.name): \(task.values[$0])" }
    #expect(
      values == [
        "category: Category 3", "cover: ImageAttachment 2", "createdAt: 700172801",
        "details: 'Details 2'", "dueDate: 700000002", "estimatedMinutes: 7",
        "id: blob of 16 bytes 4a4b4e535a636e7b8a9baec3daf30e2b",
        "isCompleted: 0", "isFlagged: 0", "link: 'https://example.com/2'", "price: 2.5 (real)",
        "progress: 0.25 (real)", "project: Project 3", "reminder: Reminder 2", "sortOrder: 20",
        "title: 'Task 2 – Äpfel kaufen'",
      ]
    )
    #expect(task.version == .integer(2))
    #expect(task["missing"] == nil)
  }

  @Test func `reads an entity with its sub-entities, or a whole table`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    func references(_ cursor: ContentCursor) throws -> [String] {
      var list: [String] = []
      while let object = try cursor.next() { list.append(object.reference.description) }
      return list
    }
    #expect(
      try references(content.objects(of: "ImageAttachment")) == [
        "ImageAttachment 2", "ImageAttachment 4", "ImageAttachment 6", "ImageAttachment 8",
      ]
    )
    #expect(try references(content.objects(of: "Attachment")).count == 8)
    #expect(
      try references(content.objects(in: content.table(of: "Category"))) == [
        "Category 1", "Category 2", "Category 3",
      ]
    )
    #expect(throws: Refusal.unknownEntity("Nothing")) {
      try content.objects(of: "Nothing")
    }
  }

  @Test func `reads order keys, inverseless sources and pairs`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let subtask = try content.object(key: 3, in: content.table(of: "Subtask"))
    #expect(subtask?["task"] == .object(ContentReference(entity: "Task", key: 2)))
    #expect(subtask?["task.order"] == .integer(3072))
    let person = try content.object(key: 1, in: content.table(of: "Person"))
    #expect(person?["Project.watchers"] == .object(ContentReference(entity: "Project", key: 2)))
    let pairs = try content.pairs(in: sample.layout.joinTables[0])
    #expect(
      try [pairs.next(), pairs.next(), pairs.next()] == [
        ContentPair(first: 1, second: 2, firstOrder: 2048),
        ContentPair(first: 1, second: 4, firstOrder: 3072),
        ContentPair(first: 2, second: 3, firstOrder: 2048),
      ]
    )
  }

  @Test func `resolves blobs inline and in files to their content`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let table = try content.table(of: "Attachment")
    for index in [1, 5] {
      let bytes = (0..<(index * 1000)).map { UInt8(truncatingIfNeeded: $0 &* (index + 6)) }
      let object = try content.object(key: Int64(index), in: table)
      #expect(object?["data"] == .blob(BlobFingerprint(of: bytes)))
    }
    #expect(try content.object(key: 8, in: table)?["data"] == .null)
  }

  @Test(arguments: [
    ("x''", "external data without a marker"),
    ("x'0705'", "external data with the marker 7"),
    ("x'0230'", "an external reference of 2 bytes"),
    (
      "CAST(x'02' || '../../../../../../../../../../../../etc/host' || x'00' AS BLOB)",
      "an external reference of 46 bytes"
    ),
    (
      "CAST(x'02' || '../../../../../../../../../../../etc' || x'00' AS BLOB)",
      "an external reference that is not a UUID"
    ),
    (
      "CAST(x'02' || '00000000-0000-4000-8000-00000000000a' || x'00' AS BLOB)",
      "an external reference that is not a UUID"
    ),
    (
      "CAST(x'02' || '00000000-0000-4000-8000-000000000000' || x'00' AS BLOB)",
      "the file '00000000-0000-4000-8000-000000000000', which is missing or not a regular file"
    ),
  ])
  func `says what is wrong with external data`(_ value: String, _ problem: String) throws {
    let sample = try SampleStore.filled()
    try sample.execute("UPDATE ZATTACHMENT SET ZDATA = \(value) WHERE Z_PK = 1")
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let object = try content.object(key: 1, in: content.table(of: "Attachment"))
    #expect(object?["data"]?.description == problem)
  }

  @Test func `follows no link and waits for no pipe`() throws {
    let sample = try SampleStore.filled()
    let path = sample.folder + "/secret"
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    try FileManager.default.createSymbolicLink(
      atPath: sample.folder + "/link",
      withDestinationPath: path
    )
    #expect(mkfifo(sample.folder + "/pipe", 0o600) == 0)
    #expect(BlobContent.fingerprint(ofFile: path)?.count == 3)
    for name in ["link", "pipe", "", "none"] {
      #expect(BlobContent.fingerprint(ofFile: sample.folder + "/" + name) == nil, "\(name)")
    }
    for name in ["../secret", "/secret", "a/../secret", "", ".", "a//b", "a\0"] {
      let value = BlobContent.value(ofFile: name, in: sample.folder)
      #expect(value.description.hasPrefix("the forbidden path"), "\(name)")
    }
  }

  @Test func `tells texts apart by their bytes`() throws {
    let sample = try SampleStore.filled()
    try sample.run("UPDATE ZTAG SET ZNAME = ?1 WHERE Z_PK = 1", [.text("\u{e9}")])
    try sample.run("UPDATE ZTAG SET ZNAME = ?1 WHERE Z_PK = 2", [.text("e\u{301}")])
    try sample.execute("UPDATE ZTAG SET ZNAME = CAST(x'ff' AS TEXT) WHERE Z_PK = 3")
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let table = try content.table(of: "Tag")
    let first = try content.object(key: 1, in: table)?["name"]
    let second = try content.object(key: 2, in: table)?["name"]
    #expect(first != second)
    let third = try content.object(key: 3, in: table)?["name"]
    #expect(third?.description == "text that is not UTF-8, blob of 1 bytes ff")
    // A value that was read, even if it is no text, must have the digest of the stored bytes.
    let shape = ObjectDigest.Shape(entity: "Tag", properties: ["name"])
    for key: Int64 in 1...3 {
      var digest = ObjectDigest(shape, key: key)
      digest.add(try #require(try content.object(key: key, in: table)?["name"]))
      var list = ListDigest()
      list.add(digest.value)
      #expect(try content.digest(shape, keys: [key]) == list)
    }
  }

  @Test func `shows rows of no entity of their table`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("UPDATE ZTAG SET Z_ENT = NULL WHERE Z_PK = 2")
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let object = try content.object(key: 2, in: content.table(of: "Tag"))
    #expect(object?.entity == "no entity of ZTAG")
    #expect(object?["ZNAME"] == .text("tag 2"))
    #expect(try content.digest().parts.first { $0.name == "no entity of ZTAG" }?.count == 1)
  }

  @Test func `reads what is in the WAL, and changes no file of a store at rest`() throws {
    let sample = try SampleStore.filled()
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder).sorted()
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.file.path))
    _ = try StoreContent(store: sample.file, layout: sample.layout).digest()
    #expect(try FileManager.default.contentsOfDirectory(atPath: sample.folder).sorted() == names)
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.file.path)) == before)
    try sample.run("UPDATE ZTAG SET ZNAME = 'changed' WHERE Z_PK = 1")
    #expect(sample.file.walBytes > 0)
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    #expect(try content.object(key: 1, in: content.table(of: "Tag"))?["name"] == .text("changed"))
  }

  @Test func `says why a file cannot be read`() throws {
    let sample = try SampleStore.filled()
    let missing = StoreFile(path: sample.folder + "/none.sqlite")
    #expect(throws: Refusal.noInput("no such file: '\(missing.path)'")) {
      try StoreContent(store: missing, layout: sample.layout)
    }
    let text = StoreFile(path: sample.folder + "/text.sqlite")
    try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: text.path))
    let error = #expect(throws: Refusal.self) {
      try StoreContent(store: text, layout: sample.layout)
    }
    #expect(error?.description.contains("file is not a database") == true)
    let wide = StoreFile(path: sample.folder + "/wide.sqlite")
    let connection = try Connection(path: wide.path, mode: .create, settings: nil)
    try connection.execute("PRAGMA encoding='UTF-16le'")
    try connection.execute("CREATE TABLE t (a)")
    #expect(throws: Refusal.notUTF8(path: wide.path, encoding: "UTF-16le")) {
      try StoreContent(store: wide, layout: sample.layout)
    }
  }

  @Test func `names the table or column that a store lacks`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZTITLE")
    #expect(
      throws: Refusal.badInput(
        "cannot read '\(sample.file.path)': its table 'ZTAG' has no column "
          + "'ZNAME', so it does not match the model"
      )
    ) {
      try StoreContent(store: sample.file, layout: sample.layout)
    }
    try sample.execute("DROP TABLE ZTAG")
    #expect(
      throws: Refusal.badInput(
        "cannot read '\(sample.file.path)': it has no table 'ZTAG', so it does not "
          + "match the model"
      )
    ) {
      try StoreContent(store: sample.file, layout: sample.layout)
    }
  }

  @Test func `does not run a schema that stands in for the tables`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("DROP TABLE ZTAG")
    try sample.execute(
      "CREATE VIEW ZTAG AS SELECT 1 AS Z_PK, 8 AS Z_ENT, 1 AS Z_OPT, "
        + "hex(randomblob(9)) AS ZNAME"
    )
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    #expect(throws: SQLiteError.self) { try content.digest() }
  }
}

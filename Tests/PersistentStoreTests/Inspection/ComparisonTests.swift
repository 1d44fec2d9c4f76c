import Basics
import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct ComparisonTests {
  let sample: SampleStore
  let original: StoreContent

  init() throws {
    sample = try SampleStore.filled()
    original = try StoreContent(store: sample.file, layout: sample.layout)
  }

  private func sentences(
    _ copy: StoreCopy,
    _ expected: ExpectedContent,
    limit: Int = 10,
    adjusting adjust: (inout ContentComparison) -> Void = { _ in }
  ) throws -> [String] {
    let actual = try StoreContent(store: copy.file, layout: expected.layout)
    var comparison = ContentComparison(expected: expected, actual: actual)
    adjust(&comparison)
    return try comparison.findings(limit: limit).sentences
  }

  @Test(arguments: [
    ("DELETE FROM ZTAG WHERE Z_PK = 3", "Tag 3 is missing"),
    (
      "INSERT INTO ZTAG SELECT 9, Z_ENT, 1, 'new' FROM ZTAG WHERE Z_PK = 1", "Tag 9 is not expected"
    ),
    (
      "UPDATE ZATTACHMENT SET Z_ENT = 1 WHERE Z_PK = 2",
      "ImageAttachment 2 has the entity 'Attachment' instead"
    ),
    (
      "UPDATE ZTAG SET Z_ENT = 1 WHERE Z_PK = 2",
      "Tag 2 has the entity 'no entity of ZTAG' instead"
    ),
    (
      "UPDATE ZTAG SET ZNAME = 'Tag 2' WHERE Z_PK = 2",
      "Tag 2 has 'name' = 'Tag 2', expected 'tag 2'"
    ),
    (
      "UPDATE ZTASK SET ZCREATEDAT = ZCREATEDAT + 1 WHERE Z_PK = 3",
      "Task 3 has 'createdAt' = 700259202.5 (real), expected 700259201.5 (real)"
    ),
    (
      "UPDATE ZTASK SET ZPROJECT = NULL WHERE Z_PK = 3",
      "Task 3 has 'project' = NULL, expected Project 1"
    ),
    (
      "UPDATE ZTASK SET Z1_COVER = 77 WHERE Z_PK = 1",
      "Task 1 has 'cover' = entity 77 1, expected Attachment 1"
    ),
    (
      "UPDATE ZTASK SET ZTITLE = 'Task 1 – A' || char(776) || 'pfel kaufen' WHERE Z_PK = 1",
      "Task 1 has 'title' = 'Task 1 – Äpfel kaufen' of 25 bytes, expected 'Task 1 – Äpfel kaufen' "
        + "of 24 bytes"
    ),
    ("DELETE FROM Z_8TASKS WHERE Z_8TAGS = 1 AND Z_9TASKS = 4", "Tag.tasks lacks the pair 1, 4"),
    ("INSERT INTO Z_8TASKS VALUES (5, 4, 2048)", "Tag.tasks has a pair 5, 4 that is not expected"),
    (
      "UPDATE Z_8TASKS SET Z_FOK_9TASKS = 1 WHERE Z_8TAGS = 1 AND Z_9TASKS = 4",
      "Tag.tasks has the pair 1, 4 at 1/NULL where 3072/NULL is expected"
    ),
  ])
  func `names object, property, expected and found`(_ sql: String, _ sentence: String) throws {
    let copy = try sample.copy()
    try copy.execute(sql)
    #expect(try sentences(copy, ExpectedContent(from: original)) == [sentence])
    #expect(try sentences(copy, ExpectedContent(from: original, to: original)) == [sentence])
  }

  @Test func `a changed file is found although no row has changed`() throws {
    let copy = try sample.copy()
    let folder = copy.file.externalDataFolder
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try Data([9]).write(to: URL(fileURLWithPath: folder + "/" + name))
    let computed = ExpectedContent(from: original)
    for expected in [computed, ExpectedContent(from: original, to: original)] {
      #expect(try sentences(copy, expected).count == 1)
    }
  }

  @Test func `shows long texts from where they differ`() throws {
    let long = String(repeating: "lorem ipsum ", count: 20)
    try sample.run("UPDATE ZTASK SET ZDETAILS = ?1 WHERE Z_PK = 1", [.text(long + "dolor")])
    let before = try StoreContent(store: sample.file, layout: sample.layout)
    let copy = try sample.copy()
    try copy.execute("UPDATE ZTASK SET ZDETAILS = replace(ZDETAILS, 'dolor', 'color')")
    #expect(
      try sentences(copy, ExpectedContent(from: before)) == [
        "Task 1 has 'details' = '…lorem ipsum color', expected '…lorem ipsum dolor'"
      ]
    )
  }

  @Test func `lists the first findings and counts the rest`() throws {
    let copy = try sample.copy()
    try copy.execute("UPDATE ZTASK SET ZSORTORDER = ZSORTORDER + 1")
    let findings = try sentences(copy, ExpectedContent(from: original), limit: 2)
    #expect(
      findings == [
        "Task 1 has 'sortOrder' = 11, expected 10",
        "Task 2 has 'sortOrder' = 21, expected 20", "and 10 more",
      ]
    )
  }

  @Test func `expects removed objects, NULL where they were led to, and no pairs with them`() throws
  {
    let copy = try sample.copy()
    for sql in [
      "DELETE FROM ZTASK WHERE Z_PK = 2", "DELETE FROM Z_8TASKS WHERE Z_9TASKS = 2",
      "DELETE FROM ZSUBTASK WHERE ZTASK = 2", "UPDATE ZATTACHMENT SET ZTASK = NULL WHERE ZTASK = 2",
      "DELETE FROM ZREMINDER WHERE Z_PK = 2", "DELETE FROM ZCATEGORY WHERE Z_PK = 1",
      "UPDATE ZTASK SET ZCATEGORY = NULL WHERE ZCATEGORY = 1",
    ] { try copy.execute(sql) }
    var expected = ExpectedContent(from: original)
    expected.nullification = .always
    try expected.remove("Task", keys: [2])
    try expected.remove("Subtask", keys: [2, 3])
    try expected.remove("Reminder") { $0 == 2 }
    try expected.remove("Category", keys: [1])
    #expect(try sentences(copy, expected) == [])
    try expected.remove("Tag", keys: [1])
    #expect(
      try sentences(copy, expected) == [
        "Tag 1 is not expected", "Tag.tasks has a pair 1, 4 that is not expected",
      ]
    )
  }

  @Test func `expects NULL as the place of a child whose parent is removed`() throws {
    let copy = try sample.copy()
    try copy.execute("DELETE FROM ZTASK WHERE Z_PK = 7")
    try copy.execute("UPDATE ZSUBTASK SET ZTASK = NULL, Z_FOK_TASK = NULL WHERE ZTASK = 7")
    try copy.execute("UPDATE ZATTACHMENT SET ZTASK = NULL WHERE ZTASK = 7")
    try copy.execute("DELETE FROM Z_8TASKS WHERE Z_9TASKS = 7")
    var expected = ExpectedContent(from: original)
    expected.nullification = .always
    try expected.remove("Task", keys: [7])
    #expect(try sentences(copy, expected) == [])
  }

  @Test func `expects changed objects and added pairs`() throws {
    let copy = try sample.copy()
    try copy.execute("UPDATE ZTASK SET ZTITLE = upper(ZID) || 'x', ZISFLAGGED = 1")
    try copy.execute("UPDATE ZTASK SET ZTITLE = 'same'")
    try copy.execute("INSERT INTO Z_8TASKS VALUES (6, 1, 2048)")
    var expected = ExpectedContent(from: original)
    try expected.change("Task") { task in
      try task.set("title", .text("same"))
      try task.set("isFlagged", .integer(1))
    }
    expected.addPairs("Tag.tasks", [ContentPair(first: 6, second: 1, firstOrder: 2048)])
    #expect(try sentences(copy, expected) == [])
    try expected.change("Attachment") { try $0.set("width", .null) }
    #expect(throws: Refusal.unknownProperty("width", entity: "Attachment")) {
      try sentences(copy, expected)
    }
  }

  @Test func `ignores what it is told to`() throws {
    let copy = try sample.copy()
    try copy.execute("UPDATE ZTASK SET ZTITLE = 'same', Z_OPT = 7")
    try copy.execute("UPDATE ZSUBTASK SET Z_FOK_TASK = Z_FOK_TASK + 1")
    try copy.execute("UPDATE Z_8TASKS SET Z_FOK_9TASKS = Z_FOK_9TASKS + 1")
    let expected = ExpectedContent(from: original)
    let ignoring: (inout ContentComparison) -> Void = {
      $0.order = .nothing
      $0.ignoredProperties = ["Task": ["title"]]
    }
    #expect(try sentences(copy, expected, adjusting: ignoring) == [])
    let counting = try sentences(copy, expected) {
      ignoring(&$0)
      $0.comparesVersions = true
    }
    #expect(counting.first == "Task 1 has the version 7, expected 1")
  }

  @Test func `sees who comes after whom under other order keys`() throws {
    let copy = try sample.copy()
    let expected = ExpectedContent(from: original)
    let byPlaces: (inout ContentComparison) -> Void = { $0.order = .places }
    try copy.execute("UPDATE ZSUBTASK SET Z_FOK_TASK = 7 * Z_FOK_TASK + 5")
    try copy.execute("UPDATE Z_8TASKS SET Z_FOK_9TASKS = 7 * Z_FOK_9TASKS + 5")
    #expect(try sentences(copy, expected, adjusting: byPlaces) == [])
    try copy.execute("UPDATE ZSUBTASK SET Z_FOK_TASK = -Z_FOK_TASK")
    try copy.execute("UPDATE Z_8TASKS SET Z_FOK_9TASKS = -Z_FOK_9TASKS")
    let found = try sentences(copy, expected, limit: 1000, adjusting: byPlaces)
    #expect(
      found.contains { $0.hasPrefix("Subtask.task has ") && $0.hasSuffix(" instead of after it") }
    )
    #expect(found.contains { $0.hasPrefix("Tag.tasks has ") || $0.hasPrefix("the inverse of ") })
  }

  @Test func `expects a copy with other keys`() throws {
    let copy = try sample.copy()
    try Renumbering(layout: sample.layout).apply(to: copy.file)
    // Identify the objects of each entity by a property that does not depend on keys.
    let identities = [
      "Task": "id", "Project": "id", "Tag": "name", "Category": "name", "Person": "name",
      "Attachment": "filename", "ImageAttachment": "filename", "Subtask": "title",
      "Reminder": "at",
    ]
    var expected = ExpectedContent(from: original)
    let actual = try StoreContent(store: copy.file, layout: sample.layout)
    let map = try ContentKeyMap(from: expected, to: actual, identities: identities)
    #expect(map.unmatched == [])
    expected.rekey(map)
    #expect(try sentences(copy, expected) == [])

    try copy.execute("DELETE FROM ZTAG WHERE ZNAME = 'tag 5'")
    try copy.execute(
      "UPDATE ZSUBTASK SET ZTASK = (SELECT min(Z_PK) FROM ZTASK) "
        + "WHERE Z_PK = (SELECT min(Z_PK) FROM ZSUBTASK)"
    )
    var again = ExpectedContent(from: original)
    let changed = try StoreContent(store: copy.file, layout: sample.layout)
    again.rekey(try ContentKeyMap(from: again, to: changed, identities: identities))
    let findings = try sentences(copy, again)
    #expect(findings.contains("Tag 5 of the original has no counterpart"))
    #expect(findings.contains { $0.contains("has 'task' = ") })
  }

  @Test func `matches objects of one value, or of none, in the order of their keys`() throws {
    let expected = ExpectedContent(from: original)
    let map = try ContentKeyMap(from: expected, to: original, identities: ["Task": "isFlagged"])
    var rekeyed = expected
    rekeyed.rekey(map)
    #expect(try ContentComparison(expected: rekeyed, actual: original).findings().isEmpty)
  }
}

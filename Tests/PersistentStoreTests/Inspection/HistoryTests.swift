import DataModel
import Testing

@testable import PersistentStore

@Suite struct HistoryComparisonTests {
  let sample: SampleStore
  let original: StoreContent
  /// Statements that delete a task, change another, add a tag, and record it all in the history.
  let work = [
    "DELETE FROM ZTASK WHERE Z_PK = 12", "DELETE FROM Z_8TASKS WHERE Z_9TASKS = 12",
    "UPDATE ZTASK SET ZTITLE = 'changed', Z_OPT = 2 WHERE Z_PK = 4",
    "INSERT INTO ZTAG VALUES (6, 8, 1, 'six')",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Tag'",
    "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (4, 16002, 7.3e8)",
    "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
      + "VALUES (16001, 2, 9, 12, 4), (16001, 0, 8, 6, 4)",
    "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
      + "VALUES (16001, 1, 9, 4, 4, x'40')",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 16002",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001",
  ]

  init() throws {
    sample = try SampleStore.filled()
    original = try StoreContent(store: sample.file, layout: sample.layout)
  }

  private func problems(after more: [String], _ history: ExpectedHistory) throws -> [String] {
    let copy = try sample.copy()
    let outcome = try sample.copy()
    for sql in work + more { try copy.execute(sql) }
    for sql in work { try outcome.execute(sql) }
    let expected = ExpectedContent(
      from: original,
      to: try StoreContent(store: outcome.file, layout: sample.layout)
    )
    let actual = try StoreContent(store: copy.file, layout: sample.layout)
    return try HistoryComparison(expected: expected, actual: actual, history: history)
      .findings().sentences
  }

  @Test func `takes what was recorded for what was done`() throws {
    #expect(try problems(after: [], .recording) == [])
  }

  @Test(arguments: [
    (
      "DELETE FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZTRANSACTIONID = 4",
      ["the persistent history lacks the deletion of Task 12"]
    ),
    (
      "DELETE FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = 4",
      ["the persistent history lacks the update of Task 4"]
    ),
    (
      "UPDATE ACHANGE SET ZENTITY = 7 WHERE ZCHANGETYPE = 0 AND ZTRANSACTIONID = 4",
      [
        "the persistent history records a wrong insertion of Subtask 6: no such change was made",
        "the persistent history lacks the insertion of Tag 6",
      ]
    ),
    (
      "UPDATE ACHANGE SET ZCHANGETYPE = 0 WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = 4",
      [
        "the persistent history lacks the update of Task 4",
        "the persistent history records a wrong insertion of Task 4: no such change was made",
      ]
    ),
    (
      "UPDATE ACHANGE SET ZENTITYPK = 77 WHERE ZCHANGETYPE = 0 AND ZTRANSACTIONID = 4",
      [
        "the persistent history lacks the insertion of Tag 6",
        "the persistent history records a wrong insertion of Tag 77: no such change was made",
      ]
    ),
    ("DELETE FROM ACHANGE WHERE Z_PK = 2", ["ACHANGE lacks the row 2"]),
    (
      "UPDATE ACHANGE SET ZCHANGETYPE = 2 WHERE Z_PK = 2",
      ["ACHANGE has ZCHANGETYPE = 2 in row 2, expected 0"]
    ),
    (
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 2",
      [
        "ATRANSACTION has ZTIMESTAMP = 720000003.0 (real) in row 2, expected 720000002.0 (real)"
      ]
    ),
    (
      "UPDATE ATRANSACTIONSTRING SET ZNAME = 'other' WHERE Z_PK = 3",
      ["ATRANSACTION has ZAUTHOR = 'other' in row 1, expected 'importer'"]
    ),
    ("DELETE FROM ATRANSACTION WHERE Z_PK = 3", ["ATRANSACTION lacks the row 3"]),
  ])
  func `finds what was recorded wrongly`(_ sql: String, _ sentences: [String]) throws {
    #expect(try problems(after: [sql], .recording) == sentences)
  }

  @Test func `expects no new rows where nothing is recorded`() throws {
    let found = try problems(after: [], .unchanged)
    #expect(found.count == 4)
    #expect(found.last == "ATRANSACTION has a row 4 that is not expected")
  }

  @Test func `expects an insertion of everything in a store made afresh`() throws {
    let copy = try sample.copy()
    let actual = try StoreContent(store: copy.file, layout: sample.layout)
    // The sample's history has insertions of all objects, and of two tasks deleted later.
    #expect(
      try HistoryComparison(
        expected: ExpectedContent(from: original),
        actual: actual,
        history: .fresh
      ).findings().sentences == []
    )
    try copy.execute("DELETE FROM ACHANGE WHERE ZENTITY = 8")
    let changed = try StoreContent(store: copy.file, layout: sample.layout)
    #expect(
      try HistoryComparison(
        expected: ExpectedContent(from: original),
        actual: changed,
        history: .fresh
      ).findings().count == 5
    )
  }
}

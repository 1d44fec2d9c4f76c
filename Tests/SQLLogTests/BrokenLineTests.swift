import Testing

@testable import SQLLog

/// Tests lines that terminals and the system log wrap, cut off or split.
@Suite struct BrokenLineTests {
  private static let statement =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZCREATEDAT, t0.ZMODIFIEDAT, t0.ZTITLE FROM ZITEM t0 "
    + "WHERE  t0.ZTITLE = ? "

  private static let log = (1...4).map { number in
    """
    CoreData: sql: \(statement)
    CoreData: details: SQLite bind[0] = "title \(number)"
    CoreData: annotation: sql connection fetch time: 0.0004s
    CoreData: annotation: fetch using NSSQLiteStatement <0x60000000010\(number)> on entity 'Item' \
    with sql text '\(statement)' returned 5 rows
    CoreData: annotation: total fetch execution time: 0.0007s for 5 rows.
    """
  }.joined(separator: "\n")

  private func wrapped(_ text: String, at width: Int) -> String {
    text.split(separator: "\n").map { line in
      var (rest, pieces) = (line[...], [Substring]())
      while !rest.isEmpty {
        pieces.append(rest.prefix(width))
        rest = rest.dropFirst(width)
      }
      return pieces.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  @Test(arguments: [72, 80, 120])
  func `joins lines that a terminal wrapped`(width: Int) throws {
    let whole = try LogFixture.read(Self.log)
    let reading = try LogFixture.read(wrapped(Self.log, at: width))
    #expect(reading.fingerprints == whole.fingerprints)
    #expect(reading.statements.map(\.time) == whole.statements.map(\.time))
    #expect(reading.statements.map(\.valueCount) == [1, 1, 1, 1])
    #expect((reading.report.foreign, reading.report.level) == (0, 2))
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.statements.first?.line == 1)
  }

  // Text copied from Xcode 15 has metadata below each message; SQLDebug level 3 lists objects below
  // a fetch.
  @Test(arguments: ["Type: Debug | Library: CoreData | Category: sql", "    \"<Item: 0x1>\","])
  func `joins no whole lines of one length`(next: String) throws {
    let text = Self.log.replacing("\n", with: "\n\(next)\n")
    let reading = try LogFixture.read(text)
    #expect(reading.fingerprints == Array(repeating: reading.fingerprints[0], count: 4))
    #expect(reading.statements.map(\.rows) == [5, 5, 5, 5])
    #expect(reading.report.foreign == 19)
  }

  @Test func `reports statements that the system's log has cut off`() throws {
    let columns = (0..<90).map { "t0.ZATTRIBUTE\($0)" }.joined(separator: ", ")
    let cut = "sql: SELECT 0, t0.Z_PK, \(columns)".prefix(1_015)
    let time = "CoreData: annotation: total fetch execution time: 0.0007s for 5 rows.\n"
    for end in ["<…>", ""] {
      let reading = try LogFixture.read(
        "CoreData: \(cut)\(end)\n\(time)CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0\n\(time)"
      )
      #expect(reading.report.cutOff == 1)
      #expect(reading.report.notes.map { $0.hasPrefix("cut off: 1 statement, because") } == [true])
      #expect(reading.report.unfinished == [1])
      #expect(reading.statements.map(\.rows) == [5, 5])
      #expect(!reading.report.isTruncated)
    }
  }

  @Test func `reads the threads and times of events whose keys have lines of their own`() throws {
    func event(_ message: String, thread: Int, subsystem: String = "com.apple.coredata") -> String {
      """
      {
        "eventMessage" : "\(message)",
        "backtrace" : {
          "frames" : [
            {
              "imageOffset" : 4
            }
          ]
        },
        "subsystem" : "\(subsystem)",
        "processID" : 9,
        "timestamp" : "2024-01-10 11:14:38.83178\(thread)-0800",
        "threadID" : \(thread)
      }
      """
    }
    let events = [
      event("sql: SELECT 0, t0.Z_PK FROM ZITEM t0", thread: 1),
      event("sql: SELECT 0, t0.Z_PK FROM ZTAG t0", thread: 2),
      event("error: no network", thread: 1, subsystem: "com.apple.network"),
      event("annotation: total fetch execution time: 0.0007s for 5 rows.", thread: 1),
      event("annotation: total fetch execution time: 0.0009s for 8 rows.", thread: 2),
    ]
    let reading = try LogFixture.read("[" + events.joined(separator: ",") + "]\n")
    let statements = reading.statements.sorted { $0.thread < $1.thread }
    #expect(statements.map(\.thread) == [1, 2])
    #expect(statements.map(\.rows) == [5, 8])
    #expect(statements.allSatisfy { $0.clock > 0 && $0.process == 9 })
    #expect((reading.report.foreign, reading.report.errors) == (1, 0))
  }

  @Test func `takes no list of an app's for an event`() throws {
    let reading = try LogFixture.read(
      """
      settings = {
      {
        "name" : "a",
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0
      CoreData: annotation: total fetch execution time: 0.0007s for 5 rows.
      }
      """
    )
    #expect(reading.statements.map(\.rows) == [5])
    #expect(reading.report.foreign == 4)
  }

  // Text copied from Console and other tools lacks `CoreData`; web pages turn runs of spaces into
  // one.
  @Test(arguments: ["default\t11:38:01.123+0200\tApp\t", "| ", "coredata: ", "CoreData:\u{A0}"])
  func `reads times behind heads without a name`(head: String) throws {
    let reading = try LogFixture.read(
      """
      \(head)sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ?
      \(head)annotation: total fetch execution time: 0.0007s for 5 rows.
      my app: annotation: a note for myself
      """
    )
    #expect(reading.statements.map(\.time) == [700])
    #expect(reading.report.foreign == 1)
  }
}

import Testing

@testable import SQLLog

@Suite struct LineHeadTests {
  private func head(_ line: String, isFirst: Bool = false) -> LineHead? {
    var line = line
    return line.withUTF8 { LineHead(UnsafeRawBufferPointer($0), isFirst: isFirst) }
  }

  private func body(_ line: String, isFirst: Bool = false) -> String? {
    head(line, isFirst: isFirst).map {
      String(decoding: Array(line.utf8)[$0.body...], as: UTF8.self)
    }
  }

  // Samples of public logs, at least one per form of head.
  @Test(arguments: [
    (
      "CoreData: sql: SELECT COUNT(*) FROM ZITEM", LineHead.Form.plain, "SELECT COUNT(*) FROM ZITEM"
    ),
    ("sql: SELECT t0.Z_ENT, t0.Z_PK", .stripped, "SELECT t0.Z_ENT, t0.Z_PK"),
    (
      "2014-07-30 11:45:15.647 WordList[65858:2586192] CoreData: sql: SELECT COUNT(DISTINCT t0.Z_PK)",
      .system, "SELECT COUNT(DISTINCT t0.Z_PK)"
    ),
    (
      "2020-11-29 17:27:58.693467+0200 EpicNote[40455:2797002] [error] error: SQLCore "
        + "dispatchRequest: exception", .xcode, "SQLCore dispatchRequest: exception"
    ),
    (
      "2024-01-10 11:14:38.831786-0800 0x724d65   Error       0x0                  18248  14   "
        + "knowledgeconstructiond: (CoreData) [com.apple.coredata:error] error:   file is not a "
        + "symbolic link", .unified, "  file is not a symbolic link"
    ),
    (
      "2026-10-07 02:09:14.456 E  Stride[39751:859c8e] [com.apple.coredata:error] CoreData: error: "
        + "addPersistentStoreWithType:", .compact, "addPersistentStoreWithType:"
    ),
    (
      "Aug 16 11:38:01 Roberts-iPhone DuetLST[93] <Warning>: Core Data: error: -executeRequest: "
        + "encountered exception", .syslog, "-executeRequest: encountered exception"
    ),
    (
      "oreData: sql: SELECT total( t0.ZN) FROM ZITEM t0", .damaged,
      "SELECT total( t0.ZN) FROM ZITEM t0"
    ),
    ("ata: sql: BEGIN EXCLUSIVE", .damaged, "BEGIN EXCLUSIVE"),
    (
      "DELETE FROM ZMESSAGE WHERE Z_PK = ? AND Z_OPT = ?", .bare,
      "DELETE FROM ZMESSAGE WHERE Z_PK = ? AND Z_OPT = ?"
    ),
  ])
  func `reads each form of head`(line: String, form: LineHead.Form, message: String) {
    #expect(head(line)?.form == form)
    #expect(body(line) == message)
  }

  @Test func `reads process and thread where a line shows them`() {
    let system = head("2014-07-30 11:45:15.647 WordList[65858:2586192] CoreData: sql: COMMIT")
    #expect(system?.process == 65858)
    #expect(system?.thread == 0x2586192)
    let compact = head(
      "2026-10-07 02:09:14.456 E  Stride[39751:859c8e] [com.apple.coredata:sql] CoreData: sql: COMMIT"
    )
    #expect(compact?.thread == 0x859c8e)
    let unified = head(
      "2024-01-10 11:14:38.831786-0800 0x724d65   Debug 0x0 18248  14   app: (CoreData) "
        + "[com.apple.coredata:sql] sql: COMMIT"
    )
    #expect(unified?.thread == 0x724d65)
    #expect(unified?.process == 18248)
  }

  // In openradar 12965555, thread numbers are hexadecimal, with or without letters.
  @Test func `reads hexadecimal threads of old systems`() {
    let threads = ["c07", "1303", "1a03", "1b07"].map {
      head("2013-01-07 14:46:17.561 App[3913:\($0)] CoreData: sql: COMMIT")?.thread
    }
    #expect(threads == [0xc07, 0x1303, 0x1a03, 0x1b07])
  }

  @Test(arguments: [
    "Loading error: no network", "AVAudioBuffer.mm:281 mBuffers[0].mDataByteSize (0)", "", ":",
    ": ",
    "error: ", "my sql: notes about select", "2024-01-10 11:14:38.831 App[1:2] hello: world",
  ])
  func `leaves foreign lines alone`(line: String) {
    #expect(head(line) == nil)
  }

  @Test func `accepts a paste that starts within the level word`() {
    #expect(
      body("ql: SELECT 0, t0.Z_PK FROM ZA t0", isFirst: true) == "SELECT 0, t0.Z_PK FROM ZA t0"
    )
    #expect(head("ql: SELECT 0, t0.Z_PK") == nil)
  }

  @Test func `reads the time of a line`() {
    func time(_ text: String) -> Int? {
      var text = text
      return text.withUTF8 { LineHead.time(of: UnsafeRawBufferPointer($0)) }
    }
    let first = time("2024-02-28 23:59:59.900 App[1:2] CoreData: sql: BEGIN") ?? 0
    let second = time("2024-03-01 00:00:00.1001 App[1:2] CoreData: sql: COMMIT") ?? 0
    // The leap year 2024 has a 29 February.
    #expect(second - first == 86_400_000_000 + 200_100)
    #expect(time("CoreData: sql: COMMIT") == nil)
  }
}

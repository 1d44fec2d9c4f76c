import Basics
import Reporting
import Testing

@testable import SQLLog

/// Tests limits on the counts of an action's section of a log.
@Suite struct ActionTests {
  private static let list = Lines.fetch("SELECT 0, t0.Z_PK, t0.ZNAME FROM ZTASK t0", rows: 30)

  /// A log in which the list is opened twice, the second time with faults, and a save in between.
  private static func log(faults: Int) -> String {
    var lines = ["screen list", list, "screen list ready", Lines.save([Lines.insert("ZTASK")])]
    lines += ["screen list", list]
    lines += (0..<faults).map { Lines.fault("ZPROJECT", entity: "Project", key: $0 + 1) }
    return (lines + ["screen list ready", list]).joined(separator: "\n") + "\n"
  }

  private func check(_ actions: String, _ log: String, reference: String? = nil) throws
    -> ActionCheck
  {
    let folder = try LogFixture(log)
    let good = try reference.map { try LogFixture($0, name: "good.log") }
    let named = good.map { "reference: \($0.path)\n" } ?? ""
    let file = try LogFixture(named + "kind: replay\nactions:\n" + actions, name: "w.yaml")
    return try ActionCheck(try ActionFile(path: file.path), logs: [folder.path])
  }

  private static let opening = """
      - name: open the list
        from: screen list
        to: screen list ready
    """

  @Test func `counts the costliest section of an action`() throws {
    let check = try check(
      Self.opening.replacing("from: screen list", with: "from: \"screen list\"")
        + "\n    statements: 8\n    faults: 6\n    rows: 36\n",
      Self.log(faults: 7)
    )
    let outcome = check.outcomes[0]
    // The end marker contains the text of the start marker, but must not start a section.
    #expect(outcome.sections == 2)
    #expect(outcome.figures.map { [$0.limit, $0.value ?? -1] } == [[6, 7], [36, 37], [8, 8]])
    #expect(outcome.figures.map(\.isExceeded) == [true, true, false])
    #expect(check.isFailed)
    #expect(outcome.additions.first?.operation == "fault on Project")
    #expect(outcome.additions.first?.callsBefore == nil)
  }

  @Test func `names what a log of other actions has in place of one`() throws {
    let other = try check(Self.opening + "\n    rows: 1\n", "screen lst\n" + Self.list)
    #expect(
      other.outcomes[0].problems == [
        "'open the list' is not in the log: no line has 'screen list'; the nearest is 'screen lst'"
      ]
    )
    let foreign = try check(Self.opening + "\n    rows: 1\n", "app starts\n" + Self.list)
    #expect(
      foreign.outcomes[0].problems == [
        "'open the list' is not in the log: no line has 'screen list'; the app's own lines are "
          + "'app starts'"
      ]
    )
    #expect(foreign.isFailed)
  }

  @Test func `lists the statements that the reference has not, or less often`() throws {
    let check = try check(
      Self.opening + "\n    faults: 2\n",
      Self.log(faults: 7),
      reference: Self.log(faults: 2)
    )
    let outcome = check.outcomes[0]
    #expect(
      outcome.additions.map { [$0.calls, $0.callsBefore ?? -1, $0.firstLine] } == [[7, 2, 13]]
    )
    let text = check.report.text()
    #expect(text.contains("1 of 1 action failed"))
    #expect(text.contains("faults       7      2  exceeded in lines 9 to 40"))
    #expect(text.contains("fault on Project      7       2          13"))
    #expect(try check.jsonText().contains("\"callsBefore\" : 2"))
    let good = try self.check(
      Self.opening + "\n    faults: 2\n",
      Self.log(faults: 2),
      reference: Self.log(faults: 2)
    )
    #expect(!good.isFailed)
    #expect(good.outcomes[0].additions.isEmpty)
  }

  @Test func `counts the app's own lines that are too many`() throws {
    let log = try LogFixture(
      (1...150).flatMap { ["screen \($0)", Self.list] }.joined(separator: "\n") + "\n"
    )
    let lines = try OwnLines(logs: [log.path])
    #expect(lines.pairs.count == 100 && lines.rest == 50)
  }

  @Test func `takes a line of Logger without its process and category`() throws {
    let prefix = "2026-05-04 10:00:04.012345+0200 App[815:4101]"
    let log = try LogFixture("\(prefix) [ui] screen list\n\(Self.list)\n")
    #expect(try OwnLines(logs: [log.path]).pairs.map(\.from) == ["screen list"])
  }

  @Test func `selects a section by times`() throws {
    func line(_ second: String, _ message: String) -> String {
      "2026-03-01 10:00:\(second) App[815:4100] CoreData: \(message)"
    }
    let log = ["01.000", "05.500", "06.400", "07.600"].flatMap { second in
      [
        line(second, "sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZTASK t0"),
        line(second, "annotation: total fetch execution time: 0.0010s for 30 rows."),
      ]
    }.joined(separator: "\n")
    let check = try check(
      """
        - { name: a, fromTime: "10:00:05", toTime: "2026-03-01 10:00:07", statements: 1 }
        - { name: b, fromTime: "10:00:05", lasts: 0.5 s, statements: 1 }
        - { name: c, toTime: "10:00:05.1", rows: 30 }
        - { name: d, fromTime: "11:00", statements: 1 }

      """.replacing("11:00\"", with: "11:00:00\""),
      log
    )
    #expect(check.outcomes.map(\.sections) == [1, 1, 1, 0])
    #expect(check.outcomes.map { $0.figures.first?.value } == [2, 1, 30, nil])
    #expect(check.outcomes.map(\.isFailed) == [true, false, false, true])
    #expect(check.report.text().contains("FAILED 'd', not in the log"))
  }

  @Test func `asks a replay for pages, and says so without one`() throws {
    let actions = Self.opening + "\n    pages: 10\n"
    let log = try LogFixture(Self.log(faults: 1))
    let yaml = try LogFixture("actions:\n" + actions, name: "w.yaml")
    let file = try ActionFile(path: yaml.path)
    let unknown = try ActionCheck(file, logs: [log.path])
    #expect(!unknown.isFailed)
    #expect(unknown.report.text().contains("not checked: 'pages' needs a store to replay on"))
    var replayed: [ClosedRange<Int>] = []
    let counted = try ActionCheck(file, logs: [log.path]) { lines in
      replayed.append(lines)
      return ActionCheck.PageCount(pages: lines.count)
    }
    #expect(replayed.count == 2)
    #expect(counted.outcomes[0].figures[0].value == replayed.map(\.count).max())
    let doubted = try ActionCheck(file, logs: [log.path]) { lines in
      ActionCheck.PageCount(pages: 1, doubt: "the replay differs from the log by 30.0 %")
    }
    #expect(doubted.isFailed)
    #expect(doubted.report.text().contains("not checked: the replay differs"))
  }

  @Test func `reports everything that is wrong with the actions at once`() throws {
    let file = try LogFixture(
      """
      actions:
        - name: a
          from: x
          fromTime: "10:00:00"
          statments: 3
        - name: b
          toTime: noon
          rows: 5
          lasts: long
      """,
      name: "w.yaml"
    )
    let error = #expect(throws: Refusal.self) { try ActionFile(path: file.path) }
    let text = try #require(error).description
    for part in [
      "unknown key 'statments'", "'from' and 'fromTime' exclude each other", "'a' has no limit",
      "'toTime' must be a time", "'lasts' must be a time",
    ] {
      #expect(text.contains(part), "\(text)")
    }
    let empty = try LogFixture("kind: replay\n", name: "w.yaml")
    #expect(throws: Refusal.self) { try ActionFile(path: empty.path) }
  }
}

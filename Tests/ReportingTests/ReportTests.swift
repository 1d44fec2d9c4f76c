import Basics
import Testing

@testable import Reporting

@Suite struct ReportTests {
  /// A report with a part of every kind; most parts contain `name`.
  private func report(named name: String = "Task") -> Report {
    var report = Report(
      kind: "log analysis",
      title: Report.Text("\(name) needs an index"),
      verdict: "1 finding in \(strong: "12 statements") of \(code: name)",
      tone: .bad,
      facts: [.init("Recorded time", "1.2 ms"), .init("Log", Report.Text(name))],
      source: "the log"
    )
    report.findings = [
      .init("\(name) is read 3 times", details: ["lines 1, 2", "confidence high"])
    ]
    report.sections = [
      .init(
        "Entities",
        question: "Which take time?",
        [
          .sentence("All of \(name)."),
          .table(
            Report.Table(
              "By time",
              [.init("Entity"), .init("Calls", .number), .init("Time", .seconds)],
              rows: [
                [.text(name), .number(1200), .number(0.0125)],
                ["Note", .number(3), .number(0.5)],
                ["Tag", .number(1), "unknown"],
              ],
              most: 2,
              note: "Nested totals count once."
            )
          ),
          .list([Report.Text(name)], .bad),
          .warning("Values are guessed."),
          .command("storebench analyze --store 'My Store.sqlite'"),
          .details("All values", [.facts([.init(name, "1")])]),
        ]
      )
    ]
    return report
  }

  @Test func `a terminal shows the answer first, and every part in 80 columns`() {
    #expect(
      report().text() == """
        Task needs an index
        1 finding in 12 statements of Task

        Recorded time  1.2 ms
        Log            Task

        1. Task is read 3 times
           lines 1, 2
           confidence high

        Entities
          Which take time?
          All of Task.
          By time
          Entity  Calls  Time (ms)
          Task    1,200       12.5
          Note        3      500.0
          and 1 more: --format json has them all
          Nested totals count once.
          ✗ Task
          ! Values are guessed.
            storebench analyze --store 'My Store.sqlite'
          All values
            Task  1

        """
    )
  }

  @Test func `Markdown folds details and escapes names`() {
    let text = report(named: "a|b*<c>").markdown
    #expect(text.hasPrefix("## a\\|b\\*&lt;c> needs an index\n\n1 finding in **12 statements**"))
    #expect(
      text.contains("| Entity | Calls | Time (ms) |\n| --- | ---: | ---: |\n| a\\|b\\*&lt;c> |")
    )
    #expect(text.contains("```\nstorebench analyze --store 'My Store.sqlite'\n```"))
    #expect(
      text.contains("<details><summary>All values</summary>\n\n- a\\|b\\*&lt;c>: 1\n\n</details>")
    )
  }

  @Test func `charts, and tables without rows for a terminal, are left to pages`() {
    var report = Report(kind: "check", title: "Done", source: "the check")
    let table = Report.Table("", [.init("Only here")], rows: [["x"]], most: 0)
    report.sections = [
      .init(
        "Sizes",
        [.details("Numbers", [.table(table)]), .charts([], heading: "Panel", note: "How to read")]
      )
    ]
    #expect(report.text() == "Done\n\nSizes\n")
    #expect(!report.markdown.contains("Numbers"))
    for part in ["Only here", "<h3>Panel</h3>", "How to read"] {
      #expect(report.html.contains(part))
    }
  }

  @Test func `a fence is longer than those in its command`() {
    var report = report()
    report.sections = [.init("s", [.command("echo ````")])]
    #expect(report.markdown.contains("`````\necho ````\n`````"))
  }

  @Test(arguments: ["\u{1B}[2J\u{7}evil\u{202E}", "two\nlines"])
  func `no control character of a name reaches a terminal or a comment`(name: String) {
    for text in [report(named: name).text(), report(named: name).markdown] {
      #expect(
        !text.unicodeScalars.contains { $0 != "\n" && TerminalText.plain("\($0)") != "\($0)" }
      )
    }
    #expect(report(named: name).text().split(separator: "\n").count == 21)
  }

  @Test func `lines stay within the width whatever names are long or wide`() {
    let names = [String(repeating: "Long", count: 40), "日本語のとても長い名前の実体です 日本語のとても長い名前の実体です 名前"]
    for name in names {
      for width in [40, 60, 80, 100] {
        let commands = report(named: name).text(width: width).split(separator: "\n")
          .filter { !$0.contains("storebench") }
        #expect(commands.allSatisfy { TerminalText.width(String($0)) <= width })
      }
    }
  }

  @Test func `colors stand only around whole lines and cells`() {
    let text = report().text(palette: Palette(isColoured: true))
    #expect(text.hasPrefix("\u{1B}[31mTask needs an index\u{1B}[0m\n"))
    #expect(text.replacing(/\u{1B}\[\d+m/, with: "") == report().text())
  }

  // MARK: Tables

  private func lines(_ table: Report.Table, width: Int) -> [String] {
    TableLayout(table, width: width).lines(.plain)
  }

  private let wide = Report.Table(
    "",
    [.init("Name"), .init("Calls per save", .number), .init("Reason"), .init("SQL", .code)],
    rows: [
      ["first", .number(12), "reads all rows of a table that grows", "SELECT * FROM ZTASK"],
      ["second", "unknown", "", "DELETE FROM ZTASK"],
    ]
  )

  @Test func `a table in one line a row aligns text left and numbers right`() {
    #expect(
      lines(wide, width: 100) == [
        "Name    Calls per save  Reason                                SQL",
        "first               12  reads all rows of a table that grows  SELECT * FROM ZTASK",
        "second         unknown                                        DELETE FROM ZTASK",
      ]
    )
  }

  @Test func `a table that is too wide puts code below its row, then wraps words`() {
    #expect(
      lines(wide, width: 66) == [
        "Name    Calls per save  Reason",
        "first               12  reads all rows of a table that grows",
        "    SELECT * FROM ZTASK",
        "second         unknown",
        "    DELETE FROM ZTASK",
      ]
    )
    #expect(
      lines(wide, width: 40) == [
        "          Calls",
        "            per",
        "Name       save  Reason",
        "first        12  reads all rows of a",
        "                 table that grows",
        "    SELECT * FROM ZTASK",
        "second  unknown",
        "    DELETE FROM ZTASK",
      ]
    )
  }

  @Test func `a table without room for its columns is a block for each row`() {
    var narrow = wide
    narrow.columns += ["p50", "p90", "p99"].map { .init($0, .seconds) }
    for index in narrow.rows.indices {
      narrow.rows[index] += [.number(0.001), .number(0.002), "–"]
    }
    #expect(
      lines(narrow, width: 32) == [
        "first",
        "    Calls per save: 12",
        "    Reason: reads all rows of a",
        "    table that grows",
        "    SQL: SELECT * FROM ZTASK",
        "    p50 (ms): 1.00",
        "    p90 (ms): 2.00 · p99: –",
        "second",
        "    Calls per save: unknown",
        "    SQL: DELETE FROM ZTASK",
        "    p50 (ms): 1.00",
        "    p90 (ms): 2.00 · p99: –",
      ]
    )
  }

  @Test func `every cell and head of a table is printed at every width`() {
    for width in 20...120 {
      let text = lines(wide, width: width).joined(separator: " ")
      let words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "*" }.map(String.init))
      for word in ["first", "second", "12", "unknown", "grows", "DELETE", "ZTASK"] {
        #expect(words.contains(word), "\(word) at \(width)")
      }
      #expect(lines(wide, width: width).allSatisfy { TerminalText.width($0) <= width })
    }
  }

  @Test func `numbers of a column share a unit unless they are too far apart`() {
    func column(_ kind: Report.Column.Kind, _ values: [Double]) -> [String] {
      let table = Report.Table("", [.init("v", kind)], rows: values.map { [.number($0)] })
      return table.written.heads + table.written.rows.map { $0[0].text.plain }
    }
    #expect(column(.bytes, [2048, 10240]) == ["v (KB)", "2.0", "10.0"])
    #expect(column(.seconds, [0.000_001, 5]) == ["v", "1.00 µs", "5.00 s"])
    #expect(column(.seconds, [-0.002, 0.001]) == ["v (ms)", "-2.00", "1.00"])
    #expect(column(.share, [0.25, 0.001]) == ["v", "25 %", "0.1 %"])
    #expect(column(.number, [1_234_567, 0.12345, .infinity]) == ["v", "1,234,567", "0.123", "∞"])
  }

  @Test func `a command of a CI system stays one line, whatever a name has in it`() {
    let text = WorkflowCommand.text("error", title: "t", "x\r\n::error::owned\u{1B}[2J %")
    #expect(text == "::error title=t::x%0D%0A::error::owned[2J %25\n")
  }
}

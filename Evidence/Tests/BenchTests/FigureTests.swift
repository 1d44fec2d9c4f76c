import Basics
import Foundation
import TestSupport
import Testing

@testable import bench

/// Tests that figures in the documentation follow from their data.
struct FigureTests {
  private let folder: TemporaryFolder
  private let settings: Set<String> = ["p.md: 5 %"]

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "name,part,error,hit\na,1,-0.1,yes\n\"b,c\",1,0.3,no\nd,2,0.25,yes\n",
      to: "d.csv"
    )
    try folder.write("name,error\na,\n", to: "gap.csv")
    try folder.write("low,truth,high\n1,2,3\n1,0.5,3\n,2,\n1,3,3\n", to: "held.csv")
    try folder.write("cell,hit\nhit,1\nhit,2\nmiss,0\n", to: "named.csv")
    try folder.write("a line\n", to: "out.txt")
    try folder.write("name,value,command\na,7,make it\n", to: "typed.csv")
  }

  private func faults(_ text: String) throws -> [String] {
    try FigurePage(name: "p.md", text: text).faults(folder: folder.path, settings: settings)
      .map(\.description)
  }

  @Test(arguments: [
    ("d.csv: count", "3"), ("d.csv[part=1]: count", "2"),
    ("d.csv[error>=0.25 & hit=no]: count", "1"),
    ("d.csv: median(error) as 0.1 %", "25.0 %"),
    ("d.csv[part=1]: median(abs.error) as 0.01", "0.20"),
    ("d.csv: sum(part)", "4"), ("d.csv: max(error) as 1 ms", "300 ms"),
    ("d.csv: min(error) as 0.1", "-0.1"),
    ("d.csv: count(hit=yes)", "2"), ("d.csv: upper(hit=yes) as 0.1 %", "99.2 %"),
    ("d.csv[part=2]: text(name)", "d"), ("d.csv[name=b,c]: value(error) as 0.1", "0.3"),
    ("gap.csv: value(error) as 1", "–"),
    ("held.csv[truth>=low]: count(truth<=high)", "2"), ("held.csv: count(truth=high)", "1"),
    ("held.csv: count(truth=0.50)", "1"), ("held.csv: count(truth!=3.0)", "3"),
    // In these conditions `hit` is a value, although the file also has a column of that name.
    ("named.csv[cell!=hit]: count", "1"), ("named.csv: count(cell=hit)", "2"),
  ])
  func `answers a query`(query: String, answer: String) throws {
    #expect(try FigureQuery(query).text(in: folder.path) == answer)
  }

  @Test func `a page whose figures are the data's has no fault`() throws {
    let page = """
      An error of <!-- figure d.csv: median(error) as 1 % -->25 %<!-- /figure -->, at a level of 5 %.
      <!-- figures d.csv by part: count; max(error) as 0.01 -->
      | 1 | 2 | 0.30 |
      | 2 | 1 | 0.25 |
      <!-- /figures -->
      `40 ms` in code, and a block:
      <!-- output out.txt -->
      ```
      a line
      ```
      <!-- /output -->
      """
    #expect(try faults(page) == [])
  }

  @Test(arguments: [
    ("<!-- figure d.csv: median(error) as 1 % -->24 %<!-- /figure -->", "differs from the data"),
    ("<!-- output out.txt -->\n```\nanother\n```\n<!-- /output -->", "differs from the data"),
    ("<!-- figure d.csv: sum(no) -->1<!-- /figure -->", "no column 'no'"),
    ("<!-- figure e.csv: count -->1<!-- /figure -->", "no data file"),
    ("<!-- figure d.csv: mean(error) -->1<!-- /figure -->", "cannot be read as a query"),
    ("It takes 12.5 s here.", "'12.5 s' does not come from a data file"),
    ("fast\n\nby 3 %", "p.md:3: '3 %' does not come from a data file"),
  ])
  func `finds an injected wrong figure`(text: String, message: String) throws {
    let found = try faults(text)
    #expect(found.count == 1)
    #expect(found.first?.contains(message) == true, "\(found)")
  }

  @Test func `marks typed figures, and wants a line that explains them`() throws {
    let page = "<!-- figure typed.csv: value(value) as 1 s -->7 s†<!-- /figure -->"
    #expect(try faults(page) == ["p.md:1: no line explains its typed figures (†)"])
    #expect(try faults(page + "\n\n† typed from the output of its command") == [])
    let table =
      "<!-- figures typed.csv by name: value(value) -->\n| a† | 7 |\n<!-- /figures -->\n† typed"
    #expect(try faults(table) == [])
  }

  @Test func `a page without markers has the sentences and outputs of its list`() throws {
    let list = FigurePage(
      name: "list.md",
      text: """
        - It takes
          <!-- figure d.csv: count -->3<!-- /figure --> steps. **Data:** d.csv
        - The end.
        <!-- output out.txt -->
        ```
        a line
        ```
        <!-- /output -->
        """
    )
    let head = "# A\n\nIt takes 3\nsteps. The end.\n\n    code 4\n```\n"
    #expect(try PlainPage(name: "p", text: head + "a line\n```\n").faults(list: list) == [])
    let stale = PlainPage(name: "p", text: head + "an old line\n```\n")
    #expect(
      try stale.faults(list: list).map(\.message) == [
        "its blocks are not the outputs of list.md, in their order"
      ]
    )
    #expect(try stale.updated(from: list) == head + "a line\n```\n")
    let wrong = PlainPage(name: "p", text: "It takes 4 steps.\n\nThe end.\n```\na line\n```\n")
    #expect(
      try wrong.faults(list: list).map(\.description)
        == ["p:1: not in list.md, where its data belong: It takes 4 steps."]
    )
    #expect(try PlainPage(name: "p", text: "The end.").updated(from: list) == nil)
  }

  @Test func `finds a table that its rows no longer give`() throws {
    let ledgers = TruthLedgers(folder: folder.path + "/truth")
    try ledgers.product.append(.example(changed: 0))
    let table = try #require(DerivedText.all.first { $0.path == "truth/evidence.txt" })
    let text = try table.text(from: folder.path)
    try folder.write(text, to: "truth/evidence.txt")
    #expect(try table.fault(than: text, in: folder.path) == nil)
    try ledgers.product.append(.example(changed: 2))
    let fault = try table.fault(than: table.text(from: folder.path), in: folder.path)
    #expect(fault?.page == "Evidence/Results/truth/evidence.txt")
    #expect(fault?.message.contains("warm                     2       2        1") == true)
  }

  // `make -C Evidence figures` also refuses numbers that come from no data file.
  @Test func `the project's pages show what its data give`() throws {
    let project = Repository.path(".")
    var figures = 0
    for name in try FiguresBench.pages(of: project) {
      let text = try String(contentsOfFile: project + "/" + name, encoding: .utf8)
      let page = try FigurePage(name: name, text: text).recomputed(
        from: project + "/Evidence/Results"
      )
      #expect(page.faults == [])
      #expect(page.text == text, "\(name): make -C Evidence figures")
      figures += text.components(separatedBy: "<!-- figure ").count - 1
    }
    #expect(figures > 40)
    #expect(try FiguresBench.frontPage(of: project) == [])
  }
}

import Basics
import Foundation
import Reporting
import TestSupport
import Testing

@testable import Runner

@Suite struct RunPageTests {
  /// A result in which every name tries to break out of its HTML element.
  private func document(named name: String) -> ResultDocument {
    var document = ResultFixture.document
    document.environment.machine = name
    document.environment.operatingSystem = name
    for index in document.workloads.indices {
      document.workloads[index].workload = "\(index)\(name)"
      document.workloads[index].kind = name
      document.workloads[index].question = name
      document.workloads[index].store.source = name
      for place in document.workloads[index].cases.indices {
        document.workloads[index].cases[place].id = "\(index)-\(place)\(name)"
        document.workloads[index].cases[place].notes = [name]
        for key in document.workloads[index].cases[place].parameters.keys {
          document.workloads[index].cases[place].parameters[key]?.append(name)
        }
        if case .failed = document.workloads[index].cases[place].outcome {
          document.workloads[index].cases[place].outcome = .failed(name)
        }
      }
    }
    return document
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "]]><svg onload=alert(1)>", "\"onload=alert(1) x=\"",
    "\"\u{301} onload=alert(1) x=\"", "<\u{338}img src=x>", "--><b>", "</title></style>",
    "{{name}}",
  ])
  func `escapes names of every kind`(name: String) throws {
    let html = document(named: name).report.html
    #expect(html.components(separatedBy: "<script>").count == 2)
    #expect(html.components(separatedBy: "</script>").count == 2)
    #expect(html.components(separatedBy: "</style>").count == 2)
    let tags = html.matches(of: /<[a-z][^>]*>/).map { String($0.output) }
    for tag in tags {
      // A quote that closes an attribute early would give the tag an odd number of quotes.
      let quotes = tag.unicodeScalars.filter { $0 == "\"" }.count
      #expect(quotes.isMultiple(of: 2), "\(tag)")
      let outside = tag.replacing(/"[^"]*"/, with: "")
      #expect(!outside.contains("onload"), "\(tag)")
      #expect(!tag.hasPrefix("<img") && !tag.contains(" style="), "\(tag)")
    }
  }

  @Test func `writes the same bytes for the same result, also after it was stored`() throws {
    let first = ResultFixture.document.report.html
    let stored = try ResultDocument(json: Array(ResultFixture.document.text(as: .json).utf8))
    #expect(stored.report.html == first)
  }

  @Test func `takes at most 150 KB for the main job`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let document = try ResultDocument(readingFrom: "\(path)/main-job.json.gz")
    let html = document.report.html
    #expect(document.workloads.flatMap(\.cases).count == 18)
    #expect(html.utf8.count <= 150_000)
    #expect(html.components(separatedBy: "role=\"img\"").count > 16)
    #expect(html.contains("<figcaption>Total time <span>of blob storage, log scale</span>"))
    let second = try #require(html.firstRange(of: "<h2"))
    #expect(html[..<second.lowerBound].firstRange(of: "<h3") == nil)
  }

  @Test func `a chart and the table have the median of the JSON, and one of each case`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let kept = try ResultDocument(readingFrom: "\(path)/main-job.json.gz")
    let document = try ResultDocument(json: Array(kept.text(as: .json).utf8))
    func parts(_ blocks: [Report.Block]) -> [Report.Block] {
      blocks.flatMap { block -> [Report.Block] in
        switch block {
        case .details(_, let inner), .folded(_, let inner): parts(inner)
        default: [block]
        }
      }
    }
    let report = document.report
    let blocks = parts(report.lead + report.sections.flatMap(\.blocks))
    let charts = blocks.flatMap { block -> [any Chart] in
      if case .charts(let figures, _, _) = block { figures.map(\.chart) } else { [] }
    }.compactMap { $0 as? StripChart }.filter { $0.title == "Total time" }
    let tables = blocks.compactMap { if case .table(let table) = $0 { table } else { nil } }
      .filter { $0.columns.contains { $0.title == "Time" } && $0.columns[0].title != "Assumption" }
    let cells = tables.flatMap { table -> [Double] in
      let place = table.columns.firstIndex { $0.title == "Time" } ?? 0
      return table.rows.compactMap { row in
        if case .number(let number) = row[place].value { number } else { nil }
      }
    }
    let stored = document.workloads.map { $0.keeping(variations: false) }.flatMap(\.cases)
      .map { $0.trialValues(of: .wallClock).sorted() }.map { $0[$0.count / 2] }
    #expect(stored.count == 18)
    #expect(charts.flatMap(\.rows).map(\.median).sorted() == stored.sorted())
    #expect(cells.sorted() == stored.sorted())
  }

  @Test func `fits a comment on a pull request`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    var document = try ResultDocument(readingFrom: "\(path)/main-job.json.gz")
    #expect(try document.text(as: .markdown).count { $0 == "\n" } <= 60)
    let template = document.workloads[0].cases[0]
    document.workloads[0].cases = (0..<300).map { number in
      var result = template
      result.id += ",size=\(number)"
      result.parameters["size"] = "\(number)"
      return result
    }
    let text = try document.text(as: .markdown)
    #expect(text.count { $0 == "\n" } <= 60, "\(text)")
    #expect(text.contains("<details><summary>Table of 310 cases</summary>"))
    #expect(text.contains(" more*"))
  }

  @Test func `a name at the start of a title keeps its spelling, a word does not`() {
    func title(_ parameters: [String: String], _ claim: String) -> String {
      let samples = ResultFixture.costs(1, inSQLite: 0.5, megabytes: 40, vmSteps: 1)
      var workload = ResultFixture.workload(
        "a",
        kind: "scenario",
        cases: [ResultFixture.result("a", parameters, samples: samples)]
      )
      workload.findings = [
        Finding(
          topic: .memory,
          workload: "a",
          claim: claim,
          evidence: .init(cases: [], trials: 5, confidence: 0.95)
        )
      ]
      return ResultDocument(environment: .example, workloads: [workload]).report.title.plain
    }
    let claim = "inRow needs 2.1 times the memory of apart"
    #expect(title(["strategies": "inRow"], claim) == claim)
    #expect(title(["strategy": "batched"], "batched needs 2 MB") == "Batched needs 2 MB")
  }

  @Test func `shows failures and findings of a result`() {
    var document = ResultFixture.document
    document.workloads[0].findings = [
      Finding(
        topic: .fastest,
        workload: document.workloads[0].workload,
        claim: "Batches are faster",
        detail: "2.1 times (1.9 to 2.3)",
        evidence: .init(cases: [], trials: 5, confidence: 0.95)
      )
    ]
    let html = document.report.html
    #expect(
      html.contains("<b>Paging: Batches are faster.</b><small>2.1 times (1.9 to 2.3).</small>")
    )
    #expect(html.contains("95\u{A0}% intervals"))
    #expect(html.contains("FAILED: verification failed: 10,000 tasks expected, 9,999 read"))
  }

  @Test func `keeps the color of a strategy through a report`() {
    let cases = { (strategies: [String]) in
      strategies.map { ResultFixture.result("w", ["strategy": $0]) }
    }
    let sets = [["inline", "file"], ["file", "inline", "entity"], ["eager", "batched"]].map(cases)
    let dimensions = sets.map { CaseDimensions(of: $0) }
    let numbers = SeriesNumbers(dimensions)
    let found = zip(sets, dimensions).map { set, dimensions in
      set.map { numbers.number(of: $0, in: dimensions) }
    }
    #expect(found == [[1, 2], [2, 1, 3], [1, 2]])
  }
}

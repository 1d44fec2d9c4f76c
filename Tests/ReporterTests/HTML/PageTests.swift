import Basics
import Compare
import Foundation
import TestSupport
import Testing

@testable import Reporter
@testable import Runner

/// What a page may hold, whatever its result is called.
@Suite struct ReporterPageTests {
  /// A result whose every name tries to leave the place where it is put.
  private func document(named name: String) -> ResultDocument {
    var document = Fixture.document
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
    let html = try HTMLReport().text(of: document(named: name))
    #expect(html.components(separatedBy: "<script>").count == 2)
    #expect(html.components(separatedBy: "</script>").count == 2)
    #expect(html.components(separatedBy: "</style>").count == 2)
    let tags = html.matches(of: /<[a-z][^>]*>/).map { String($0.output) }
    for tag in tags {
      // A quote that ended an attribute would leave an odd number of them, or a handler.
      let quotes = tag.unicodeScalars.filter { $0 == "\"" }.count
      #expect(quotes.isMultiple(of: 2), "\(tag)")
      let outside = tag.replacing(/"[^"]*"/, with: "")
      #expect(!outside.contains("onload"), "\(tag)")
      #expect(!tag.hasPrefix("<img") && !tag.contains(" style="), "\(tag)")
    }
  }

  @Test func `isolates names that run from right to left, and drops what would reverse others`()
    throws
  {
    let html = try HTMLReport().text(of: document(named: " שלום عالم"))
    #expect(html.contains("<bdi>שלום عالم</bdi>"))
    let marks = html.unicodeScalars.filter { [0x2068, 0x2069].contains($0.value) }.map(\.value)
    #expect(!marks.isEmpty && marks == marks.indices.map { $0.isMultiple(of: 2) ? 0x2068 : 0x2069 })
    let reversed = try HTMLReport().text(of: document(named: "a\u{202E}gnp\u{0}\u{1B}[2J"))
    #expect(!reversed.unicodeScalars.contains { [0x202E, 0, 0x1B].contains($0.value) })
  }

  @Test func `allows its own style and script, by their digests, and nothing else`() throws {
    let html = try HTMLReport().text(of: Fixture.document)
    let style = try #require(html.firstMatch(of: /<style>(?<text>(?s:.*?))<\/style>/)?.text)
    let script = try #require(html.firstMatch(of: /<script>(?<text>(?s:.*?))<\/script>/)?.text)
    let policy = try #require(html.firstMatch(of: /Policy" content="(?<text>[^"]*)"/)?.text)
    func digest(_ text: Substring) -> String {
      Data(SHA256.hash(data: text.utf8)).base64EncodedString()
    }
    #expect(
      policy.replacing("&#39;", with: "'")
        == "default-src 'none'; style-src 'sha256-\(digest(style))'; "
        + "script-src 'sha256-\(digest(script))'; base-uri 'none'; form-action 'none'"
    )
    #expect(script.utf8.count <= 10_000)
    #expect(!html.contains("src=") && !html.contains("href=\"http") && !html.contains("@import"))
  }

  @Test func `writes the same bytes for the same result, also after it was stored`() throws {
    let first = try HTMLReport().text(of: Fixture.document)
    let stored = try ResultJSON().document(
      from: Array(ResultJSON().text(of: Fixture.document).utf8)
    )
    #expect(try HTMLReport().text(of: stored) == first)
  }

  @Test func `takes at most 150 KB for the main job`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let document = try ResultDocument(readingFrom: "\(path)/main-job.json.gz")
    let html = try HTMLReport().text(of: document)
    #expect(document.workloads.flatMap(\.cases).count == 18)
    #expect(html.utf8.count <= 150_000)
    #expect(html.components(separatedBy: "role=\"img\"").count > 16)
  }

  @Test func `shows failures and findings of a result`() throws {
    var document = Fixture.document
    document.workloads[0].findings = [
      Finding(
        topic: .fastest,
        workload: document.workloads[0].workload,
        claim: "Batches are faster",
        detail: "2.1 times (1.9 to 2.3)",
        evidence: .init(cases: [], trials: 5, confidence: 0.95)
      )
    ]
    let html = try HTMLReport().text(of: document)
    #expect(html.contains("<b>Batches are faster.</b> 2.1 times (1.9 to 2.3)."))
    #expect(html.contains("95\u{A0}% intervals"))
    for case .failed(let reason) in document.workloads.flatMap(\.cases).map(\.outcome) {
      #expect(html.contains(Inline(reason).html))
    }
  }

  @Test func `keeps the color of a strategy through a report`() {
    let cases = { (strategies: [String]) in
      strategies.map { Fixture.result("w", ["strategy": $0]) }
    }
    let sets = [["inline", "file"], ["file", "inline", "entity"], ["eager", "batched"]].map(cases)
    let dimensions = sets.map { CaseDimensions(of: $0) }
    let numbers = SeriesNumbers(dimensions)
    let found = zip(sets, dimensions).map { set, dimensions in
      set.map { numbers.number(of: $0, in: dimensions) }
    }
    #expect(found == [[1, 2], [2, 1, 3], [1, 2]])
  }

  @Test func `compares two results, and says what is left out`() throws {
    let baseline = ResultDocument(environment: .example, workloads: [Fixture.paging])
    var candidate = baseline
    let steps = Metric.counter("sqlite.vmSteps")
    candidate.workloads[0].cases[0].replace(Fixture.exact(steps, 150_000))
    candidate.workloads[0].cases.removeLast()
    let comparison = try Comparison(of: candidate, against: baseline)
    let html = HTMLComparison().text(of: comparison)
    #expect(html.contains("1 cost rose"))
    #expect(html.contains("only in the baseline"))
    let lacking = Comparison(of: candidate, lackingBaseline: "no baseline of <this>")
    #expect(HTMLComparison().text(of: lacking).contains("no baseline of &lt;this&gt;"))
  }
}

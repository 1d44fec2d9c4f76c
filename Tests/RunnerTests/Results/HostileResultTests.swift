import Basics
import Compare
import Reporting
import TestSupport
import Testing

@testable import Runner

@Suite struct HostileResultTests {
  private func read(_ text: String) throws -> ResultDocument {
    try ResultDocument(json: Array(text.utf8))
  }

  private func changed(_ text: String, to replacement: String) throws -> String {
    let whole = try ResultFixture.small.text(as: .json)
    let changed = whole.replacing(text, with: replacement, maxReplacements: 1)
    try #require(changed != whole)
    return changed
  }

  private static let trials = "workloads[0].cases[0].samples[1].trials"

  @Test(
    arguments: [
      (
        "[0.1]", "[-0.1]",
        Refusal.unusableValue("-0.1", metric: "wallClock", place: "\(trials)[0][0]")
      ),
      (
        "[0.1]", "[1e300]",
        .unusableValue("1e+300", metric: "wallClock", place: "\(trials)[0][0]")
      ),
      ("\"version\":1", "\"version\":2", .unsupportedVersion(2)),
      (
        "batchSize=90", "batchSize=50",
        .repeated("case", name: "fetch/paging/batchSize=50", place: "workloads[0].cases[2]")
      ),
      (
        "\"metric\":\"wallClock\"", "\"metric\":\"sqlite.vmSteps\"",
        .repeated("metric", name: "sqlite.vmSteps", place: "workloads[0].cases[0].samples[1]")
      ),
      (
        "\"trialCount\":2", "\"trialCount\":-2",
        .unusableField(
          "trialCount or iterationCount",
          problem: "is negative",
          place: "workloads[0]"
        )
      ),
      (
        "\"trialCount\":2", "\"trialCount\":2,\"looks\":[2,1000000000]",
        .unusableField(
          "looks",
          problem: "is no ascending list of numbers from 2 to 100",
          place: "workloads[0]"
        )
      ),
      (
        "\"percent\":2", "\"percent\":-2",
        .unusableField("budget", problem: "is neither a share nor a growth", place: "workloads[0]")
      ),
      (
        "\"bytes\":40960", "\"bytes\":-1",
        .unusableField("store", problem: "has a negative size", place: "workloads[0]")
      ),
    ])
  func `refuses what no run writes`(
    text: String,
    replacement: String,
    error: Refusal
  ) throws {
    let text = try changed(text, to: replacement)
    #expect(throws: error) { try read(text) }
  }

  @Test func `refuses results and plans of fleets, which were removed`() throws {
    let text = try changed("\"trialCount\":2", to: "\"trialCount\":2,\"user\":{\"number\":1}")
    #expect(throws: Refusal.fleet) { try read(text) }
    let plan = #"{"version":1,"hash":"","command":{"files":[],"set":[],"fleet":{"users":5}}}"#
    #expect(throws: Refusal.fleet) { try PlanDocument(json: Array(plan.utf8)) }
  }

  @Test(
    arguments: [
      ("[0.1]", "[NaN]", "not JSON: invalid value around character", "the document"),
      ("[0.1]", "[1e999]", "a number does not fit", trials),
      ("[0.1]", "[true]", "expected to decode Double but found bool", "\(trials)[0][0]"),
      ("[0.1]", "[null]", "cannot get value of type Double", "\(trials)[0][0]"),
      ("\"unit\":\"s\"", "\"unit\":\"h\"", "cannot initialize Unit", ".samples[1].unit"),
      ("\"unit\":\"s\"", "\"nit\":\"s\"", "'unit' is missing", ".samples[1]"),
      ("\"status\":\"passed\"", "\"status\":\"odd\"", "cannot initialize Status", ".status"),
      ("\"cores\":2", "\"cores\":2.5", "a number does not fit", "environment"),
      ("\"cores\":2", "\"cores\":99999999999999999999", "a number does not fit", "environment"),
      ("\"cases\":[{", "\"cases\":[[{", "not JSON: ", "the document"),
    ])
  func `says where the shape is wrong`(
    text: String,
    replacement: String,
    reason: String,
    place: String
  ) throws {
    let text = try changed(text, to: replacement)
    let error = try #require(throws: Refusal.self) { try read(text) }
    #expect(error.status == .badInput)
    #expect(error.message.hasSuffix(place), "\(error)")
    #expect(error.message.hasPrefix(reason), "\(error)")
  }

  @Test(arguments: ["", "{", "[]", "null", "\u{0}", "{\"version\":1}", "{\"version\":\"1\"}"])
  func `refuses what is no result at all`(text: String) {
    #expect(throws: Refusal.self) { try read(text) }
  }

  @Test func `refuses nesting without end`() throws {
    for text in ["[", "{\"a\":", "{\"version\":"] {
      let deep = String(repeating: text, count: 200_000)
      let error = try #require(throws: Refusal.self) { try read(deep) }
      #expect("\(error)".hasPrefix("more than 64 objects or lists are inside each other"))
    }
  }

  @Test(
    arguments: [
      ("\"version\":1", "\"version\":1,\"version\":1", "duplicate key 'version'"),
      (
        "\"limit\":\"0\"", "\"limit\":\"0\",\"limit\":\"1\"", "duplicate key 'limit'"
      ),
      (
        "\"lost a row\"", "\"" + String(repeating: "x", count: 60_001) + "\"",
        "a string is too long"
      ),
      (
        "\"limit\":\"0\"", (0...10_000).map { "\"\($0)\":\"\"" }.joined(separator: ","),
        "an object has more than 10000 keys"
      ),
    ])
  func `refuses keys that repeat and what is too large, with the byte`(
    text: String,
    replacement: String,
    reason: String
  ) throws {
    let text = try changed(text, to: replacement)
    let error = try #require(throws: Refusal.self) { try read(text) }
    #expect("\(error)".hasPrefix(reason + " at byte "), "\(error)")
  }

  @Test func `a key may stand in two objects, and a value may look like a key`() throws {
    let text = try changed("\"lost a row\"", to: #""a \", \"a\": {[""#)
    #expect(try read(text).workloads[0].cases[1].outcome == .failed(#"a ", "a": {["#))
  }

  @Test func `refuses a million cases before it has read them`() throws {
    let one = #"""
      {"behaviours":[],"id":"x","notes":[],"outcome":{"status":"passed"},"parameters":{},"samples":[]}
      """#
    let many = [String](repeating: one, count: ResultLimits.cases + 1).joined(separator: ",")
    let text = try changed("\"cases\":[", to: "\"cases\":[\(many),")
    #expect(
      throws: Refusal.tooMany("cases", limit: ResultLimits.cases, place: "workloads[0].cases")
    ) { try read(text) }
  }

  @Test func `refuses text that is not UTF-8`() {
    #expect(throws: Refusal.self) {
      try ResultDocument(json: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
    }
  }

  @Test func `survives any byte changed, as a result or as an error`() throws {
    let whole = Array(try ResultFixture.small.text(as: .json).utf8)
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var readable = 0
    for _ in 0..<600 {
      var bytes = whole
      for _ in 0...next(3) { bytes[next(bytes.count)] = UInt8(32 + next(95)) }
      guard let document = try? ResultDocument(json: bytes) else { continue }
      readable += 1
      for format in ResultFormat.allCases { #expect(try !document.text(as: format).isEmpty) }
      if let comparison = try? Comparison(of: document, against: ResultFixture.small) {
        #expect(!comparison.report().text().isEmpty)
      }
    }
    #expect(readable > 50)
  }
}

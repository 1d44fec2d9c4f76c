import Basics
import TestSupport
import Testing

@testable import Compare
@testable import Runner

struct LiveMatchingTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  private func side(
    _ name: String,
    _ parameters: String,
    own: Set<String> = []
  ) throws -> LiveSide {
    let path = try bench.folder.write(
      "kind: tally\nstore: { path: a }\nparameters: { \(parameters) }",
      to: "w/\(name).yaml"
    )
    return LiveSide(
      plan: try Plan(paths: [path], kinds: [TallyWorkload.self]),
      worker: LiveWorker(name: name, executable: "/x"),
      ownParameters: own
    )
  }

  private func pairs(_ matching: LiveMatching) -> [[String]] {
    matching.cases.map { [$0.base.planned.id, $0.head.planned.id] }
  }

  @Test func `cases of two files match by their parameters`() throws {
    let matching = try LiveMatching(
      base: side("old", "strategy: [raise, scan]"),
      head: side("new", "strategy: [scan, probe]")
    )
    #expect(pairs(matching) == [["old/strategy=scan", "new/strategy=scan"]])
    #expect(matching.onlyInBase == ["old/strategy=raise"])
    #expect(matching.onlyInHead == ["new/strategy=probe"])
  }

  @Test func `cases that the filter leaves out are not missing from a side`() throws {
    let (base, head) = try (
      side("old", "strategy: [raise, scan, probe]"), side("new", "strategy: scan")
    )
    #expect(try LiveMatching(base: base, head: head, filter: "*=s*").onlyInBase.isEmpty)
    let some = try LiveMatching(base: base, head: head, filter: "*r*e")
    #expect(some.onlyInBase == ["old/strategy=raise", "old/strategy=probe"])
  }

  @Test func `a single case matches whatever its parameters are`() throws {
    let matching = try LiveMatching(
      base: side("old", "strategy: raise"),
      head: side("new", "strategy: raiseInBatches, batchSize: [1, 100]")
    )
    #expect(
      pairs(matching) == [
        ["old/strategy=raise", "new/batchSize=1,strategy=raiseInBatches"],
        ["old/strategy=raise", "new/batchSize=100,strategy=raiseInBatches"],
      ]
    )
  }

  @Test func `a parameter that a side sets itself is no part of the match`() throws {
    let matching = try LiveMatching(
      base: side("a", "strategy: raiseInBatches, batchSize: 1", own: ["batchSize"]),
      head: side("a", "strategy: [raiseInBatches, scan], batchSize: 100")
    )
    #expect(
      pairs(matching).first
        == ["a/batchSize=1,strategy=raiseInBatches", "a/batchSize=100,strategy=raiseInBatches"]
    )
  }

  @Test func `two sides without a case in common are refused`() throws {
    let (base, head) = try (
      side("old", "strategy: [raise, scan]"), side("new", "strategy: [probe, forget]")
    )
    #expect(
      throws: Refusal.badInput(
        "'old' has none of the case IDs of this workload, such as 'new/strategy=probe'"
      )
    ) { try LiveMatching(base: base, head: head) }
  }

  @Test func `another kind in the same file is a cause`() throws {
    func side(_ kind: String) throws -> LiveSide {
      let text = "kind: \(kind)\nstore: { path: a }"
      let path = try bench.folder.write(text, to: "\(kind)/a.yaml")
      return LiveSide(
        plan: try Plan(paths: [path], kinds: [TallyWorkload.self, KillableTally.self]),
        worker: LiveWorker(name: kind, executable: "/x")
      )
    }
    let (base, head) = try (side("tally"), side("killableTally"))
    let matching = try LiveMatching(base: base, head: head)
    let texts = Cause.all(of: head, against: base, in: matching.cases).map(\.text)
    let cause = "settings changed: kind tally → killableTally"
    #expect(texts.contains(where: { $0.hasPrefix(cause) }), "\(texts)")
  }
}

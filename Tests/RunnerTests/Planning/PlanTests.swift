import Basics
import DataModel
import Foundation
import TestSupport
import Testing

@testable import Runner

struct PlanTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("", to: "recipes/.keep")
  }

  private func plan(_ parameters: String, filter: String? = nil) throws -> Plan {
    let path = try folder.write(
      "kind: tally\nstore: { path: a }\nparameters:\n\(parameters)",
      to: "fetch/paging.yaml"
    )
    return try Plan(paths: [path], kinds: [TallyWorkload.self], filter: filter)
  }

  private func ids(_ plan: Plan) -> [String] {
    plan.workloads.flatMap(\.cases).map { $0.id }
  }

  @Test func `crosses the axes in the order of the file, the last one changing fastest`() throws {
    let plan = try plan("  share: [0.5, 1]\n  strategy: [probe, raise]\n  prefetch: [[], [a, b]]")
    #expect(
      ids(plan) == [
        "fetch/paging/prefetch=none,share=0.5,strategy=probe",
        "fetch/paging/prefetch=a+b,share=0.5,strategy=probe",
        "fetch/paging/prefetch=none,share=0.5,strategy=raise",
        "fetch/paging/prefetch=a+b,share=0.5,strategy=raise",
        "fetch/paging/prefetch=none,share=1,strategy=probe",
        "fetch/paging/prefetch=a+b,share=1,strategy=probe",
        "fetch/paging/prefetch=none,share=1,strategy=raise",
        "fetch/paging/prefetch=a+b,share=1,strategy=raise",
      ]
    )
  }

  @Test func `drops parameters that do not matter, and the cases that become equal`() throws {
    let plan = try plan("  strategy: [scan, raiseInBatches]\n  batchSize: [1, 5]")
    #expect(
      ids(plan) == [
        "fetch/paging/strategy=scan", "fetch/paging/batchSize=1,strategy=raiseInBatches",
        "fetch/paging/batchSize=5,strategy=raiseInBatches",
      ]
    )
    let scan = try #require(plan.workloads.first?.cases.first)
    #expect(scan.parameters["batchSize"] == nil)
    #expect(scan.allParameters["batchSize"] == .integer(20))
    #expect(scan.parameters["size"] == .integer(1024))
  }

  @Test func `refuses a parameter that no case uses`() throws {
    let refusal = #expect(throws: InvalidInput.self) {
      try plan("  strategy: [scan, probe]\n  batchSize: 5")
    }
    #expect(
      refusal?.problems.map(\.message) == [
        "'batchSize' has no effect on any case of this file: leave it out; 'storebench reference "
          + "kinds tally' says what it is for"
      ]
    )
    #expect(refusal?.problems.first?.place?.line == 5)
    #expect(try plan("  strategy: [scan, raiseInBatches]\n  batchSize: 5").warnings.isEmpty)
  }

  @Test func `leaves out cells that cannot be run, where others have the same values`() throws {
    let workload = try #require(
      try plan("  strategy: [scan, probe]\n  isSorted: [false, true]").workloads.first
    )
    #expect(workload.cases.count == 3)
    #expect(
      workload.impossible.map { "\($0.parameters.canonical): \($0.reason)" }
        == ["isSorted=true,strategy=scan: a scan cannot be sorted: use 'probe'"]
    )
  }

  @Test func `leaves out what the program was built without, and says so once`() throws {
    try TallyWorkload.Strategy.$missing.withValue(.probe) {
      let plan = try plan("  strategy: [probe, raise]\n  isSorted: [false, true]")
      #expect(plan.caseCount == 2)
      #expect(plan.remarks == ["2 cases left out: this program was built without 'probe'"])
      do {
        _ = try self.plan("  strategy: probe")
        Issue.record("a plan without cases was accepted")
      } catch let error as InvalidInput {
        let diagnostics = error.problems
        #expect(diagnostics.map(\.message) == ["this program was built without 'probe'"])
      }
    }
  }

  @Test func `names a case without parameters after its file`() throws {
    let path = try folder.write("kind: tally\nstore: { path: a }", to: "main.yaml")
    #expect(ids(try Plan(paths: [path], kinds: [TallyWorkload.self])) == ["main"])
  }

  @Test(arguments: [
    ("*raise", 1), ("fetch/*", 2), ("*strategy=?robe", 1), ("fetch/paging/strategy=probe", 1),
  ])
  func `keeps the cases that a filter fits`(filter: String, count: Int) throws {
    #expect(try plan("  strategy: [probe, raise]", filter: filter).caseCount == count)
  }

  @Test func `says what case IDs look like when a filter fits none`() throws {
    #expect(
      throws: Refusal.misuse(
        "no case matches 'x*'; case IDs look like 'fetch/paging/strategy=scan', "
          + "and '*' stands for any text"
      )
    ) {
      try plan("  strategy: scan", filter: "x*")
    }
  }

  @Test func `refuses more cases than anybody can run`() throws {
    let values = (1...1000).map { "\($0)" }.joined(separator: ", ")
    let sizes = (1...1000).map { "\($0)" }.joined(separator: ", ")
    let error = #expect(throws: InvalidInput.self) {
      try plan("  batchSize: [\(values)]\n  size: [\(sizes)]\n  strategy: raiseInBatches")
    }
    let reason = Refusal.tooManyCases(count: 1_000_000, limit: 10_000).message
    #expect(error?.problems.map(\.message) == [reason])
  }

  @Test func `finds the workload files of a folder, but not its models and recipes`() throws {
    for name in ["b/two.yaml", "a/one.yml", "models/m.yaml", "recipes/r.yaml", "c/notes.txt"] {
      try folder.write("", to: name)
    }
    #expect(
      try WorkloadsFolder.files(at: [folder.path + "/", folder.path + "/b/two.yaml"])
        == ["a/one.yml", "b/two.yaml"].map { folder.path + "/" + $0 }
    )
    #expect(throws: Refusal.noSuchInput(path: "nowhere")) {
      try WorkloadsFolder.files(at: ["nowhere"])
    }
    #expect(
      throws: Refusal.noInput(
        "'\(folder.path + "/c")' has no workload files (YAML files outside its "
          + "folders 'models' and 'recipes')"
      )
    ) {
      try WorkloadsFolder.files(at: [folder.path + "/c"])
    }
  }

  @Test func `reports the problems of all files together`() throws {
    let first = try folder.write("kind: tally", to: "a.yaml")
    let second = try folder.write("kind: tally\nstore: 3", to: "b.yaml")
    let third = try folder.write("kind: tally\nstore: { path: a }", to: "b.yml")
    do {
      _ = try Plan(paths: [first, second, third], kinds: [TallyWorkload.self])
      Issue.record("the files were accepted")
    } catch let error as InvalidInput {
      let diagnostics = error.problems
      #expect(diagnostics.map(\.file) == [first, second])
    }
  }

  @Test func `refuses two files of one name`() throws {
    let text = "kind: tally\nstore: { path: a }"
    let paths = [try folder.write(text, to: "a.yaml"), try folder.write(text, to: "a.yml")]
    #expect(throws: InvalidInput.self) { try Plan(paths: paths, kinds: [TallyWorkload.self]) }
  }

  @Test(arguments: [
    ("*", "", true), ("a*b*c", "axxbxc", true), ("a*b*c", "axxbx", false), ("?", "é", true),
    ("*a*a*a*a*a*b", String(repeating: "a", count: 5_000), false), ("abc", "abc", true),
    ("abc", "abcd", false), ("", "", true), ("**", "x", true),
  ])
  func `globs fit whole texts`(pattern: String, text: String, fits: Bool) {
    #expect(Glob(pattern).matches(text) == fits)
  }
}

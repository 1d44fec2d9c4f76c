import Basics
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `Sort orders of texts` {
  private func titles(_ collation: String, _ more: [String: ParameterValue] = [:])
    -> [String: ParameterValue]
  {
    tasks(["sort": .list(["-title", "sortOrder"]), "collation": .text(collation)])
      .merging(more) { $1 }
  }

  @Test(arguments: ["binary", "localized", "localizedStandard"])
  func `are the same by an object context and by plain SQL`(collation: String) throws {
    let bench = try makeTaskBench()
    for engine in ["objectGraph", "bareSQL"] {
      for strategy in ["eager", "batched"] {
        let values = titles(collation, ["engine": .text(engine), "strategy": .text(strategy)])
        // The collations sort one-digit and two-digit numbers in titles differently.
        #expect(try !bench.verify(values).digest.isEmpty)
      }
    }
  }

  /// If the verification sorts differently from the statement, it must report a wrong order.
  @Test func `are held against a sort of the verification's own`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(titles("binary"))
    try opened.workload.run(opened.session, Recorder(now: { 0 }))
    let other = try bench.workload(titles("localizedStandard"))
    let error = #expect(throws: VerificationFailure.self) {
      try other.verify(opened.session, opened.trial)
    }
    #expect(error?.findings.first?.hasSuffix("is out of order") == true)
  }

  @Test func `call the collation of the public logs, and report its time apart`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(titles("localized"))
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try opened.finish()
    let order = " ORDER BY t0.ZTITLE COLLATE NSCollateLocaleSensitive DESC, t0.ZSORTORDER"
    #expect(statements.contains { $0.contains(order) })
    #expect(opened.figures["fetch.hostCalls"] ?? 0 > 90)
    #expect(opened.figures["fetch.hostTime"] != nil)
    let binary = try bench.open(titles("binary"))
    _ = try binary.finish()
    #expect(binary.figures["fetch.hostCalls"] == nil)
    let behaviours = try bench.workload(titles("localizedStandard")).traits.behaviours
    #expect(behaviours.contains { $0.name == "sortFunction" && $0.evidence == .assumed })
  }

  @Test(arguments: ["project.name", "-project.createdAt", "-project.name localizedStandard"])
  func `follow a to-one, and keep objects without one`(key: String) throws {
    let bench = try makeTaskBench()
    for engine in ["objectGraph", "bareSQL"] {
      for strategy in ["eager", "batched"] {
        let opened = try bench.open(
          tasks([
            "sort": .list([key, "sortOrder"]), "engine": .text(engine), "strategy": .text(strategy),
          ])
        )
        _ = try opened.finish()
        #expect(opened.figures["objects.fetched"] == 90, "\(engine), \(strategy)")
      }
    }
  }

  @Test func `name a collation for one key alone`() throws {
    let bench = try makeTaskBench()
    let values = tasks(["sort": .list(["-title localized", "details", "sortOrder"])])
    let opened = try bench.open(values)
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try opened.finish()
    let order =
      " ORDER BY t0.ZTITLE COLLATE NSCollateLocaleSensitive DESC, t0.ZDETAILS, t0.ZSORTORDER"
    #expect(statements.contains { $0.hasSuffix(order) }, "\(statements)")
  }

  @Test(arguments: [
    ("tags.name", "'tags' of 'Task', which is a to-many"),
    ("project", "sort by an attribute of 'Project', as in 'project.NAME'"),
    ("project.nme", "'Project' has no stored attribute 'nme'"),
    ("sortOrder localized", "'sortOrder' is no text: leave out 'localized'"),
    ("title alphabetically", "no stored attribute 'title alphabetically'"),
  ])
  func `are refused by what an object has not once, or that is no text`(
    key: String,
    reason: String
  ) throws {
    let error = try #require(throws: Refusal.self) {
      try makeTaskBench().verify(tasks(["sort": .list([key])]))
    }
    #expect("\(error)".contains(reason))
  }

  @Test func `are refused where the connection has no collations`() throws {
    let all = titles("localized", ["engine": .text("grdb")])
    #expect(
      try FetchWorkload.impossibility(of: makeTaskBench().parameters(all))
        == "GRDB's connection lacks the frameworks' collations: use a different engine"
    )
  }
}

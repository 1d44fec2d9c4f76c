import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// A bench of sixty tasks in six projects, without equal sort keys.
private func makeBench() throws -> KindBench<SessionWorkload> {
  let model = Model(entities: [
    .project,
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "notes", type: .string),
        Attribute(name: "place", type: .integer32), Attribute(name: "code", type: .string),
        Attribute(name: "due", type: .date),
      ],
      relationships: [Relationship(name: "project", destination: "Project", inverse: "tasks")],
      uniquenessConstraints: [["code"]]
    ),
  ])
  return try KindBench(model: model, keepsHistory: true) { context in
    let projects = try (0..<6).map { number in
      let project = try context.insert("Project")
      try project.setValue(.text("project \(number) with a name that is not short"), of: "name")
      return project
    }
    for number in 0..<60 {
      let task = try context.insert("Task")
      try task.setValue(.text("\(["call", "buy", "write"][number % 3]) \(number)"), of: "title")
      try task.setValue(.text("notes of some length for task \(number)"), of: "notes")
      try task.setValue(.integer(Int64(number * 7 % 60)), of: "place")
      try task.setValue(.text("code \(number)"), of: "code")
      if number % 10 > 0 { try task.setTarget(projects[number % 6], of: "project") }
    }
  }
}

private func values(_ more: [String: ParameterValue] = [:]) -> [String: ParameterValue] {
  [
    "actions": .list([
      "launch", "firstScreen", "scroll:30", "search:2", "edit:5", "scroll:10", "edit:3",
      "background", "firstScreen",
    ]), "batchSize": .integer(10), "screen": .integer(8), "entity": .text("Task"),
    "sort": .list(["-place"]), "relationship": .text("project"),
    "searched": .text("title"),
  ].merging(more) { $1 }
}

@Suite struct `A session` {
  @Test(arguments: ChangeEngine.built)
  func `shows and saves the same, whatever is kept`(engine: ChangeEngine) throws {
    let bench = try makeBench()
    var digests: Set<String> = []
    for held in SessionParameters.Held.allCases {
      for context in SessionParameters.ContextLife.allCases {
        for batchSize in [0, 7] {
          let values = values([
            "engine": .text(engine.rawValue), "held": .text(held.rawValue),
            "context": .text(context.rawValue), "batchSize": .integer(batchSize),
          ])
          let parameters = try bench.parameters(values)
          guard SessionWorkload.impossibility(of: parameters) == nil else { continue }
          digests.insert(try bench.verify(values).digest)
        }
      }
    }
    digests.insert(try bench.verify(values()).digest)
    #expect(digests.count == 1)
  }

  @Test(
    arguments: zip(
      [("screen", "grows"), ("faults", "grows"), ("objects", "grows"), ("objects", "reset")],
      [[8, 10], [8, 40], [8, 40], [8, 32]]
    )
  )
  func `has so many live objects after each action`(
    kept: (held: String, context: String),
    live: [Double]
  ) throws {
    let bench = try makeBench()
    let opened = try bench.open(
      values([
        "actions": .list(["launch", "firstScreen", "scroll:30", "background"]),
        "held": .text(kept.held), "context": .text(kept.context), "relationship": .text(""),
      ])
    )
    _ = try opened.finish()
    let figures = opened.figures
    // Held are the objects on the screen, and the rest of the batch that was read last.
    #expect(figures["session.firstScreen.held"] == live[0] + 2)
    #expect(figures["session.scroll.held"] == live[1])
    #expect(figures["session.launch.held"] == 0)
    #expect(figures["session.background.held"] == 0)
  }

  @Test func `takes less memory with faults than with objects, and more than without`() throws {
    let bench = try makeBench()
    func bytes(_ held: String) throws -> Double {
      let opened = try bench.open(
        values(["actions": .list(["launch", "scroll:50"]), "held": .text(held)])
      )
      _ = try opened.finish()
      return opened.figures["session.scroll.contextBytes"] ?? 0
    }
    let (screen, faults, objects) = (try bytes("screen"), try bytes("faults"), try bytes("objects"))
    #expect(screen < faults)
    #expect(faults < objects)
  }

  @Test func `has the counters of its actions add up to its own`() throws {
    let bench = try makeBench()
    let opened = try bench.open(values())
    _ = try opened.finish()
    let figures = opened.figures
    for name in ["statementsRun", "vmSteps", "cacheMisses", "statementsPrepared", "cacheWrites"] {
      let parts = SessionAction.Kind.allCases.compactMap {
        figures["session.\($0.rawValue).\(name)"]
      }
      #expect(parts.reduce(0, +) == figures["sqlite.\(name)"], "\(name)")
    }
    let loaded = SessionAction.Kind.allCases.compactMap {
      figures["session.\($0.rawValue).materialised"]
    }
    #expect(loaded.reduce(0, +) == figures["objects.materialised"])
    #expect(figures["session.edit.statementsRun", default: 0] > 0)
    #expect(figures["objects.updated"] == 8)
  }

  @Test func `fires a fault for each row without prefetching`() throws {
    let bench = try makeBench()
    func faults(_ prefetch: Bool) throws -> Double? {
      let opened = try bench.open(
        values(["actions": .list(["launch", "scroll:60"]), "prefetch": .boolean(prefetch)])
      )
      _ = try opened.finish()
      return opened.figures["session.scroll.faultsFired"]
    }
    #expect(try faults(true) == 0)
    #expect(try faults(false) ?? 0 > 6)
  }

  @Test func `goes on where it was after a second launch, and ends with the list`() throws {
    let bench = try makeBench()
    let opened = try bench.open(
      values(["actions": .list(["scroll:50", "launch", "scroll:100", "edit:70", "edit:1"])])
    )
    _ = try opened.finish()
    #expect(opened.session.shown.joined().map(\.places) == [0..<50, 0..<60])
    #expect(opened.session.script.steps.map(\.edits.count) == [0, 0, 0, 60, 0])
  }

  @Test func `is wrong where it shows what the store does not have`() throws {
    let bench = try makeBench()
    for sql in [
      "UPDATE ZTASK SET ZDUE = 3.5 WHERE Z_PK = 9", "UPDATE ZPROJECT SET ZNAME = 'other'",
      "UPDATE ZTASK SET ZPLACE = 999 WHERE Z_PK = 30", "UPDATE ZTASK SET ZTITLE = ZNOTES",
    ] {
      let actions: ParameterValue = .list(["launch", "scroll:60", "search:3"])
      let opened = try bench.open(values(["actions": actions])) { trial in
        try Connection(path: trial.store.path).execute(sql)
      }
      try opened.workload.run(opened.session, opened.recorder)
      opened.session.close()
      try FileManager.default.removeItem(atPath: opened.trial.store.path)
      try FileManager.default.copyItem(
        atPath: opened.trial.start.path,
        toPath: opened.trial.store.path
      )
      #expect(throws: VerificationFailure.self, "\(sql)") {
        try opened.workload.verify(opened.session, opened.trial)
      }
    }
  }

  @Test func `catches every mutation that can occur`() throws {
    let bench = try makeBench()
    let tally = try bench.mutations(after: values())
    #expect(tally.missed == [])
    #expect(tally.occurred > 8)
  }

  @Test func `chooses what is searched and edited, and says what does not fit`() throws {
    let bench = try makeBench()
    let chosen = try bench.fit(values(["entity": .text(""), "searched": .text("")]))
    #expect(chosen.values.text("entity") == "Task")
    #expect(chosen.values.text("searched") == "code")
    #expect(chosen.values.text("edited") == "notes")
    func misfit(_ more: [String: ParameterValue]) throws -> String? {
      let fit = try bench.fit(values(more))
      return fit.misfits.first?.reason ?? fit.obstacle
    }
    #expect(
      try misfit(["edited": .text("code")])
        == "'code' must be unique, and edits set equal values: name another one"
    )
    #expect(
      try misfit(["edited": .text("place")])
        == "'place' is searched or orders the list, so that editing it changes what is shown: "
        + "name another attribute"
    )
    #expect(
      try misfit(["edited": .text("due")])
        == "'due' is no text and no whole number: name an attribute of type string or integer"
    )
    #expect(
      try misfit(["searched": .text("place")])
        == "'place' is no text: name an attribute of type string"
    )
    #expect(
      try misfit([
        "entity": .text("Project"), "sort": .list([]), "relationship": .text("tasks"),
      ]) == "'tasks' is a to-many, and a row shows a to-one: name one of those"
    )
    #expect(
      try misfit([
        "entity": .text("Project"), "sort": .list([]), "relationship": .text(""),
        "searched": .text(""),
      ])
        == "'Project' has no text or whole number to edit besides those that order the list or are "
        + "searched: leave 'edit' out of the actions"
    )
    let rows = values(["engine": .text("grdb"), "held": .text("faults")])
    #expect(
      SessionWorkload.impossibility(of: try bench.parameters(rows))
        == "plain rows cannot be faults: use 'held: screen' or 'held: objects', or 'engine: objectGraph'"
    )
  }
}

/// Tests parameters in a session's file that no action uses.
@Suite struct `A session's parameters without effect` {
  @Test(
    arguments: [
      ("actions: [launch, scroll: 10]\n  searched: title", "'searched'", "add 'search'"),
      ("actions: [launch, scroll: 10]\n  edited: title", "'edited'", "add 'edit'"),
      ("actions: [launch, edit: 2]\n  held: objects", "'held'", "no action shows a row"),
      ("actions: [launch, edit: 2]\n  batchSize: 5", "'batchSize'", "add 'firstScreen'"),
      ("prefetch: false", "'prefetch'", "set 'relationship'"),
      ("engine: bareSQL\n  batchRetention: all", "'batchRetention'", "set 'engine: objectGraph'"),
    ]
  )
  func `are refused, with what to write instead`(
    parameters: String,
    name: String,
    remedy: String
  ) throws {
    let problems = try planProblems("session", parameters)
    let message = problems.first?.message ?? ""
    #expect(problems.count == 1 && problems.first?.place != nil, "\(problems)")
    #expect(message.contains(name) && message.contains(remedy), "\(message)")
  }
}

/// Tests sessions in processes of their own, on a disk that becomes full.
@Suite struct `A session on a full disk` {
  private let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("storebench").path

  @Test(arguments: [ChangeEngine.objectGraph, .bareSQL])
  func `fails with SQLite's message, keeps whole saves, and can be repeated`(
    engine: ChangeEngine
  ) throws {
    let bench = try makeBench()
    let worker = WorkerProcess(executable: executable)
    let values = values(["engine": .text(engine.rawValue)])
    let (workload, parameters) = (try bench.workload(values), try bench.parameters(values))
    func launch(_ trial: Trial, _ faults: FaultPlan?) throws -> TrialResponse {
      let request = TrialRequest(
        kind: SessionWorkload.name,
        parameters: parameters,
        trial: trial,
        faults: faults
      )
      return try worker.execute(request, within: TrialLimits(time: 60))
    }
    let finished = try bench.makeTrial(of: workload)
    let whole = try launch(finished, FaultPlan())
    guard case .passed(let outcome) = whole.outcome else {
      Issue.record("\(whole.outcome)")
      return
    }
    let writes = whole.events?[.write] ?? 0
    #expect(writes > 3)
    var states: Set<Remains.State> = []
    for write in [1, writes / 2, writes] {
      let trial = try bench.makeTrial(of: workload)
      let full = FaultPlan(failures: [FileEvent.Place(.write, number: write): .noSpace])
      guard case .failed(let cause) = try launch(trial, full).outcome else {
        Issue.record("write \(write) did not fail")
        continue
      }
      #expect(cause.contains("database or disk is full"), "\(cause)")
      let remains = try workload.remains(
        of: bench.copied(trial),
        beside: finished,
        digest: outcome.digest
      )
      #expect(remains.lost == 0 && remains.doubled == 0)
      states.insert(remains.state)
      #expect(try launch(trial, nil).outcome == .passed(outcome))
    }
    #expect(states == [.old, .between])
  }
}

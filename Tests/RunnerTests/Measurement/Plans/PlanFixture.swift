import TestSupport

@testable import Runner

enum PlanFixture {
  /// A plan in which each task has two cases.
  static func plan(
    workloads: Int = 2,
    tasks: Int = 3,
    seconds: (Int) -> Double = { Double($0) }
  ) throws -> PlanDocument {
    let names = (1...workloads).map { "w\($0)" }
    var planned: [PlanDocument.Task] = []
    for name in names {
      for _ in 0..<tasks {
        let number = planned.count + 1
        planned.append(
          PlanDocument.Task(
            number: number,
            workload: name,
            seconds: seconds(number),
            cases: ["a", "b"].map {
              PlanDocument.Case(id: "\(name)/task=\(number),way=\($0)", endState: "same \(number)")
            }
          )
        )
      }
    }
    return try PlanDocument(
      command: PlanDocument.Command(files: ["Workloads/main"]),
      machine: PlanDocument.Requirement(
        sqliteSourceID: Environment.example.sqliteSourceID,
        sqliteVersion: "3.40.1",
        build: "release",
        diskBytes: 1_000
      ),
      workloads: names.map(workload),
      tasks: planned
    )
  }

  private static func workload(_ name: String) -> PlanDocument.Workload {
    PlanDocument.Workload(
      workload: name,
      kind: "fetch",
      store: PlanDocument.Store(
        source: "recipes/tasks.yaml",
        seed: 7,
        digest: "d-\(name)",
        bytes: 409_600,
        seconds: 0.5
      ),
      settings: [:],
      cache: "warm",
      trials: 3,
      iterations: 1,
      warmUps: 0,
      timeLimit: 600,
      seed: 1,
      defaults: ["limit": "0"],
      inputs: [],
      inquiry: Inquiry(parameters: ["task", "way"])
    )
  }

  struct Work {
    var tasks: Set<Int>
    var attempt = 1
    var machine = "AMD EPYC 7B13"
    var startedAt = "2026-04-01T09:12:44Z"
    /// The numbers of the tasks that had begun when the run was killed.
    var killed: Set<Int> = []
    var failed: Set<Int> = []
    var steps = 100.0
    var content = "c0ffee"
    var change: (inout ResultDocument) -> Void = { _ in }
  }

  static func result(_ work: Work, of plan: PlanDocument) throws -> ResultDocument {
    var environment = Environment.example
    (environment.machine, environment.startedAt) = (work.machine, work.startedAt)
    let part = "shard of \(work.tasks.sorted())"
    let run = try PlannedRun(attempt: work.attempt, part: part, environment: environment)
    var document = ResultDocument(environment: environment)
    var record = PlanRecord(plan, run: run)
    for task in plan.tasks where work.tasks.contains(task.number) {
      let place: Int
      if let known = document.workloads.firstIndex(where: { $0.workload == task.workload }) {
        place = known
      } else {
        document.workloads.append(Fixture.workload(task.workload))
        place = document.workloads.count - 1
      }
      for planned in task.cases {
        guard !work.killed.contains(task.number) else {
          record.note(PlannedCase.Attempt(run: run.id), of: planned.id)
          continue
        }
        let result = self.result(of: planned.id, task: task.number, work)
        document.workloads[place].cases.append(result)
        record.note(try PlannedCase.Attempt(run: run.id, result: result, trials: 3), of: planned.id)
      }
    }
    document.plan = record
    work.change(&document)
    return document
  }

  private static func result(of id: String, task: Int, _ work: Work) -> CaseResult {
    guard !work.failed.contains(task) else {
      return Fixture.result(id, outcome: .failed("lost a row"))
    }
    let steps = work.steps + Double(task)
    // Times depend on the run and the machine; counters do not.
    let seconds = Double(SplitMix.of(id + work.startedAt + work.machine) % 1000 + 1) / 1000
    var result = Fixture.result(
      id,
      Fixture.sample(Fixture.vmSteps, steps, steps, steps),
      Fixture.sample(.wallClock, seconds, seconds * 1.01, seconds * 1.02)
    )
    result.parameters = ["task": "\(task)", "way": String(id.suffix(1))]
    result.job = "job \(task)"
    result.digest = "\(work.content) \(task)"
    return result
  }
}

import Reporting
import TestSupport
import Testing

@testable import Runner

@Suite struct `The actions of a session` {
  private func workload(_ cases: [CaseResult]) -> WorkloadResult {
    var workload = ResultFixture.small.workloads[0]
    workload.cases = cases
    return workload
  }

  private func session(held: String) -> CaseResult {
    func sample(_ name: String, _ value: Double) -> Sample {
      Sample(metric: .counter(name), trials: [[value]])
    }
    return CaseResult(
      id: "session/s/held=\(held)",
      parameters: ["held": held, "actions": "launch+scroll:200"],
      outcome: .passed,
      samples: [
        Sample(metric: .phase("launch"), trials: [[0.0012]]),
        Sample(metric: .phase("scroll"), trials: [[0.125]]),
        sample("session.launch.held", 0), sample("session.launch.statementsRun", 9),
        sample("session.scroll.contextBytes", 1_234_567), sample("session.scroll.held", 200),
        sample("session.scroll.vmSteps", 61_204),
      ]
    )
  }

  private func text(_ cases: [CaseResult]) -> String {
    var report = Report(kind: "", title: "", source: "")
    let tables = ActionTables(workload(cases), CaseParameters(of: cases))
    report.sections = [.init("Session", tables.blocks)]
    return report.text()
  }

  @Test func `have a row each, in the order of the session`() {
    let text = text([session(held: "screen"), session(held: "faults")])
    #expect(
      text.contains(
        """
          Each action, held screen
          Action  Time (ms)  SQL   Steps  Live  Context (MB)
          launch        1.2    9       –     0             –
          scroll      125.0    –  61,204   200          1.18
          Each action, held faults

        """
      ),
      "\(text)"
    )
  }

  @Test func `of a scenario show what a deletion left, and how long a list beside it had to wait`()
  {
    let name = "step.remove."
    let time = { Metric(name + $0, unit: .seconds) }
    let result = CaseResult(
      id: "app/steps=background",
      parameters: ["steps": "background"],
      outcome: .passed,
      samples: [
        Sample(metric: .phase("remove"), trials: [[0.5]]),
        Sample(metric: .counter(name + "held"), trials: [[0]]),
        Sample(metric: .counter(name + "removed"), trials: [[4_711]]),
        Sample(metric: .counter(name + "leftBehind"), trials: [[309]]),
        Sample(metric: time("longestRead"), trials: [[0.0123]]),
        Sample(metric: time("quietRead"), trials: [[0.0004]]),
      ]
    )
    let text = text([result])
    let row = text.split(separator: "\n").last { $0.contains("4,711") }.map {
      $0.split(separator: " ")
    }
    #expect(row?.suffix(5).prefix(4).map(String.init) == ["4,711", "309", "–", "12.3"], "\(text)")
    #expect(text.contains("alone"))
    #expect(!self.text([session(held: "screen")]).contains("Deletions"))
  }

  @Test func `of a scenario have their times side by side in a terminal`() {
    func app(_ engine: String, _ times: [Double]) -> CaseResult {
      let samples = zip(["list", "edit"], times).flatMap { part, time in
        [
          Sample(metric: .phase(part), trials: [[time]]),
          Sample(metric: .counter("step.\(part).materialised"), trials: [[1]]),
        ]
      }
      return CaseResult(
        id: "app/engine=\(engine)",
        parameters: ["engine": engine],
        outcome: .passed,
        samples: samples
      )
    }
    func brief(_ cases: [CaseResult]) -> String {
      var report = Report(kind: "", title: "", source: "")
      let tables = ActionTables(workload(cases), CaseParameters(of: cases))
      report.sections = [.init("", tables.brief)]
      return report.text()
    }
    let text = brief([app("objectGraph", [0.002, 0.5]), app("bareSQL", [0.001, 0.25])])
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows.contains(["list", "2.0", "1.0"]) && rows.contains(["edit", "500.0", "250.0"]),
      "\(text)"
    )
    #expect(!brief((0..<5).map { app("\($0)", [1, 2]) }).contains("list"))
    #expect(!brief([session(held: "screen")]).contains("launch"))
  }

  @Test func `of a scenario are in the order of its steps, each with its objects`() {
    let times = ["list-1": 0.002, "add": 0.5, "save": 0.25]
    let parts = times.flatMap { part, time in
      [
        Sample(metric: .phase(part), trials: [[time]]),
        Sample(metric: .counter("step.\(part).materialised"), trials: [[1]]),
      ]
    }
    let objects = ["list-1": 20_000.0, "add": 3].map { part, count in
      Sample(metric: .counter("step.\(part).objects"), trials: [[count]])
    }
    let result = CaseResult(
      id: "app/engine=objectGraph",
      parameters: ["engine": "objectGraph"],
      outcome: .passed,
      samples: (parts + objects).sorted { $0.metric.name < $1.metric.name },
      job: "list-1, add, save: 0 operations; fetch Note 1"
    )
    let phases = FigureColumn.phaseNames(of: [result])
    #expect(phases == ["phase.list-1", "phase.add", "phase.save"])
    #expect(
      text([result]).contains("objects fetched, counted or changed: list-1 20,000, add 3"),
      "\(text([result]))"
    )
    var report = Report(kind: "", title: "", source: "")
    report.sections = [
      .init("", ActionTables(workload([result]), CaseParameters(of: [result])).brief)
    ]
    let rows = report.text().split(separator: "\n").map { $0.split(separator: " ") }
    #expect(rows.contains(["list-1", "20,000", "2.0"]) && rows.contains(["save", "–", "250.0"]))
  }

  @Test func `stand in no table of other kinds, of failed cases and of many cases`() {
    #expect(!text(ResultFixture.small.workloads[0].cases).contains("action"))
    var failed = session(held: "screen")
    failed.outcome = .failed("lost a save")
    #expect(!text([failed]).contains("action"))
    #expect(!text((0..<9).map { session(held: "\($0)") }).contains("action"))
  }
}

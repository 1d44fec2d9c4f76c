import Runner
import Testing

@testable import Reporter

@Suite struct `The actions of a session` {
  private func workload(_ cases: [CaseResult]) -> WorkloadResult {
    var workload = Fixture.small.workloads[0]
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

  @Test func `have a row each, in the order of the session`() {
    let lines = ActionTable.lines(of: workload([session(held: "screen"), session(held: "faults")]))
    #expect(
      lines.prefix(6) == [
        "", "  each action, held=screen",
        "  action          time   SQL     steps loaded faults   live  context   memory",
        "  launch       1.20 ms     9         –      –      –      0        –        –",
        "  scroll        125 ms     –    61,204      –      –    200  1.18 MB        –", "",
      ]
    )
    #expect(lines.contains("  each action, held=faults"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `stand in no table of other kinds, of failed cases and of many cases`() {
    #expect(ActionTable.lines(of: Fixture.small.workloads[0]) == [])
    var failed = session(held: "screen")
    failed.outcome = .failed("lost a save")
    #expect(ActionTable.lines(of: workload([failed])) == [])
    let many = (0..<9).map { session(held: "\($0)") }
    #expect(ActionTable.lines(of: workload(many)) == [])
  }
}

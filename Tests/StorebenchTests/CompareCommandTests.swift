import Measurement
import Reporter
import TestSupport
import Testing

@testable import storebench

/// `compare` over results that were changed on purpose.
struct CompareCommandTests {
  private let results: StoredResults
  private let steps = Metric.counter("sqlite.vmSteps")

  init() throws {
    results = try StoredResults()
  }

  private func run(_ arguments: [String]) -> StoredResults.Ending { results.run(arguments) }

  @Test(
    arguments: [
      (100, [:], 0, "2 costs compared: 0 regressed, 0 improved, 2 unchanged, 0 cannot tell"),
      (101, [:], 2, "2 costs compared: 1 regressed, 0 improved, 1 unchanged, 0 cannot tell"),
      (99, [:], 0, "2 costs compared: 0 regressed, 1 improved, 1 unchanged, 0 cannot tell"),
      (
        102, ["sqlite.vmSteps": .percent(2)], 0,
        "2 costs compared: 0 regressed, 0 improved, 1 in budget, 1 unchanged, 0 cannot tell"
      ),
      (
        103, ["sqlite.vmSteps": .percent(2)], 2,
        "2 costs compared: 1 regressed, 0 improved, 1 unchanged, 0 cannot tell"
      ),
    ] as [(Double, [String: Budget], Int32, String)]
  )
  func `gates a counter by the budget of its workload file`(
    steps: Double,
    budget: [String: Budget],
    status: Int32,
    summary: String
  ) throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result", steps: steps) { $0.workloads[0].budget = budget }
    let ending = run(["compare", baseline, result, "--require-verdict"])
    #expect(ending.status.code == status)
    #expect(ending.output.replacing("\n", with: " ").contains(summary), "\(ending.output)")
  }

  @Test func `judges times where a folder of runs shows how they scatter`() throws {
    for (index, seconds) in [1.0, 1.02, 0.98, 1.01, 0.99].enumerated() {
      _ = try results.write("runs/\(index)", seconds: seconds)
    }
    let slow = try results.write("slow", seconds: 2)
    let baseline = results.folder.path + "/runs/0"
    let shown = run(["compare", baseline, slow])
    #expect(shown.status == .done)
    #expect(shown.output.contains("shown only"))
    let judged = run(["compare", baseline, slow, "--earlier", results.folder.path + "/runs"])
    #expect(judged.status == .regression)
    #expect(judged.output.contains("usual in 5 earlier runs"))
    #expect(judged.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let few = run(["compare", baseline, slow, "--earlier", baseline])
    #expect(few.status == .done)
    #expect(few.output.contains("to judge them takes 5"))
  }

  @Test func `exits with 3 where it cannot tell, if asked to, and counts it in any case`() throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result") {
      $0.workloads[0].cases[0].samples = [Sample(metric: steps, trials: [[1], [2]])]
    }
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .done)
    #expect(ending.output.contains("2 cannot tell"))
    #expect(run(["compare", baseline, result, "--require-verdict"]).status == .undecided)
  }

  @Test func `refuses unlike things by name`() throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result") { $0.environment.sqliteSourceID = "another" }
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .badInput)
    #expect(
      ending.errors
        == "the results cannot be compared: SQLite source id is "
        + "'\(Environment.example.sqliteSourceID)' in the baseline and "
        + "'another' in the result\n"
    )
  }
}

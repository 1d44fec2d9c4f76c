import Basics
import Compare
import Runner
import Testing

@Suite struct BudgetTests {
  @Test(
    arguments: [
      (nil, 101, Verdict.regressed),
      (.absolute(0), 101, .regressed), (.absolute(0), 100, .unchanged),
      (.absolute(1), 101, .withinBudget), (.absolute(1), 102, .regressed),
      (.percent(29), 129, .withinBudget), (.percent(29), 130, .regressed),
      (.percent(0.5), 101, .regressed), (.percent(50), 99, .improved),
    ] as [(Budget?, Double, Verdict)]
  )
  func `lets a cost grow by its budget and no further`(
    budget: Budget?,
    value: Double,
    verdict: Verdict
  ) throws {
    let metric = try #require(
      MetricComparison(
        Fixture.sample(Fixture.vmSteps, value, value),
        against: Fixture.sample(Fixture.vmSteps, 100),
        budget: budget
      )
    )
    #expect(metric.verdict == verdict)
  }

  @Test func `a share of nothing is nothing`() {
    #expect(!Budget.percent(50).allows(1, over: 0))
    #expect(Budget.absolute(1).allows(1, over: 0))
  }

  @Test func `takes the budget of the result, as its workload file is now`() throws {
    func document(_ steps: Double, _ budget: [String: Budget]) -> ResultDocument {
      var workload = Fixture.workload(
        "a",
        Fixture.result("a/1", Fixture.sample(Fixture.vmSteps, steps))
      )
      workload.budget = budget
      return Fixture.document(workload)
    }
    let generous = ["sqlite.vmSteps": Budget.percent(2)]
    let allowed = try Comparison(of: document(102, generous), against: document(100, [:]))
    #expect(allowed.tally.withinBudget == 1)
    #expect(allowed.exitStatus(requiresVerdict: true) == 0)
    let strict = try Comparison(of: document(102, [:]), against: document(100, generous))
    #expect(strict.exitStatus() == 2)
  }

  @Test(arguments: [Budget.absolute(-1), .percent(.nan), .percent(.infinity), .absolute(1e16)])
  func `refuses a budget that no file has`(budget: Budget) {
    var workload = Fixture.workload("a")
    workload.budget = ["vfs.syncs": budget]
    #expect(
      throws: Refusal.unusableField(
        "budget",
        problem: "is neither a share nor a growth",
        place: "workloads[0]"
      )
    ) { try Fixture.document(workload).check() }
  }
}

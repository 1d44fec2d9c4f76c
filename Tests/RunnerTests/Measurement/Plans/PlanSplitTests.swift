import Basics
import Testing

@testable import Runner

struct PlanSplitTests {
  @Test func `every task is in one part, in the order of the plan`() throws {
    let plan = try PlanFixture.plan(workloads: 5, tasks: 7)
    for count in [1, 2, 16, 40] {
      let parts = plan.split(into: count)
      #expect(parts.count == count)
      #expect(parts.flatMap { $0 }.map(\.number).sorted() == Array(1...35))
      #expect(parts.allSatisfy { $0.map(\.number) == $0.map(\.number).sorted() })
    }
  }

  @Test func `goes by predicted cost, the largest first, and not by index`() throws {
    // A split by index would give the first half of the tasks 18 of the 21 seconds.
    let costs = [7.0, 6, 5, 1, 1, 1]
    let plan = try PlanFixture.plan(workloads: 1, tasks: 6) { costs[$0 - 1] }
    let parts = plan.split(into: 2)
    #expect(parts.map { $0.map(\.number) } == [[1, 4, 5, 6], [2, 3]])
    let loads = parts.map { $0.reduce(0) { $0 + $1.seconds } }
    #expect(loads == [10, 11])
  }

  @Test func `puts work on one store together where that is done sooner`() throws {
    let costs = [5.0, 0.1, 5.2, 0.1]
    let plan = try PlanFixture.plan(workloads: 2, tasks: 2) { costs[$0 - 1] }
    #expect(plan.split(into: 2).map { Set($0.map(\.workload)) } == [["w2"], ["w1"]])
  }

  @Test func `the hash changes with anything in the plan`() throws {
    let plan = try PlanFixture.plan()
    #expect(try PlanFixture.plan().hash == plan.hash)
    #expect(try PlanFixture.plan { Double($0) + 0.001 }.hash != plan.hash)
    var changed = plan
    changed.tasks[0].cases[0].endState = "other"
    #expect(throws: Refusal.changedPlan) { try changed.check() }
    try plan.check()
  }

  @Test(arguments: ["0/3", "4/3", "3", "a/b", "1/2/3", "-1/3", "1/10001", "/3"])
  func `a shard is a part of some`(text: String) {
    #expect(Shard(text) == nil)
    #expect(Shard("3/16")?.description == "3/16")
  }
}

import Foundation
import Generators
import TestSupport
import Testing

@testable import Forecasting
@testable import Runner

struct FleetTests {
  private let population = Population([
    .init(objects: 100, users: 80), .init(objects: 1000, users: 15), .init(objects: 9000, users: 5),
  ])

  @Test func `a user depends on the seed and the number alone`() {
    let fleet = Fleet(of: population, versions: ["v1.yaml", "v2.yaml"], seed: 7)
    let users = (1...50).map(fleet.user)
    let again = Fleet(of: population, versions: ["v1.yaml", "v2.yaml"], seed: 7)
    #expect((1...50).reversed().map(again.user).reversed() == users)
    let other = Fleet(of: population, versions: ["v1.yaml", "v2.yaml"], seed: 8)
    #expect((1...50).map(other.user) != users)
    #expect(users.map(\.number) == Array(1...50))
  }

  @Test func `sizes, versions, ages and dirt are as frequent as they are documented`() {
    let fleet = Fleet(of: population, versions: ["v1.yaml", "v2.yaml"])
    let users = (1...4000).map(fleet.user)
    func share(_ isCounted: (FleetUser) -> Bool) -> Double {
      Double(users.count(where: isCounted)) / Double(users.count)
    }
    // Four standard deviations of a share of 4000 are at most 0.032.
    #expect(abs(share { $0.objects == 9000 } - 0.05) < 0.014)
    #expect(abs(share { $0.objects == 1000 } - 0.15) < 0.023)
    #expect(abs(share { $0.version == "v2.yaml" } - 0.5) < 0.032)
    #expect(abs(share { $0.years > 0 } - Fleet.agedShare) < 0.032)
    #expect(abs(share { $0.dirt > 0 } - Fleet.dirtyShare) < 0.026)
    #expect(!users.contains { $0.years > 0 && $0.dirt > 0 })
    let fresh = Fleet(of: population, isFresh: true)
    #expect(!(1...100).map(fresh.user).contains { $0.years + $0.dirt > 0 || $0.version != "" })
  }

  @Test func `a user's store has a seed, a size and wear of its own`() throws {
    let bench = try StubbedMigration()
    let plan = try bench.plan()
    guard case .recipe(let name, let reference)? = plan.workloads.first?.file.store else {
      Issue.record("the store has no recipe")
      return
    }
    let store = try ScaledStore(name: name, reference)
    let fleet = Fleet(of: population)
    let aged = try #require((1...100).map(fleet.user).first { $0.years == 5 })
    let recipe = try fleet.recipe(of: aged, from: store)
    #expect(recipe.wear?.deletes == Fleet.mostDeletes)
    // So many are deleted that the user's objects are left.
    let made = try recipe.read().entities.reduce(0) { $0 + $1.count }
    #expect(abs(Double(made) * (1 - Fleet.mostDeletes) / Double(aged.objects) - 1) < 0.02)
    let dirty = try #require((1...100).map(fleet.user).first { $0.dirt > 0 })
    let other = try fleet.recipe(of: dirty, from: store)
    #expect(other.seed != recipe.seed)
    #expect(try other.read().isDirty)
    #expect(try other.read().age == nil)

    let users = try fleet.plan(plan, count: 3).workloads
    #expect(users.map(\.file.name) == (1...3).map { "\(plan.workloads[0].file.name)/user-\($0)" })
    #expect(
      users.allSatisfy { workload in
        workload.file.trials.trials == 1
          && workload.cases.allSatisfy { $0.id.hasPrefix(workload.file.name) }
      }
    )
  }

  @Test func `a share of users has the binomial interval, and those that failed are left out`() {
    let users = (1...20).map {
      FleetUser(number: $0, objects: $0, version: "", years: 0, dirt: 0)
    }
    let members = users.map { user in
      FleetCount.Member(
        user: user,
        storeBytes: 1,
        taken: user.number == 20 ? nil : [.time: Double(user.number)],
        failure: user.number == 20 ? "no" : nil
      )
    }
    let count = FleetCount(caseID: "m", members: members)
    let share = count.share(over: ResourceBudget(.time, limit: 17))
    let expected = RateInterval(hits: 2, of: 19)
    #expect(share == .init(over: 2, users: 19, interval: expected))
    #expect(share?.agrees(with: 0...(expected.lower + 0.001)) == true)
    #expect(share?.agrees(with: 0...(expected.lower - 0.001)) == false)
    #expect(share?.agrees(with: (expected.upper + 0.001)...1) == false)
    #expect(count.share(over: ResourceBudget(.memory, limit: 1)) == nil)
  }
}

import ArgumentParser
import Basics
import Forecasting
import Foundation
import Generators
import Runner

/// A fleet of users' stores.
struct FleetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a store for each user of a fleet, with the sizes in this CSV file: docs/fleets.md.",
      valueName: "file"
    )
  )
  var population: String?

  @Option(help: "Number of users in the fleet. (default: 200)")
  var count: Int?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Model files. The users' stores are divided equally among these versions.",
      valueName: "file"
    )
  )
  var versions: [String] = []

  @Option(help: "Random seed of the fleet. (default: 1)")
  var fleetSeed: UInt64?

  @Flag(
    help: """
      Make only new and clean stores: none aged (with later edits and deletions), none dirty \
      (with values that break the model's rules).
      """
  )
  var fresh = false

  func validate() throws {
    let others = count != nil || !versions.isEmpty || fleetSeed != nil || fresh
    if population == nil, others {
      throw ValidationError(
        "'--count', '--versions', '--fleet-seed' and '--fresh' need '--population'"
      )
    }
    if let count, !(1...Plan.mostCases).contains(count) {
      throw ValidationError("'--count' must be from 1 to \(Plan.mostCases), not \(count)")
    }
  }

  /// What is asked for, as a plan keeps it; `nil` without '--population'.
  var command: PlanDocument.Command.Fleet? {
    population.map {
      PlanDocument.Command.Fleet(
        population: $0,
        users: count ?? 200,
        versions: versions,
        seed: fleetSeed ?? 1,
        isFresh: fresh
      )
    }
  }
}

extension PlanDocument.Command.Fleet {
  /// The fleet whose stores are made from a recipe.
  ///
  /// - Throws: what is wrong in the population's file, and ``RunnerError/noSuchInput(path:)``.
  func fleet(of store: ScaledStore) throws -> Fleet {
    let shape = try EntityShape(
      smaller: store.counts(objects: 10_000),
      larger: store.counts(objects: 100_000)
    )
    for path in versions where !FileManager.default.fileExists(atPath: path) {
      throw RunnerError.noSuchInput(path: path)
    }
    return Fleet(
      of: try QuestionOptions.population(at: population, shape: shape).population(of: shape),
      // Workers read them from another folder.
      versions: versions.map { URL(fileURLWithPath: $0).standardizedFileURL.path },
      seed: seed,
      isFresh: isFresh
    )
  }

  /// The plan on the users' stores.
  ///
  /// - Throws: as `fleet(of:)`, and ``LadderError`` for a workload whose store has no recipe.
  func plan(_ plan: Plan) throws -> Plan {
    guard let first = plan.workloads.first?.file else { return plan }
    guard case .recipe(let name, let reference) = first.store else {
      throw LadderError.noRecipe(store: first.path)
    }
    return try fleet(of: ScaledStore(name: name, reference)).plan(plan, count: users)
  }
}

import Basics
import Generators
import Runner

/// A fleet of users' stores: sizes from a population, with versions, ages and dirt.
///
/// Every user is a pure function of the fleet's seed and the user's number, so that any part of a
/// fleet can be made anywhere, and one user's store again.
package struct Fleet: Sendable {
  /// Years of use, each as frequent as the others, of stores that are aged.
  static let years = [0.25, 0.5, 1, 1, 2, 2, 3, 5]
  /// Shares of the objects with each defect, of stores that are dirty.
  static let dirt = [0.000_3, 0.001, 0.003, 0.01]
  /// The shares of users whose stores are aged, and dirty; the others are as their recipe makes them.
  static let (agedShare, dirtyShare) = (0.5, 0.2)
  /// Shares of an entity's objects that a year edits and deletes, and the most that all years do.
  static let (editsPerYear, deletesPerYear) = (0.15, 0.04)
  static let (mostEdits, mostDeletes) = (0.6, 0.16)

  private let population: Population
  /// Paths of model files, one of which each store has; none for the recipe's own model.
  private let versions: [String]
  private let seed: UInt64
  /// Whether the stores are as the recipe makes them.
  private let isFresh: Bool

  package init(
    of population: Population,
    versions: [String] = [],
    seed: UInt64 = 1,
    isFresh: Bool = false
  ) {
    self.population = population
    self.versions = versions
    self.seed = seed
    self.isFresh = isFresh
  }

  private enum Purpose: UInt64 {
    case size, version, wear, amount, recipe
  }

  private func word(_ purpose: Purpose, _ number: Int) -> UInt64 {
    SplitMix64.word(seed, 0xF1EE7 + purpose.rawValue, UInt64(number))
  }

  /// From 0 to 1, neither included.
  private func share(_ purpose: Purpose, _ number: Int) -> Double {
    (Double(word(purpose, number) >> 11) + 0.5) / 9_007_199_254_740_992
  }

  /// A user, by a number from 1.
  package func user(_ number: Int) -> FleetUser {
    let size = population.quantile(share(.size, number))
    var user = FleetUser(
      number: number,
      objects: max(Int(size.rounded()), 1),
      version: versions.isEmpty
        ? "" : versions[Int(share(.version, number) * Double(versions.count))],
      years: 0,
      dirt: 0
    )
    guard !isFresh else { return user }
    let (kind, amount) = (share(.wear, number), share(.amount, number))
    if kind < Self.agedShare {
      user.years = Self.years[Int(amount * Double(Self.years.count))]
    } else if kind < Self.agedShare + Self.dirtyShare {
      user.dirt = Self.dirt[Int(amount * Double(Self.dirt.count))]
    }
    return user
  }

  /// The recipe of a user's store.
  ///
  /// - Throws: what reading the recipe throws.
  package func recipe(of user: FleetUser, from store: ScaledStore) throws -> RecipeReference {
    let deletes = min(user.years * Self.deletesPerYear, Self.mostDeletes)
    // So many are left as the user has.
    let made = Double(user.objects) / (1 - deletes)
    var reference = try store.reference(objects: Int(made.rounded()))
    reference.seed = word(.recipe, user.number) >> 1
    if !user.version.isEmpty { reference.model = user.version }
    reference.wear = StoreWear(
      edits: min(user.years * Self.editsPerYear, Self.mostEdits),
      deletes: deletes,
      days: user.years * 365,
      dirt: user.dirt
    )
    return reference
  }

  /// The plan for the first users of the fleet, each with a store and each case of their own.
  ///
  /// - Throws: ``LadderError`` for a workload whose store has no recipe, or with too many cases.
  package func plan(_ plan: Plan, count: Int) throws -> Plan {
    let cases = plan.caseCount * count
    guard cases <= Plan.mostCases else {
      throw RunnerError.tooManyCases(count: cases, limit: Plan.mostCases)
    }
    let workloads = try plan.workloads.flatMap { workload in
      guard case .recipe(let name, let reference) = workload.file.store else {
        throw LadderError.noRecipe(store: workload.file.path)
      }
      let store = try ScaledStore(name: name, reference)
      return try (1...count).map { number in
        let user = user(number)
        return workload.of(user, store: .recipe(name: name, try recipe(of: user, from: store)))
      }
    }
    return Plan(workloads: workloads, warnings: plan.warnings)
  }
}

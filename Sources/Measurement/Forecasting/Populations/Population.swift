/// The sizes of users' stores.
package struct Population: Hashable, Sendable {
  /// So many users whose stores have so many objects.
  package struct Group: Hashable, Sendable {
    package let objects: Double
    package let users: Double

    package init(objects: Double, users: Double) {
      self.objects = objects
      self.users = users
    }
  }

  /// By size, rising.
  package let groups: [Group]
  /// Columns of counts that are of no entity, and were left out.
  package var unread: [String] = []

  package init(_ groups: [Group]) {
    self.groups = groups.filter { $0.users > 0 }.sorted { $0.objects < $1.objects }
  }

  /// All users together; a weight of 1 where only shares are known.
  package var users: Double { groups.reduce(0) { $0 + $1.users } }

  /// The size of the largest store.
  package var largest: Double { groups.last?.objects ?? 0 }

  /// The size that a share of all users is at or below.
  package func quantile(_ share: Double) -> Double {
    var left = users * share
    for group in groups {
      left -= group.users
      if left <= 0 { return group.objects }
    }
    return largest
  }

  /// The share of users whose stores are larger than a size.
  package func share(above objects: Double) -> Double {
    let above = groups.reduce(0) { $0 + ($1.objects > objects ? $1.users : 0) }
    return users > 0 ? above / users : 0
  }

  /// The share of users who find a budget too small.
  package struct Exceeding: Hashable, Sendable {
    package let share: Double
    /// By the ends of the interval.
    package let low: Double
    package let high: Double
    /// The share of users whose stores are too large to say anything of; part of `high`.
    package let unknown: Double
  }

  /// The share of users whose migration exceeds a budget.
  package func exceeding(_ budget: ResourceBudget, of forecast: Forecast) -> Result<
    Exceeding, Refusal
  > {
    forecast.largestStore(within: budget).map { largest in
      let unknown = share(above: largest.known)
      // What is not known to exceed counts as fitting, and in `high` as exceeding.
      func exceeding(_ size: Double) -> Double {
        size >= largest.known ? 0 : share(above: size)
      }
      return Exceeding(
        share: exceeding(largest.probably),
        low: exceeding(largest.atMost),
        high: max(share(above: min(largest.surely, largest.known)), unknown),
        unknown: unknown
      )
    }
  }
}

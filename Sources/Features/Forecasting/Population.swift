import Basics
import Foundation

/// The sizes of users' stores.
package struct Population: Hashable, Sendable {
  /// A number of users whose stores have the same number of objects.
  package struct Group: Hashable, Sendable {
    package let objects: Double
    package let users: Double

    package init(objects: Double, users: Double) {
      self.objects = objects
      self.users = users
    }
  }

  /// The groups of users, in ascending order of store size.
  package let groups: [Group]
  /// The largest size that a file lists; 0 without a file.
  ///
  /// The largest group may be smaller, because the users of a range are placed within the range.
  package var listed = 0.0
  /// The share of users whose stores are larger than every listed size, by an unknown amount.
  ///
  /// In ``groups``, these users have the largest listed size.
  package var beyond = 0.0
  /// The names of ignored columns, which contain counts but do not name an entity.
  package var unread: [String] = []

  package init(_ groups: [Group]) {
    self.groups = groups.filter { $0.users > 0 }.sorted { $0.objects < $1.objects }
  }

  /// The total number of users; 1 if only shares are known.
  package var users: Double { groups.reduce(0) { $0 + $1.users } }

  /// The number of objects in the largest store of known size.
  package var largest: Double { max(listed, groups.last?.objects ?? 0) }

  /// The quantile of store sizes for a share from 0 to 1, in objects.
  package func quantile(_ share: Double) -> Double {
    var left = users * share
    for group in groups {
      left -= group.users
      if left <= 0 { return group.objects }
    }
    return largest
  }

  /// The quantile of store sizes for a share from 0 to 1; `nil` if the stores at this quantile are
  /// of unknown size.
  func knownQuantile(_ share: Double) -> Double? {
    share <= 1 - beyond + 1e-9 ? quantile(share) : nil
  }

  /// The number of users whose stores are between two sizes.
  package struct Bin: Codable, Hashable, Sendable {
    /// The inclusive lower bound of the store size, in objects.
    package let from: Double
    /// The exclusive upper bound of the store size, in objects.
    package let to: Double
    package let users: Double
  }

  /// The users in logarithmic bins of store size: twelve bins per power of ten, including empty
  /// bins.
  package func bins() -> [Bin] {
    func index(_ objects: Double) -> Int {
      Int((log10(max(objects, 1)) * 12 + 1e-9).rounded(.down))
    }
    func size(_ index: Int) -> Double { pow(10, Double(index) / 12) }
    guard let first = groups.first, let last = groups.last else { return [] }
    var counts: [Int: Double] = [:]
    for group in groups { counts[index(group.objects), default: 0] += group.users }
    return (index(first.objects)...index(last.objects)).map {
      Bin(from: size($0), to: size($0 + 1), users: counts[$0] ?? 0)
    }
  }

  /// The share of users whose stores are larger than a size.
  package func share(above objects: Double) -> Double {
    let above = groups.reduce(0) { $0 + ($1.objects > objects ? $1.users : 0) }
    return users > 0 ? above / users : 0
  }

  /// The share of users whose migration exceeds a budget.
  package struct Exceeding: Hashable, Sendable {
    package let share: Double
    /// The lower bound of the share, from one end of the forecast's interval.
    package let low: Double
    package let high: Double
    /// The upper bound of the share without the users for whom nothing is predicted.
    package let judged: Double
    /// The share of users for whom nothing is predicted, because their stores are too large or of
    /// unknown size; the upper bound includes it.
    package let unknown: Double
  }

  /// Formats an upper bound of a share of users: tiny shares as `fewer than 0.1 %`, others by
  /// `text`.
  static func atMost(_ share: Double, _ text: (Double) -> String) -> String {
    share < 0.0005 ? "fewer than 0.1 %" : "at most \(text(share))"
  }

  /// Computes the share of users whose migration exceeds a budget.
  package func exceeding(_ budget: ResourceBudget, of forecast: Forecast) -> Result<
    Exceeding, NoForecast
  > {
    let last = groups.last?.objects ?? 0
    // Stores of unknown size are listed with the last size, but may be larger than any size.
    func open(above size: Double) -> Double { last > size ? 0 : beyond }
    return forecast.largestStore(within: budget).map { largest in
      let unknown = share(above: largest.known) + open(above: largest.known)
      let surely = min(largest.atLeast, largest.known)
      // Only the upper bound counts stores without a prediction as exceeding the budget.
      func exceeding(_ size: Double) -> Double {
        size >= largest.known ? 0 : share(above: size)
      }
      return Exceeding(
        share: exceeding(largest.probably),
        low: exceeding(largest.atMost),
        high: max(share(above: surely) + open(above: surely), unknown),
        judged: exceeding(largest.atLeast),
        unknown: unknown
      )
    }
  }
}

/// The sizes of users' stores as listed in a file, before sizes in bytes are converted to objects.
package struct PopulationFile: Hashable, Sendable {
  private struct Entry: Hashable {
    let low: StoreSize
    let high: StoreSize
    let users: Double
    var steps = 20
  }

  private static let mostUsers = 1e11

  package let path: String
  private let entries: [Entry]
  /// The share of users above the last quantile, if the file lists quantiles.
  private let beyond: Double
  private let unread: [String]

  /// Parses a table of stores, a table of quantiles, or a histogram.
  ///
  /// A table of stores has one line per store, with `objects`, `bytes` or counts of entities, and
  /// `users` if a line represents several stores. A table of quantiles has a column `quantile` from
  /// 0 to 1. A histogram has `from`, `to` and `users`, in objects, or `from_bytes` and `to_bytes`.
  /// - Throws: ``Refusal`` with the line number and the problem.
  package init(csv text: String, path: String, shape: EntityShape) throws {
    let table = try SizeTable(text, path: path)
    self.path = path
    if let entries = try Self.histogram(table) {
      (self.entries, beyond, unread) = (entries, 0, [])
    } else {
      let sizes = try SizeTable.Sizes(table, but: ["user_count"], of: shape)
      unread = sizes.unread
      if let quantile = table.column("quantile") {
        (entries, beyond) = try Self.quantiles(table, quantile, sizes, .assumed(shape))
      } else {
        beyond = 0
        let users = table.column("users", "user_count", "count", "share")
        entries = try table.rows.map { row in
          let size = try sizes.size(row)
          return Entry(
            low: size,
            high: size,
            users: try Self.users(row, of: table, users),
            steps: 1
          )
        }
      }
    }
    guard entries.contains(where: { $0.users > 0 }) else {
      throw Refusal.badInput("'\(path)' counts no users: at least one number must be above 0")
    }
  }

  private static func users(
    _ row: SizeTable.Row,
    of table: SizeTable,
    _ column: Int?
  ) throws -> Double {
    guard let column else { return 1 }
    let isWhole = table.columns[column] != "share"
    let expected = isWhole ? "a whole number of users" : "a share of users"
    return try table.number(row, column, upTo: mostUsers, expected, isWhole: isWhole)
  }

  /// Parses quantiles, with the share of users above the last quantile.
  private static func quantiles(
    _ table: SizeTable,
    _ quantile: Int,
    _ sizes: SizeTable.Sizes,
    _ scale: SizeScale
  ) throws -> (entries: [Entry], beyond: Double) {
    var last: (share: Double, size: StoreSize)?
    var entries: [Entry] = []
    for row in table.rows {
      let share = try table.number(row, quantile, upTo: 1, "a quantile from 0 to 1")
      let size = try sizes.size(row)
      // Users below the first quantile are placed at its size, because the table lists no smaller
      // sizes.
      let before = last ?? (0, size)
      guard share >= before.share, last == nil || share > before.share,
        scale.knownObjects(of: size) >= scale.knownObjects(of: before.size)
      else {
        throw Refusal.badInput(
          "'\(table.path)', line \(row.line): quantiles and sizes must increase from line to line"
        )
      }
      entries.append(Entry(low: before.size, high: size, users: share - before.share))
      last = (share, size)
    }
    guard let end = last, end.share < 1 else { return (entries, 0) }
    let beyond = 1 - end.share
    entries.append(Entry(low: end.size, high: end.size, users: beyond, steps: 1))
    return (entries, beyond)
  }

  /// Parses the users in non-overlapping ranges; returns `nil` if the table is not a histogram.
  private static func histogram(_ table: SizeTable) throws -> [Entry]? {
    let objects = table.column("from")
    guard let from = objects ?? table.column("from_bytes"),
      let to = table.column("to") ?? table.column("to_bytes")
    else { return nil }
    guard let users = table.column("users", "count", "share") else {
      throw Refusal.unknownColumns(
        path: table.path,
        found: table.columns,
        expected: "'users' beside '\(table.columns[from])' and '\(table.columns[to])'"
      )
    }
    let ranges = try table.rows.map { row in
      let (low, high) =
        objects == nil
        ? (try table.bytes(row, from), try table.bytes(row, to))
        : (
          try table.number(row, from, upTo: SizeTable.mostObjects, "a number of objects"),
          try table.number(row, to, upTo: SizeTable.mostObjects, "a number of objects")
        )
      guard high > low else {
        throw Refusal.badInput("'\(table.path)', line \(row.line): 'to' must be above 'from'")
      }
      return (row: row, low: low, high: high)
    }
    let rising = ranges.sorted { $0.low < $1.low }
    for (earlier, later) in zip(rising, rising.dropFirst()) where later.low < earlier.high {
      throw Refusal.badInput(
        "'\(table.path)', line \(later.row.line): 'from' is "
          + "\(String(later.row.fields[from])), but an earlier range ends at "
          + "\(String(earlier.row.fields[to])), so users would count twice"
      )
    }
    let size = objects == nil ? StoreSize.bytes : StoreSize.objects
    return try ranges.map { row, low, high in
      Entry(low: size(low), high: size(high), users: try Self.users(row, of: table, users))
    }
  }

  /// The population, with store sizes converted to numbers of objects by a forecast's scale.
  package func population(for forecast: Forecast) -> Population {
    population(by: forecast.sizeScale)
  }

  /// The population, with store sizes converted by an assumed number of bytes per object.
  package func population(of shape: EntityShape) -> Population { population(by: .assumed(shape)) }

  private func population(by scale: SizeScale) -> Population {
    var population = Population(
      entries.flatMap { entry in
        let (low, high) = (scale.knownObjects(of: entry.low), scale.knownObjects(of: entry.high))
        return (0..<entry.steps).map { step in
          let part = (Double(step) + 0.5) / Double(entry.steps)
          return Population.Group(
            objects: low > 0 ? low * exp(log(high / low) * part) : low + (high - low) * part,
            users: entry.users / Double(entry.steps)
          )
        }
      }
    )
    population.listed =
      entries.filter { $0.users > 0 }.map { scale.knownObjects(of: $0.high) }.max() ?? 0
    population.beyond = beyond
    population.unread = unread
    return population
  }
}

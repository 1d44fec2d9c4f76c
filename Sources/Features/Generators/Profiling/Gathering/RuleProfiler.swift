import DataModel
import PersistentStore
import SQLite

/// Finds dependencies between attributes of the same object: dates that never precede others, and
/// conditions for missing values.
///
/// A rule must hold without exception, and for enough objects that it is no coincidence.
struct RuleProfiler {
  private static let leastObjects = 10
  private static let leastOfValue = 3
  private static let mostDates = 12
  private static let mostValues = 16

  let columns: EntityColumns
  let k: Int

  func add(to profile: inout EntityProfile) throws {
    guard let objects = profile.objects, objects >= least else { return }
    let dates = try datesInOrder(profile)
    let follows = try follows(dates)
    let presences = try presences(profile, objects: objects, dates: dates.map(\.date.name))
    for index in profile.columns.indices {
      let name = profile.columns[index].name
      profile.columns[index].follow = follows[name]
      profile.columns[index].presence = presences[name]
    }
  }

  private var least: Int { max(k, Self.leastObjects) }

  private typealias Known = (name: String, column: String)

  private func known(_ profile: EntityProfile, where isWanted: (Attribute) -> Bool) -> [Known] {
    columns.attributes.compactMap { attribute in
      guard attribute.derivation == nil, isWanted(attribute),
        profile.columns.contains(where: { $0.name == attribute.name && !$0.bins.isEmpty }),
        let column = columns.column(attribute)
      else { return nil }
      return (attribute.name, column)
    }
  }

  // MARK: Dates

  /// An entity's dates, in an order without cycles.
  ///
  /// Each date is listed with the earlier dates that it never precedes.
  private func datesInOrder(
    _ profile: EntityProfile
  ) throws -> [(date: Known, earlier: [Known])] {
    let dates = Array(known(profile) { $0.type == .date }.prefix(Self.mostDates))
    guard dates.count > 1 else { return dates.map { ($0, []) } }
    let counts = dates.flatMap { date in
      dates.map { other in
        "coalesce(sum(\(date.column) < \(other.column)), 0), "
          + "count(\(date.column) + \(other.column))"
      }
    }
    let row = try columns.connection.prepare(
      "SELECT \(counts.joined(separator: ", ")) \(columns.rows)"
    )
    guard try row.step() else { return dates.map { ($0, []) } }
    func follows(_ date: Int, _ other: Int) -> Bool {
      let place = 2 * (date * dates.count + other)
      return date != other && row.integer(at: place) == 0 && row.integer(at: place + 1) >= least
    }
    // Sort by the number of earlier dates: a date that follows another also follows the dates
    // before it.
    let numbers = dates.indices.map { date in dates.indices.count { follows(date, $0) } }
    let order = dates.indices.sorted {
      (numbers[$0], dates[$0].name) < (numbers[$1], dates[$1].name)
    }
    return order.enumerated().map { place, date in
      (dates[date], order[..<place].filter { follows(date, $0) }.map { dates[$0] })
    }
  }

  private func follows(
    _ dates: [(date: Known, earlier: [Known])]
  ) throws -> [String: DateFollow] {
    var follows: [String: DateFollow] = [:]
    for (date, earlier) in dates where !earlier.isEmpty {
      // New dates are drawn at random and rarely repeat, so a date with repeated values keeps its
      // own distribution.
      guard try rarelyRepeats(date.name) else { continue }
      let gaps = try self.gaps(of: date.column, after: earlier.map(\.column))
      if !gaps.isEmpty {
        follows[date.name] = DateFollow(attributes: earlier.map(\.name), gaps: gaps)
      }
    }
    return follows
  }

  private func rarelyRepeats(_ date: String) throws -> Bool {
    guard let attribute = columns.attributes.first(where: { $0.name == date }),
      let counts = try columns.numbers(attribute)
    else { return false }
    var (values, objects) = (0, 0)
    try counts.visit { _, count in
      values += 1
      objects += count
    }
    return 50 * values >= 49 * objects
  }

  private func gaps(of date: String, after bases: [String]) throws -> [Bin] {
    // SQLite's `max()` with a single argument is an aggregate function, so use a single date as it
    // is.
    let latest =
      bases.count == 1
      ? bases[0]
      : "max(" + bases.map { "coalesce(\($0), -1e18)" }.joined(separator: ", ") + ")"
    let isKnown = bases.map { "\($0) NOT NULL" }.joined(separator: " OR ")
    let counts = try columns.numbers(
      ofRows: "SELECT gap FROM (SELECT \(date) - \(latest) AS gap \(columns.rows) "
        + "AND \(date) NOT NULL AND (\(isKnown))) WHERE gap >= 0"
    )
    return try NumberBins(k: k, isWhole: false, isDate: false).bins(of: counts).bins
  }

  // MARK: Missing values

  private func presences(
    _ profile: EntityProfile,
    objects: Int,
    dates: [String]
  ) throws -> [String: Presence] {
    func nulls(_ name: String) -> Int {
      profile.columns.first { $0.name == name }?.nulls ?? 0
    }
    // Exclude blobs, so that they keep their exact share of nulls.
    let open = known(profile) { $0.type != .binary && (1..<objects).contains(nulls($0.name)) }
    guard !open.isEmpty else { return [:] }
    var presences: [String: Presence] = [:]
    for flag in flags(profile) where presences.count < open.count {
      for (name, values) in try values(of: flag, deciding: open) where presences[name] == nil {
        presences[name] = Presence(attribute: flag.name, values: values)
      }
    }
    // Put dates first, in their order, so that no attribute depends on itself.
    let rest =
      dates.compactMap { name in open.first { $0.name == name } }
      + open.filter { !dates.contains($0.name) }
    let undecided = rest.filter { presences[$0.name] == nil }
    for (index, attribute) in undecided.enumerated() {
      let partner = try undecided[..<index].first { earlier in
        guard presences[earlier.name] == nil, nulls(earlier.name) == nulls(attribute.name) else {
          return false
        }
        return try columns.connection.integer(
          "SELECT count(*) \(columns.rows) "
            + "AND (\(earlier.column) IS NULL) <> (\(attribute.column) IS NULL)"
        ) == 0
      }
      let counts = [nulls(attribute.name), objects - nulls(attribute.name)]
      if let partner, counts.allSatisfy({ $0 >= max(k, Self.leastOfValue) }) {
        presences[attribute.name] = Presence(attribute: partner.name, values: [])
      }
    }
    return presences
  }

  /// The attributes that may determine whether others have a value: those with few distinct values
  /// and no nulls, Booleans first.
  private func flags(_ profile: EntityProfile) -> [Known] {
    let full = known(profile) { attribute in
      guard let column = profile.columns.first(where: { $0.name == attribute.name }),
        column.nulls == 0
      else { return false }
      if attribute.type == .boolean { return true }
      let isFew = column.bins.count <= Self.mostValues && column.bins.allSatisfy(\.isPoint)
      return attribute.type.integerRange != nil && isFew || !column.texts.isEmpty
    }
    let booleans = Set(columns.attributes.filter { $0.type == .boolean }.map(\.name))
    return full.filter { booleans.contains($0.name) } + full.filter { !booleans.contains($0.name) }
  }

  /// Finds the attributes for which a flag, another attribute, determines whether an object has a
  /// value.
  ///
  /// The result contains, for each such attribute, the flag's values with which all objects have a
  /// value; with the flag's other values, all objects lack a value.
  private func values(of flag: Known, deciding open: [Known]) throws -> [(String, [Value])] {
    let counts = open.map { "count(\($0.column))" }.joined(separator: ", ")
    let row = try columns.connection.prepare(
      "SELECT \(flag.column), count(*), \(counts) \(columns.rows) GROUP BY 1 ORDER BY 1 "
        + "LIMIT \(Self.mostValues + 1)"
    )
    var groups: [(value: Value, objects: Int64, counts: [Int64])] = []
    while try row.step() {
      let value: Value
      switch row.storageClass(at: 0) {
      case .integer: value = .integer(row.integer(at: 0))
      case .text: value = .text(row.text(at: 0))
      default: return []
      }
      groups.append((value, row.integer(at: 1), open.indices.map { row.integer(at: 2 + $0) }))
    }
    guard (2...Self.mostValues).contains(groups.count),
      groups.allSatisfy({ $0.objects >= Int64(max(k, Self.leastOfValue)) })
    else { return [] }
    return open.indices.compactMap { index in
      let isDecided = groups.allSatisfy { $0.counts[index] == 0 || $0.counts[index] == $0.objects }
      let present = groups.filter { $0.counts[index] > 0 }
      guard isDecided, !present.isEmpty, present.count < groups.count else { return nil }
      return (open[index].name, present.map(\.value))
    }
  }
}

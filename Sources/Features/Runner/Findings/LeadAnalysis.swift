import Basics

/// Contests (comparisons of alternatives) that differ in one numeric parameter, in the order of its
/// values.
struct Sweep {
  struct Row {
    /// The operation, or the conditions (values of other parameters), that distinguish this sweep's
    /// row in the winner map.
    let name: String
    /// The values of the swept parameter in ascending order.
    let sizes: [Double]
    let contests: [Contest]
  }

  /// The numeric parameter.
  let parameter: String
  let rows: [Row]

  /// The minimum number of sizes in a sweep.
  private static let fewest = 3

  /// Returns the sweeps for every compared parameter.
  static func all(of plan: ContestPlan, _ inquiry: Inquiry) -> [Sweep] {
    plan.alternatives.compactMap { name in
      Sweep(plan.contests.filter { $0.parameter == name }, inquiry)
    }
  }

  /// Creates a sweep; `nil` if the swept parameter has fewer than three values.
  ///
  /// The swept parameter is a size in bytes or, without one, the numeric parameter with the most
  /// values.
  init?(_ contests: [Contest], _ inquiry: Inquiry) {
    let names = Set(contests.flatMap(\.conditions.keys))
    let numbers = names.filter { name in
      contests.allSatisfy { $0.conditions[name].flatMap(Double.init) != nil }
    }
    let counts = numbers.map { name in
      (name, Set(contests.compactMap { $0.conditions[name] }).count)
    }
    let best = counts.max { left, right in
      let isBytes = inquiry.byteParameters.contains
      return (isBytes(left.0) ? 1 : 0, left.1, right.0) < (
        isBytes(right.0) ? 1 : 0, right.1, left.0
      )
    }
    guard let (swept, count) = best, count >= Self.fewest else { return nil }
    parameter = swept
    let varying = Contest.varying(contests).subtracting([swept])
    var order: [String] = []
    var members: [String: [Contest]] = [:]
    for contest in contests {
      let name = contest.name(by: varying, inquiry.parameters)
      if members[name] == nil { order.append(name) }
      members[name, default: []].append(contest)
    }
    let value = { (contest: Contest) in contest.conditions[swept].flatMap(Double.init) ?? 0 }
    rows = order.compactMap { name in
      let sorted = (members[name] ?? []).sorted { value($0) < value($1) }
      return sorted.count < Self.fewest
        ? nil : Row(name: name, sizes: sorted.map(value), contests: sorted)
    }
    guard !rows.isEmpty else { return nil }
  }
}

extension Contest {
  /// The conditions that have several values among the contests.
  ///
  /// A condition that some contests lack because it is irrelevant to them does not count as a
  /// further value.
  static func varying(_ contests: [Contest]) -> Set<String> {
    let names = Set(contests.flatMap(\.conditions.keys))
    return names.filter { name in Set(contests.compactMap { $0.conditions[name] }).count > 1 }
  }

  /// Returns the conditions that distinguish a contest: the operation's value, and other conditions
  /// as `name=value`.
  func name(by varying: Set<String>, _ order: [String]) -> String {
    let names = order.filter(varying.contains) + varying.subtracting(order).sorted()
    let parts = names.compactMap { name in
      conditions[name].map { name == "operation" ? $0 : "\(name)=\($0)" }
    }
    return parts.sorted { !$0.contains("=") && $1.contains("=") }.joined(separator: ", ")
  }
}

/// Finds the fastest alternatives at each size, and the sizes at which they change.
struct LeadAnalysis {
  let trials: MeasuredContests

  private var inquiry: Inquiry { trials.inquiry }

  /// The name of the row for a mix of operations.
  static let mix = "mix of operations"

  /// Returns the winner maps for the values of a parameter, with rows for the mix of operations;
  /// empty if there is no sweep.
  func maps(of parameter: String) -> [LeadMap] {
    let contests = trials.plan.contests.filter { $0.parameter == parameter }
    guard let sweep = Sweep(contests, inquiry) else { return [] }
    var rows = sweep.rows.map { row($0) }
    if let mixed = Sweep(trials.mixed.map(\.contest), inquiry) {
      rows += mixed.rows.map {
        row($0, named: $0.name.isEmpty ? Self.mix : "\(Self.mix), \($0.name)")
      }
    }
    let isBytes = inquiry.byteParameters.contains(sweep.parameter)
    return [
      LeadMap(
        parameter: sweep.parameter,
        unit: isBytes ? .bytes : .count,
        alternatives: parameter,
        sizes: Set(sweep.rows.flatMap(\.sizes)).sorted(),
        landmarks: isBytes ? inquiry.landmarks : [],
        rows: rows
      )
    ]
  }

  private func row(_ row: Sweep.Row, named name: String? = nil) -> LeadMap.Row {
    LeadMap.Row(
      name: name ?? row.name,
      metric: Metric.wallClock.name,
      cells: zip(row.sizes, row.contests).map { cell($1, at: $0) },
      changes: changes(in: row)
    )
  }

  private func cell(_ contest: Contest, at size: Double) -> LeadMap.Cell {
    let leaders = trials.leaders(of: contest)
    let labels = leaders.map(\.label)
    let medians = contest.contenders.compactMap { contender in
      trials.median(of: contender.index).map { (contender.label, $0) }
    }
    let next = trials.ascending(contest.contenders).first { !labels.contains($0.label) }
    var lead: Finding.Figure?
    if let next, let best = leaders.first,
      let difference = trials.difference(next.index, best.index)
    {
      lead = .ratio("time of \(next.label) / time of \(best.label)", .wallClock, difference)
    }
    return LeadMap.Cell(
      size: size,
      leaders: labels,
      ties: ties(among: leaders),
      medians: Dictionary(keepingFirst: medians),
      lead: lead
    )
  }

  /// The additional time, as a log ratio, that is acceptable for a simpler alternative.
  private static let bearable = log(1.1)

  /// Returns the leaders that take at most `bearable` longer than any other leader, the simplest
  /// first.
  private func ties(among leaders: [Contest.Contender]) -> [String] {
    let simplest = inquiry.guide?.simplest ?? []
    let good = leaders.filter { leader in
      leaders.allSatisfy { other in
        guard other != leader else { return true }
        return trials.difference(leader.index, other.index).map { $0.upper <= Self.bearable }
          ?? false
      }
    }
    let order = { (label: String) in simplest.firstIndex(of: label) ?? simplest.count }
    return good.map(\.label).enumerated().sorted {
      (order($0.element), $0.offset) < (order($1.element), $1.offset)
    }.map(\.element)
  }

  // MARK: Changes of the fastest alternative

  /// Neighboring sizes with the alternatives that may lead at all of them.
  private struct Stretch {
    var sizes: Range<Int>
    var leaders: Set<String>
  }

  /// Returns the smallest set of changes that explains the leaders.
  ///
  /// A new stretch begins at the size at which no alternative may have led at all sizes since the
  /// last change.
  private func changes(in row: Sweep.Row) -> [LeadMap.Change] {
    // Exclude an alternative that does the same work as another alternative at some sizes.
    // Otherwise, a change of the leader (fastest alternative) could result from a change of the
    // alternative's work.
    let composite = Set(row.contests.flatMap(\.sameWork))
    let common = row.contests.map { Set($0.contenders.map(\.label)) }
      .reduce(nil) { (all: Set<String>?, labels) in all?.intersection(labels) ?? labels }
    let labels = (common ?? []).subtracting(composite)
    let contests = row.contests.map { contest in
      Contest(
        parameter: contest.parameter,
        conditions: contest.conditions,
        contenders: contest.contenders.filter { labels.contains($0.label) },
        sameWork: []
      )
    }
    var stretches: [Stretch] = []
    for (index, contest) in contests.enumerated() {
      let leaders = Set(trials.leaders(of: contest).map(\.label))
      if let last = stretches.last, !last.leaders.isDisjoint(with: leaders) {
        stretches[stretches.count - 1].leaders.formIntersection(leaders)
        stretches[stretches.count - 1].sizes = last.sizes.lowerBound..<index + 1
      } else {
        stretches.append(Stretch(sizes: index..<index + 1, leaders: leaders))
      }
    }
    return zip(stretches, stretches.dropFirst()).compactMap { before, after in
      change(from: before, to: after, contests, row.sizes)
    }
  }

  private func change(
    from before: Stretch,
    to after: Stretch,
    _ contests: [Contest],
    _ sizes: [Double]
  ) -> LeadMap.Change? {
    let border = after.sizes.lowerBound
    guard let from = fastest(of: before.leaders, in: contests[border - 1]),
      let to = fastest(of: after.leaders, in: contests[border])
    else { return nil }
    let range = before.sizes.lowerBound..<after.sizes.upperBound
    // A size of 0 has no logarithm.
    let isLogarithmic = sizes.allSatisfy { $0 > 0 }
    let isWhole = sizes.allSatisfy { $0 == $0.rounded() }
    let size = { (place: Double) -> Double in
      let found = isLogarithmic ? exp(place) : place
      return isWhole ? found.rounded() : found
    }
    let points: [CrossingPoint] = range.compactMap { index in
      let members = contests[index].contenders
      guard let first = members.first(where: { $0.label == from }),
        let second = members.first(where: { $0.label == to }),
        let difference = trials.difference(first.index, second.index)
      else { return nil }
      let place = isLogarithmic ? log(sizes[index]) : sizes[index]
      return CrossingPoint(size: place, difference: difference)
    }
    let crossing = Crossing(points, near: border - range.lowerBound)
    return LeadMap.Change(
      from: from,
      to: to,
      size: size(crossing.estimate),
      lower: size(crossing.lower),
      upper: size(crossing.upper),
      fromLeaders: leaders(of: before, contests, at: border - 1),
      toLeaders: leaders(of: after, contests, at: border)
    )
  }

  /// The alternatives that may be the fastest at all sizes of a stretch; if no size has a sole
  /// leader, the alternatives that may be the fastest at any of the sizes.
  private func leaders(of stretch: Stretch, _ contests: [Contest], at place: Int) -> [String] {
    let sets = stretch.sizes.map { Set(trials.leaders(of: contests[$0]).map(\.label)) }
    let isNamed = stretch.leaders.count > 1 || sets.contains { $0.count == 1 }
    let names = isNamed ? stretch.leaders : sets.reduce(Set<String>()) { $0.union($1) }
    return trials.ascending(contests[place].contenders).map(\.label).filter(names.contains)
  }

  private func fastest(of labels: Set<String>, in contest: Contest) -> String? {
    trials.ascending(contest.contenders).first { labels.contains($0.label) }?.label
  }
}

/// The difference between the logarithms of the times of two alternatives at one size; `size` is
/// also a logarithm, unless a size is 0.
struct CrossingPoint {
  let size: Double
  let difference: TrialIntervals.Difference
}

/// The size at which a difference changes from negative to positive, by linear interpolation
/// between the measured sizes.
///
/// The interval contains every size at which the difference may be zero. If the interval is
/// unbounded on one side, it extends to the end of the measured range on that side.
struct Crossing {
  private(set) var estimate: Double
  private(set) var lower: Double
  private(set) var upper: Double

  /// Finds the crossing (change of sign) nearest to `border`, the index of the first point after a
  /// change of the fastest alternative.
  init(_ points: [CrossingPoint], near border: Int) {
    let zero = { (value: (TrialIntervals.Difference) -> Double, index: Int) -> Double? in
      Self.zero(
        (points[index].size, value(points[index].difference)),
        (points[index + 1].size, value(points[index + 1].difference))
      )
    }
    let steps = points.indices.dropLast().sorted {
      (abs($0 + 1 - border), $0) < (abs($1 + 1 - border), $1)
    }
    let found = steps.first { zero(\.estimate, $0) != nil }
    let at = found ?? max(0, min(border - 1, points.count - 2))
    let middle = (points[at].size + points[min(at + 1, points.count - 1)].size) / 2
    estimate = found.flatMap { zero(\.estimate, $0) } ?? middle
    let crossing = estimate
    // The interval starts where the upper bound of the difference reaches zero, and ends where the
    // lower bound reaches zero.
    lower =
      steps.filter { $0 <= at }.sorted(by: >).lazy.compactMap { zero(\.upper, $0) }
      .first { $0 <= crossing } ?? points[0].size
    upper =
      steps.filter { $0 >= at }.sorted().lazy.compactMap { zero(\.lower, $0) }
      .first { $0 >= crossing } ?? points[points.count - 1].size
  }

  /// Returns the size at which the line between two points changes from negative to positive; `nil`
  /// if it does not.
  private static func zero(_ left: (Double, Double), _ right: (Double, Double)) -> Double? {
    guard left.1 <= 0, right.1 > 0 else { return nil }
    return left.0 + (right.0 - left.0) * (0 - left.1) / (right.1 - left.1)
  }
}

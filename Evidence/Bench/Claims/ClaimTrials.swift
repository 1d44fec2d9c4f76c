import Basics
import Runner

/// Decides the cells of a claim by interleaved trials, until each has a verdict or the budget is
/// spent.
///
/// A round runs one trial of each compared case, in random order, and gives each cell one value. A
/// slow phase of the machine therefore affects both sides of a ratio.
struct ClaimTrials {
  /// The error probability that all cells of a claim share.
  static let level = 0.05
  /// The number of rounds that each group of cells runs before its remaining time is estimated.
  private static let firstRounds = 8

  let scope: ClaimResult.Scope
  let budget: Double
  let seed: UInt64
  let now: () -> Double
  let trial: (Case, Int) throws -> TrialResponse

  /// Measures the undecided cells and returns the duration in seconds.
  func measure(_ cells: inout [ClaimCell]) throws -> Double {
    let counted = cells.count(where: \.isCounted)
    let level = Self.level / Double(max(counted, 1))
    for index in cells.indices where cells[index].fixed == nil {
      cells[index].beginTest(level: level)
    }
    let start = now()
    var groups = Self.groups(of: cells)
    while now() - start < budget, let index = next(of: groups, cells) {
      let began = now()
      try run(groups[index], &cells)
      groups[index].rounds += 1
      groups[index].seconds += now() - began
    }
    return now() - start
  }

  private struct Group {
    var cells: [Int]
    var rounds = 0
    var seconds = 0.0
  }

  private static func groups(of cells: [ClaimCell]) -> [Group] {
    var groups: [(cases: Set<String>, group: Group)] = []
    for (index, cell) in cells.enumerated() where cell.isOpen {
      var merged: (cases: Set<String>, group: Group) = (
        Set(cell.cases.map(\.id)), Group(cells: [index])
      )
      for other in groups where !other.cases.isDisjoint(with: merged.cases) {
        merged.cases.formUnion(other.cases)
        merged.group.cells += other.group.cells
      }
      groups.removeAll { !$0.cases.isDisjoint(with: merged.cases) }
      groups.append(merged)
    }
    return groups.map { Group(cells: $0.group.cells.sorted()) }
  }

  /// Returns the group to measure next; `nil` if nothing is left to decide.
  ///
  /// In the first rounds the groups take turns; then the group with the shortest estimated time
  /// until a verdict is next.
  private func next(of groups: [Group], _ cells: [ClaimCell]) -> Int? {
    if scope == .worstCell, cells.contains(where: { $0.verdict == .doesNotHold }) { return nil }
    let open = groups.indices.filter { groups[$0].cells.contains { cells[$0].isOpen } }
    let fewest = open.min { groups[$0].rounds < groups[$1].rounds }
    if let fewest, groups[fewest].rounds < Self.firstRounds { return fewest }
    return open.min { missing(in: groups[$0], cells) < missing(in: groups[$1], cells) }
  }

  private func missing(in group: Group, _ cells: [ClaimCell]) -> Double {
    let rounds = group.cells.filter { cells[$0].isOpen }.compactMap { cells[$0].test?.missing }
      .min()
    return (rounds ?? 1) * group.seconds / Double(max(group.rounds, 1))
  }

  private func run(_ group: Group, _ cells: inout [ClaimCell]) throws {
    let open = group.cells.filter { cells[$0].isOpen }
    var values: [String: [String: Double]] = [:]
    for planned in shuffled(open.flatMap { cells[$0].cases }, round: group.rounds) {
      let response = try trial(planned, group.rounds)
      if case .failed(let cause) = response.outcome {
        for index in open where cells[index].cases.contains(where: { $0.id == planned.id }) {
          cells[index].fail("'\(planned.id)' failed: \(cause)")
        }
        continue
      }
      for name in Set(open.compactMap { cells[$0].metric?.name }) {
        values[name, default: [:]][planned.id] = response.median(of: name)
      }
    }
    for index in open where cells[index].isOpen {
      guard let name = cells[index].metric?.name else { continue }
      cells[index].add(values[name] ?? [:])
    }
  }

  private func shuffled(_ cases: [Case], round: Int) -> [Case] {
    var known: Set<String> = []
    let cases = cases.filter { known.insert($0.id).inserted }
    return cases.map { planned in
      var coins = SeededCoins(seed: seed, name: "claim " + planned.id, number: round)
      return (planned, coins.number(below: 1 << 32))
    }.sorted { $0.1 < $1.1 }.map(\.0)
  }
}

extension TrialResponse {
  fileprivate func median(of metric: String) -> Double? {
    let values = iterations.compactMap { taken in taken.first { $0.name == metric }?.value }
    return Summary(of: values)?.p50
  }
}

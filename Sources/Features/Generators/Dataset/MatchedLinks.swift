/// The links of a many-to-many relationship with a given number of partners per object.
///
/// The links are stored as one list of targets per source, with 4 bytes per link.
struct MatchedLinks: Sendable {
  private let starts: [UInt32]
  private let targets: [UInt32]

  /// Gives each source and each target the requested number of partners, without duplicate links.
  ///
  /// If the numbers cannot all be reached, a few objects get fewer partners. With `isAmongItself`,
  /// no object is linked to itself.
  init(sources: [UInt32], targets: [UInt32], isAmongItself: Bool) {
    var matching = Matching(sources: sources, isAmongItself: isAmongItself)
    for target in targets.indices.sorted(by: { (targets[$1], $0) < (targets[$0], $1) }) {
      matching.link(UInt32(target), count: Int(targets[target]))
    }
    var places = Places(of: sources, pairs: matching.pairs, isAmongItself: isAmongItself)
    places.fill(wanted: targets)
    (starts, self.targets) = places.packed
  }

  init(mutual counts: [UInt32]) {
    let pairs = MutualMatching(counts).pairs
    (starts, targets) = Places(of: counts, pairs: pairs, isAmongItself: true).packed
  }

  func count(of source: Int) -> Int { Int(starts[source + 1] - starts[source]) }

  func append(targetsOf source: Int, to chosen: inout [Int]) {
    for place in starts[source]..<starts[source + 1] { chosen.append(Int(targets[Int(place)])) }
  }

  /// The slots for the targets of each source, some of them still free.
  private struct Places {
    /// The maximum number of free slots to fill, because filling a slot may take a pass over all
    /// links.
    private static let mostFree = 64

    private let starts: [UInt32]
    /// The target in each slot; `.max` if the slot is free.
    private var targets: [UInt32]
    private let isAmongItself: Bool

    init(of counts: [UInt32], pairs: [(source: UInt32, target: UInt32)], isAmongItself: Bool) {
      var starts: [UInt32] = [0]
      starts.reserveCapacity(counts.count + 1)
      for count in counts { starts.append(starts[starts.count - 1] + count) }
      var next = starts
      var targets = [UInt32](repeating: .max, count: Int(starts[counts.count]))
      for pair in pairs {
        targets[Int(next[Int(pair.source)])] = pair.target
        next[Int(pair.source)] += 1
      }
      self.starts = starts
      self.targets = targets
      self.isAmongItself = isAmongItself
    }

    var packed: (starts: [UInt32], targets: [UInt32]) {
      guard targets.contains(.max) else { return (starts, targets) }
      var packed: [UInt32] = [0]
      for source in starts.indices.dropLast() {
        packed.append(packed[source] + UInt32(row(source).count { targets[$0] != .max }))
      }
      return (packed, targets.filter { $0 != .max })
    }

    private func row(_ source: Int) -> Range<Int> {
      Int(starts[source])..<Int(starts[source + 1])
    }

    private func mayLead(_ source: Int, to target: UInt32) -> Bool {
      !(isAmongItself && source == Int(target)) && !targets[row(source)].contains(target)
    }

    mutating func fill(wanted: [UInt32]) {
      var free = starts.indices.dropLast().flatMap { source in
        row(source).filter { targets[$0] == .max }.map { (source: source, place: $0) }
      }
      guard !free.isEmpty, free.count <= Self.mostFree else { return }
      var missing = wanted.map(Int.init)
      for target in targets where target != .max { missing[Int(target)] -= 1 }
      for target in missing.indices {
        while missing[target] > 0,
          let filled = free.indices.first(where: { settle(free[$0], UInt32(target)) })
        {
          free.remove(at: filled)
          missing[target] -= 1
        }
      }
    }

    private mutating func settle(_ free: (source: Int, place: Int), _ target: UInt32) -> Bool {
      if mayLead(free.source, to: target) {
        targets[free.place] = target
        return true
      }
      for source in starts.indices.dropLast() where mayLead(source, to: target) {
        let given = row(source).first {
          targets[$0] != .max && mayLead(free.source, to: targets[$0])
        }
        guard let given else { continue }
        targets[free.place] = targets[given]
        targets[given] = target
        return true
      }
      return false
    }
  }

  /// Assigns targets in rounds.
  ///
  /// In each round, every source that still needs a target gets one target.
  private struct Matching {
    private static let mostTries = 64

    private let counts: [UInt32]
    private let isAmongItself: Bool
    private let order: [Int]
    private var round: UInt32 = 0
    private var place = 0
    private var last: [UInt32]
    private var waiting: [UInt32] = []
    private(set) var pairs: [(source: UInt32, target: UInt32)] = []

    init(sources: [UInt32], isAmongItself: Bool) {
      counts = sources
      self.isAmongItself = isAmongItself
      order = sources.indices.sorted { (sources[$1], $0) < (sources[$0], $1) }
      last = [UInt32](repeating: .max, count: sources.count)
    }

    mutating func link(_ target: UInt32, count: Int) {
      var left = count
      for index in waiting.indices.suffix(Self.mostTries).reversed() where left > 0 {
        guard take(waiting[index], target) else { continue }
        waiting.remove(at: index)
        left -= 1
      }
      while left > 0, let source = nextTurn() {
        if take(source, target) { left -= 1 } else { waiting.append(source) }
      }
    }

    private mutating func take(_ source: UInt32, _ target: UInt32) -> Bool {
      guard last[Int(source)] != target, !(isAmongItself && source == target) else { return false }
      last[Int(source)] = target
      pairs.append((source: source, target: target))
      return true
    }

    private mutating func nextTurn() -> UInt32? {
      if place == order.count || counts[order[place]] <= round { (round, place) = (round + 1, 0) }
      guard let first = order.first, counts[first] > round else { return nil }
      defer { place += 1 }
      return UInt32(order[place])
    }
  }

  /// Pairs objects as in a round-robin tournament.
  ///
  /// In round r, two objects are paired if the sum of their positions is r modulo the number of
  /// objects. No pair repeats while all objects take part.
  private struct MutualMatching {
    private static let mostTries = 256

    private var partners: [[UInt32]]
    private var waiting: [Int] = []

    init(_ counts: [UInt32]) {
      partners = [[UInt32]](repeating: [], count: counts.count)
      let order = counts.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
      var players = order.count
      var round = 0
      while true {
        while players > 0, Int(counts[order[players - 1]]) <= round { players -= 1 }
        guard players > 0 else { break }
        play(round, order.prefix(players))
        round += 1
      }
      settle()
    }

    var pairs: [(source: UInt32, target: UInt32)] {
      partners.indices.flatMap { source in
        partners[source].map { (source: UInt32(source), target: $0) }
      }
    }

    private mutating func play(_ round: Int, _ players: ArraySlice<Int>) {
      for place in players.indices {
        let other = (round % players.count - place + players.count) % players.count
        if place == other {
          waiting.append(players[place])
        } else if place < other, !meet(players[place], players[other]) {
          waiting += [players[place], players[other]]
        }
      }
    }

    private mutating func meet(_ one: Int, _ other: Int) -> Bool {
      guard one != other, !partners[one].contains(UInt32(other)) else { return false }
      partners[one].append(UInt32(other))
      partners[other].append(UInt32(one))
      return true
    }

    private mutating func settle() {
      while let one = waiting.popLast() {
        for index in waiting.indices.suffix(Self.mostTries).reversed()
        where meet(one, waiting[index]) {
          waiting.remove(at: index)
          break
        }
      }
    }
  }
}

import SQLite

/// Which points a case's launches are killed at.
package enum KillChoice: Hashable, Sendable {
  /// So many in all cases together, spread over each one's events.
  case count(Int, seed: UInt64)
  /// One in each case.
  case point(KillPoint)

  /// What says most first, for a case with few kills.
  private static let kinds: [FileEvent.Kind] = [
    .write, .sync, .commit, .rename, .marker, .folderSync, .delete, .truncate, .open,
  ]

  /// The points of one of several cases, whose events are known.
  ///
  /// Every kind of event has its turn, and each of a kind's points its own part of the run; half
  /// of them are signals, half losses of power.
  func points(
    of id: String,
    index: Int,
    among cases: Int,
    events: [FileEvent.Kind: Int]
  ) -> [KillPoint] {
    switch self {
    case .point(let point): return [point]
    case .count(let total, let seed):
      let count = total / cases + (index < total % cases ? 1 : 0)
      let kinds = Self.kinds.filter { events[$0, default: 0] > 0 }
      guard !kinds.isEmpty else { return [] }
      return (0..<count).map { number in
        // Cases with few kills begin with different kinds.
        let place = (number + index) % kinds.count
        let round = number / kinds.count
        let rounds = (count - number % kinds.count - 1) / kinds.count + 1
        var coins = SeededCoins(seed: seed, name: id, number: number)
        let all = events[kinds[place], default: 1]
        let (first, end) = (round * all / rounds, (round + 1) * all / rounds)
        let event = 1 + first + coins.number(below: UInt64(max(1, end - first)))
        // Short enough to be typed.
        let loss = KillPoint.Ending.powerLoss(seed: UInt64(coins.number(below: 100_000)))
        return KillPoint(
          before: FileEvent.Place(kinds[place], number: min(event, all)),
          ending: (place + round).isMultiple(of: 2) ? .signal : loss
        )
      }
    }
  }
}

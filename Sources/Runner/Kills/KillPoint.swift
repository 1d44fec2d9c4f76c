import SQLite

/// Where a launch is killed and how: `write:17` is by SIGKILL, `write:17:4711` by a loss of power
/// that the number decides.
package struct KillPoint: Hashable, Sendable {
  /// What it is killed just before.
  package let kind: FileEvent.Kind
  /// Which of its kind, counted from 1.
  package let number: Int
  package let ending: FaultPlan.Ending

  package init(before kind: FileEvent.Kind, number: Int, ending: FaultPlan.Ending) {
    self.kind = kind
    self.number = number
    self.ending = ending
  }

  /// Reads a point as it is written; `nil` for what is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || parts.count == 3, let kind = FileEvent.Kind(rawValue: parts[0]),
      let number = Int(parts[1]), number > 0
    else { return nil }
    guard parts.count == 3 else {
      self.init(before: kind, number: number, ending: .signal)
      return
    }
    guard let seed = UInt64(parts[2]) else { return nil }
    self.init(before: kind, number: number, ending: .powerLoss(seed: seed))
  }

  package var losesPower: Bool { ending != .signal }

  var plan: FaultPlan {
    FaultPlan(kill: FaultPlan.Kill(before: kind, number: number, ending: ending))
  }
}

extension KillPoint: CustomStringConvertible {
  package var description: String {
    switch ending {
    case .signal: "\(kind.rawValue):\(number)"
    case .powerLoss(let seed): "\(kind.rawValue):\(number):\(seed)"
    }
  }
}

/// Which points a case's launches are killed at.
package enum KillChoice: Hashable, Sendable {
  /// So many in all cases together, spread over each one's events.
  case count(Int, seed: UInt64)
  /// One in each case.
  case point(KillPoint)

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
      let kinds = FileEvent.Kind.allCases.filter { events[$0, default: 0] > 0 }
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
        let loss = FaultPlan.Ending.powerLoss(seed: UInt64(coins.number(below: 100_000)))
        return KillPoint(
          before: kinds[place],
          number: min(event, all),
          ending: (place + round).isMultiple(of: 2) ? .signal : loss
        )
      }
    }
  }
}

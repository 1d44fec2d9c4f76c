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

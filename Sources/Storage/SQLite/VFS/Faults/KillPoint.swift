/// Where a process is killed and how: `write:17` is by SIGKILL just before the 17th write,
/// `write:17:4711` by a loss of power that the last number decides.
package struct KillPoint: Codable, Hashable, Sendable {
  /// How the process ends.
  package enum Ending: Codable, Hashable, Sendable {
    /// By `SIGKILL`: the system still has all that was written.
    case signal
    /// By a loss of power: what was not synced is lost, or some of it, as the seed decides.
    case powerLoss(seed: UInt64)
  }

  /// What it is killed just before.
  package let event: FileEvent.Place
  package let ending: Ending

  package init(before event: FileEvent.Place, ending: Ending) {
    self.event = event
    self.ending = ending
  }

  /// Reads a point as it is written; `nil` for what is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || parts.count == 3, let kind = FileEvent.Kind(rawValue: parts[0]),
      let number = Int(parts[1]), number > 0
    else { return nil }
    event = FileEvent.Place(kind, number: number)
    guard parts.count == 3 else {
      ending = .signal
      return
    }
    guard let seed = UInt64(parts[2]) else { return nil }
    ending = .powerLoss(seed: seed)
  }

  package var losesPower: Bool { ending != .signal }
}

extension KillPoint: CustomStringConvertible {
  package var description: String {
    switch ending {
    case .signal: "\(event)"
    case .powerLoss(let seed): "\(event):\(seed)"
    }
  }
}

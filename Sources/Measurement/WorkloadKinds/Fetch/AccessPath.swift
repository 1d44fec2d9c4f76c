import PersistentStore

/// The places of a list that a case reads, in order, and which of them it follows a relationship
/// from.
struct AccessPath: Sendable {
  /// Rows that a phone shows at once, of the height of a task or a message.
  static let screen = 20
  /// Screens of a random jump after the first one.
  static let jumps = 10

  let pattern: FetchParameters.AccessPattern
  let touchedShare: Double
  let seed: UInt64

  /// The ranges of places among so many objects; the first one is the first screen.
  func ranges(count: Int) -> [Range<Int>] {
    let first = 0..<min(Self.screen, count)
    switch pattern {
    case .none: return []
    case .firstScreen: return [first]
    case .scrollAll: return [first, first.upperBound..<count]
    case .randomJump:
      let starts = max(1, count - Self.screen + 1)
      return [first]
        + (0..<Self.jumps).map { jump in
          let start = Int(Mixing.spread(seed &+ UInt64(jump)) % UInt64(starts))
          return start..<min(start + Self.screen, count)
        }
    }
  }

  /// Whether the relationship of the n-th object read, from 0, is followed: evenly spread.
  func isTouched(_ number: Int) -> Bool {
    guard touchedShare > 0 else { return false }
    return (Double(number + 1) * touchedShare).rounded(.down)
      > (Double(number) * touchedShare).rounded(.down)
  }
}

import DataModel

extension YAMLValue {
  /// A share from 0 to 1.
  func share() -> Double? {
    guard let share = number() else { return nil }
    guard (0...1).contains(share) else {
      report("\(name) must be from 0 to 1, not \(share)")
      return nil
    }
    return share
  }
}

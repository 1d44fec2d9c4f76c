/// What a live comparison says of the time of one case; changes are head over base less 1.
package enum LiveVerdict: Hashable, Sendable {
  /// The sides differ; below the policy's floor it is reported and fails nothing.
  case changed(estimate: Double, interval: ChangeInterval, isBelowFloor: Bool)
  /// A change of `wouldHaveSeen` or more, in either direction, is excluded at the equivalence level.
  case unchanged(wouldHaveSeen: Double, interval: ChangeInterval)
  /// The blocks so far decide nothing.
  case cannotTell(Shortfall)

  /// Whether nothing is left to find out.
  package var isDecided: Bool {
    if case .cannotTell = self { false } else { true }
  }

  /// Whether the case got slower by the floor or more: what fails a comparison.
  package var isRegression: Bool {
    if case .changed(let estimate, _, false) = self { estimate > 0 } else { false }
  }
}

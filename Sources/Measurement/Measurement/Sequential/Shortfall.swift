/// What an undecided case lacks.
package struct Shortfall: Hashable, Sendable {
  /// About as many more blocks as a verdict needs; `nil` before there is anything to estimate from.
  package var blocks: Int?
  /// The time for them, at the mean time of the case's blocks so far.
  package var seconds: Double?
  /// The robust standard deviation of the block's log ratio; `nil` with fewer than two blocks.
  package var scale: Double?
  /// The change that a suite's test finds in 80 % with as many blocks as there are, as head over
  /// base less 1; `nil` where no change could be found with so few.
  package var detectable: Double?

  package init(blocks: Int?, seconds: Double?, scale: Double?, detectable: Double?) {
    self.blocks = blocks
    self.seconds = seconds
    self.scale = scale
    self.detectable = detectable
  }

  /// Whether a verdict is not to be had on this machine: it needs a multiple of the whole budget.
  package func isOutOfReach(budget seconds: Double, policy: LivePolicy) -> Bool {
    (self.seconds ?? 0) > policy.outOfReach * seconds
  }
}

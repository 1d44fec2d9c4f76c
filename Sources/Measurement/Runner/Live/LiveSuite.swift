import Measurement

/// Cases that are compared together, under one error rate and within one budget.
package struct LiveSuite: Sendable {
  package var cases: [LiveCase]
  package var policy: LivePolicy
  package var slicing: Slicing
  /// Seconds for all cases together.
  package var budget: Double
  /// Decides every coin.
  package var seed: UInt64

  package init(
    cases: [LiveCase],
    policy: LivePolicy = LivePolicy(),
    slicing: Slicing = Slicing(),
    budget: Double = 600,
    seed: UInt64 = 1
  ) {
    self.cases = cases
    self.policy = policy
    self.slicing = slicing
    self.budget = budget
    self.seed = seed
  }
}

/// How finely the two sides of a block are interleaved.
package struct Slicing: Hashable, Sendable {
  /// Seconds that a slice is to take: noise wanders on a scale of 20 ms and more, and many short
  /// slices even out more of it than few long ones.
  package var target: Double
  /// Pairs of slices in a block, one of each side.
  ///
  /// More of them hardly help: what is left then is how the addresses of two processes happen to
  /// lie, which only further blocks even out.
  package var pairs: Int
  /// Pairs before them that do not count, of cases that only read.
  package var warmUps: Int

  package init(target: Double = 0.003, pairs: Int = 12, warmUps: Int = 3) {
    self.target = target
    self.pairs = pairs
    self.warmUps = warmUps
  }

  /// One slice of each side.
  struct Turn {
    /// Whether the side that began the block comes second.
    var isReversed: Bool
    /// Whether it comes after the slices that warm up.
    var counts: Bool
  }

  /// A b, b a, a b …: every other slice of a side follows one of its own and finds its data in the
  /// processor's caches, for both sides alike.
  var turns: [Turn] {
    (-warmUps..<pairs).map { Turn(isReversed: !$0.isMultiple(of: 2), counts: $0 >= 0) }
  }

  /// For cases of microseconds: most of a block is then the start of its processes.
  package static let micro = Slicing(target: 0.001, pairs: 8, warmUps: 2)

  /// Beyond this a slice has seen too much of what comes and goes on the machine; seconds.
  static let coarse = 0.02
}

/// What a live comparison of two sides has found, with all that its verdicts were made of.
package struct LiveResult: Hashable, Sendable {
  package static let currentVersion = 1

  /// The sides by name; a change is that of the head against the base.
  package var base: String
  package var head: String
  /// Decides every coin.
  package var seed: UInt64
  /// Seconds for all cases together, as they were given and as they were spent on blocks.
  package var budget: Double
  package var seconds: Double
  package var policy: LivePolicy
  package var isInterrupted: Bool
  package var cases: [LiveCaseResult]
  /// IDs of cases that only one side has.
  package var onlyInBase: [String] = []
  package var onlyInHead: [String] = []
  /// Where the head was measured; `nil` where nobody asked.
  package var environment: Environment?

  package init(
    base: String,
    head: String,
    seed: UInt64,
    budget: Double,
    seconds: Double,
    policy: LivePolicy,
    isInterrupted: Bool,
    cases: [LiveCaseResult]
  ) {
    self.base = base
    self.head = head
    self.seed = seed
    self.budget = budget
    self.seconds = seconds
    self.policy = policy
    self.isInterrupted = isInterrupted
    self.cases = cases
  }

  /// The exit status: 1 a case failed, 2 one got slower by the floor or more, 3 cannot tell (where
  /// asked for), else 0.
  package func exitStatus(requiresVerdict: Bool = false) -> Int32 {
    if cases.contains(where: \.hasFailed) { return 1 }
    let verdicts = cases.compactMap(\.verdict)
    if verdicts.contains(where: \.isRegression) { return 2 }
    return requiresVerdict && verdicts.contains { !$0.isDecided } ? 3 : 0
  }
}

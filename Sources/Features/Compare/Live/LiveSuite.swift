import Basics
import Runner
import SQLite

/// Cases that are compared together, under one error rate and within one budget.
package struct LiveSuite: Sendable {
  package var cases: [LiveCase]
  package var policy: LivePolicy
  package var slicing: Slicing
  /// Seconds for all cases together.
  package var budget: Double
  /// Random seed of the side assignments.
  package var seed: UInt64

  /// A new seed from the system, so that no two comparisons share their side assignments.
  ///
  /// The guarantee over runs rests on it. Below 2^53, which every reader of JSON takes exactly.
  package static func freshSeed() -> UInt64 { UInt64.random(in: 0..<1 << 53) }

  package init(
    cases: [LiveCase],
    policy: LivePolicy = LivePolicy(),
    slicing: Slicing = Slicing(),
    budget: Double = 600,
    seed: UInt64
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
  package struct Turn {
    /// Whether the side that began the block comes second.
    package var isReversed: Bool
    /// Whether it comes after the slices that warm up.
    package var counts: Bool
  }

  /// A b, b a, a b …: every other slice of a side follows one of its own and finds its data in the
  /// processor's caches, for both sides alike.
  package var turns: [Turn] {
    (-warmUps..<pairs).map { Turn(isReversed: !$0.isMultiple(of: 2), counts: $0 >= 0) }
  }

  /// For cases of microseconds: most of a block is then the start of its processes.
  package static let micro = Slicing(target: 0.001, pairs: 8, warmUps: 2)

  /// Beyond this a slice has seen too much of what comes and goes on the machine; seconds.
  static let coarse = 0.02
}

/// The program that runs one side's slices.
package struct LiveWorker: Hashable, Sendable {
  /// The side as messages name it.
  package var name: String
  package var executable: String
  /// What makes the program a worker in lock-step; the version of the protocol follows.
  package var arguments: [String]
  /// Variables of its environment, such as the loader's library path.
  package var variables: [String: String]
  /// The SQLite sources that it must run with; `nil` where any will do.
  package var sqliteSourceID: String?

  package init(
    name: String,
    executable: String,
    arguments: [String] = ["worker", "--lockstep"],
    variables: [String: String] = [:],
    sqliteSourceID: String? = nil
  ) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.variables = variables
    self.sqliteSourceID = sqliteSourceID
  }
}

/// What one side of a case does.
package struct LiveArm: Sendable {
  package var file: WorkloadFile
  package var planned: Case
  package var worker: LiveWorker
  /// The share by which its slices are made longer: a planted regression.
  package var slowdown = 0.0

  package init(file: WorkloadFile, planned: Case, worker: LiveWorker) {
    (self.file, self.planned, self.worker) = (file, planned, worker)
  }
}

/// Two arms that are held against each other.
package struct LiveCase: Sendable {
  /// The head's ID; it also names the case's coins.
  package var id: String
  package var base: LiveArm
  package var head: LiveArm

  package init(id: String, base: LiveArm, head: LiveArm) {
    self.id = id
    self.base = base
    self.head = head
  }

  /// Where both sides of a block run, unless what they do is to have several processors.
  package var sharedProcessor: SharedProcessor? {
    [base, head].contains(where: \.planned.traits.isConcurrent) ? nil : .current
  }
}

/// Why one case of two sides cannot be compared; a ``Refusal`` concerns all cases of a side.
package enum LiveError: ErrorWithStatus, Equatable, CustomStringConvertible {
  /// The work or its verification failed.
  case failed(String)

  package var status: CommandStatus { .badInput }
  package var description: String {
    switch self {
    case .failed(let cause): cause
    }
  }
}

extension Refusal {
  /// A program that takes no turns, or takes them otherwise.
  static func otherProtocol(worker: String, detail: String) -> Refusal {
    .badInput(
      "'\(worker)' does not support version \(LockstepFrame.version) of the worker protocol "
        + "(\(detail)): build it from sources of this version"
    )
  }

  static func invalidSide(_ side: String, problem: String) -> Refusal {
    .badInput("'--against \(side)' \(problem)")
  }

  static func unusable(_ path: String, problem: String) -> Refusal {
    .badInput("'\(path)' \(problem)")
  }
}

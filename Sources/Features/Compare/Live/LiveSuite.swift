import Basics
import Runner
import SQLite

/// The cases of one live comparison, which share an error rate and a time budget.
package struct LiveSuite: Sendable {
  package var cases: [LiveCase]
  package var policy: LivePolicy
  package var slicing: Slicing
  /// The time budget for all cases together, in seconds.
  package var budget: Double
  /// The random seed of the side assignments.
  package var seed: UInt64

  /// Returns a new random seed from the system, so that no two comparisons share their side
  /// assignments.
  ///
  /// The error rate across runs requires independent assignments. The seed is below 2^53, so that
  /// every JSON reader reads it exactly.
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

/// The interleaving of the two sides within a block, the unit of a live comparison.
package struct Slicing: Hashable, Sendable {
  /// The target duration of a slice (a short timed part of a block), in seconds.
  ///
  /// Noise varies on a scale of 20 ms and more, so many short slices average it out better than a
  /// few long slices.
  package var target: Double
  /// The number of slice pairs per block, each with one slice per side.
  ///
  /// More pairs hardly help: the remaining noise comes from the memory layout of the two processes,
  /// which only more blocks average out.
  package var pairs: Int
  /// The number of uncounted slice pairs that come first in a block, for read-only cases.
  package var warmUps: Int

  package init(target: Double = 0.003, pairs: Int = 12, warmUps: Int = 3) {
    self.target = target
    self.pairs = pairs
    self.warmUps = warmUps
  }

  /// A pair of slices, one per side.
  package struct Turn {
    /// Whether the order is reversed, so that the side that began the block runs second.
    package var isReversed: Bool
    /// Whether the pair counts, because it follows the warm-up pairs.
    package var counts: Bool
  }

  /// The order of the slices: a b, b a, a b, and so on.
  ///
  /// Every second slice of a side directly follows a slice of the same side and finds its data in
  /// the processor's caches. Both sides benefit equally.
  package var turns: [Turn] {
    (-warmUps..<pairs).map { Turn(isReversed: !$0.isMultiple(of: 2), counts: $0 >= 0) }
  }

  /// The slices for cases that take microseconds.
  ///
  /// In such cases, starting the processes takes up most of a block's time.
  package static let micro = Slicing(target: 0.001, pairs: 8, warmUps: 2)

  /// The duration in seconds above which slices no longer average out the machine's varying load.
  static let coarse = 0.02
}

/// The program that runs one side's slices.
package struct LiveWorker: Hashable, Sendable {
  /// The name of the side in messages.
  package var name: String
  package var executable: String
  /// The arguments that make the program a lockstep worker, which runs slices on request; the
  /// protocol version follows them.
  package var arguments: [String]
  /// Environment variables to set, such as the loader's library path.
  package var variables: [String: String]
  /// The source ID of the SQLite library that the worker must use; `nil` if any version will do.
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

/// The work of one side of a case: its workload file, parameters and program.
package struct LiveArm: Sendable {
  package var file: WorkloadFile
  package var planned: Case
  package var worker: LiveWorker
  /// The share by which each slice is lengthened to simulate a regression.
  package var slowdown = 0.0

  package init(file: WorkloadFile, planned: Case, worker: LiveWorker) {
    (self.file, self.planned, self.worker) = (file, planned, worker)
  }
}

/// A case with the work of both sides.
package struct LiveCase: Sendable {
  /// The ID of the head's case, which also seeds the case's side assignments.
  package var id: String
  package var base: LiveArm
  package var head: LiveArm

  package init(id: String, base: LiveArm, head: LiveArm) {
    self.id = id
    self.base = base
    self.head = head
  }

  /// The processor on which both sides of a block run, or `nil` if their work needs several
  /// processors.
  package var sharedProcessor: SharedProcessor? {
    [base, head].contains(where: \.planned.traits.isConcurrent) ? nil : .current
  }
}

/// The reason why the two sides of a single case cannot be compared; a ``Refusal`` instead concerns
/// all cases of a side.
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
  /// The refusal for a program without the lockstep protocol (slices run on request), or with
  /// another version of it.
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

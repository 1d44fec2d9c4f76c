import Basics
import Foundation
import Runner

/// Measures ladders, the cases by turns, each run in a worker process.
///
/// What was measured is kept after every run, so that a ladder that was interrupted goes on.
package struct LadderRun {
  /// The observations of one case.
  package struct Outcome: Sendable {
    package let name: String
    /// The data and the safeguards that the case ends with.
    package let goal: String
    /// Whether no app can ship what the case does.
    package let isLowerBound: Bool
    /// The word for what the framework does without the app's code; `nil` for any other way.
    package let frameworkWay: String?
    /// What the case assumes of Apple's code and could assume otherwise.
    package let assumptions: [Behaviour]
    /// The objects of a batch, if the migration works in batches.
    package let batchSize: Int?
    /// In the order in which they were made.
    package let observations: [Observation]
    /// Why a run failed, which ends the case's ladder; `nil` if none did.
    package let failure: String?

    package init(
      name: String,
      goal: String = "",
      isLowerBound: Bool = false,
      frameworkWay: String? = nil,
      assumptions: [Behaviour] = [],
      batchSize: Int? = nil,
      observations: [Observation],
      failure: String?
    ) {
      (self.name, self.goal, self.isLowerBound) = (name, goal, isLowerBound)
      (self.frameworkWay, self.assumptions) = (frameworkWay, assumptions)
      self.batchSize = batchSize
      self.observations = observations
      self.failure = failure
    }

    /// What was observed of a planned case.
    package init(_ ladderCase: LadderCase, observations: [Observation], failure: String?) {
      let traits = ladderCase.planned.traits
      self.init(
        name: ladderCase.name,
        goal: ladderCase.goal,
        isLowerBound: traits.isLowerBound,
        frameworkWay: traits.frameworkWay,
        assumptions: traits.behaviours.filter {
          $0.evidence == .assumed && $0.alternatives?.isEmpty == false
        },
        batchSize: ladderCase.batchSize,
        observations: observations,
        failure: failure
      )
    }
  }

  package let cases: [LadderCase]
  package let design: LadderDesign
  package let environment: Environment
  package let stores: any StoreProvider
  package let executor: any TrialExecutor
  package let scratch: ScratchFolder
  /// Where generated stores are, and where observations are kept.
  package let cacheFolder: String
  package let keepFolder: String
  /// Adds up how the time is spent.
  package let times: TimeSpent
  /// Those of every size, until the disk becomes full.
  private let startingStores = StartingStores(capacity: 100)
  /// Read before and after each run.
  var yardstick = Yardstick()
  package let isStopped: @Sendable () -> Bool
  package let events: (LadderProgress) -> Void

  package init(
    cases: [LadderCase],
    design: LadderDesign,
    environment: Environment,
    stores: any StoreProvider,
    executor: any TrialExecutor,
    scratch: ScratchFolder,
    cacheFolder: String,
    keepFolder: String,
    times: TimeSpent = TimeSpent(),
    isStopped: @escaping @Sendable () -> Bool = { false },
    events: @escaping (LadderProgress) -> Void = { _ in }
  ) {
    self.cases = cases
    self.design = design
    self.environment = environment
    self.stores = stores
    self.executor = executor
    self.scratch = scratch
    self.cacheFolder = cacheFolder
    self.keepFolder = keepFolder
    self.times = times
    self.isStopped = isStopped
    self.events = events
  }

  /// Measures what is not kept already.
  ///
  /// - Throws: ``Refusal/interrupted`` when told to stop, and whatever keeps a store from being
  ///   made or an observation from being kept; a run that fails ends its case's ladder alone.
  package func perform() throws -> [Outcome] {
    let turns = design.turns
    var files = try cases.map { try file(of: $0) }
    var failures: [Int: String] = [:]
    var progress = LadderProgress(turns: turns, cases: cases.count)
    for (number, turn) in turns.enumerated() {
      for file in files where file.kept[number] != nil { progress.skip(turn) }
    }
    for (number, turn) in turns.enumerated() {
      for offset in cases.indices {
        // Whoever goes first changes from turn to turn.
        let index = (offset + number) % cases.count
        guard files[index].kept[number] == nil else { continue }
        guard failures[index] == nil else {
          progress.skip(turn)
          continue
        }
        progress.start(turn, of: cases[index].name)
        events(progress)
        let (observation, failure) = try observe(cases[index], turn)
        if let observation {
          try files[index].keep(observation, turn: number)
        } else {
          failures[index] = "at \(turn.objects.grouped) objects: \(failure)"
        }
        progress.finish(turn)
      }
    }
    return cases.indices.map {
      Outcome(cases[$0], observations: files[$0].observations, failure: failures[$0])
    }
  }

  /// The observations that are kept, without measuring any.
  ///
  /// - Throws: whatever keeps a case's model or recipe from being read.
  package func kept() throws -> [Outcome] {
    try cases.map { Outcome($0, observations: try file(of: $0).observations, failure: nil) }
  }

  /// Deletes the cached measurements of the cases, so that they are measured again.
  ///
  /// - Throws: ``Refusal/cannotWrite(_:reason:)``, and what reading the recipe throws.
  package func forget() throws {
    for ladderCase in cases { try file(of: ladderCase).remove() }
  }

  /// The observation of a run, or why there is none.
  private func observe(
    _ ladderCase: LadderCase,
    _ turn: LadderDesign.Turn
  ) throws -> (observation: Observation?, failure: String) {
    let workload = try ladderCase.resized(to: turn)
    let paced = PacedExecutor(executor, yardstick)
    let run = Run(
      plan: Plan(workloads: [workload]),
      environment: environment,
      stores: stores,
      executor: paced,
      scratch: scratch,
      isProfiled: false,
      startingStores: startingStores,
      times: times,
      isStopped: isStopped
    )
    let document = try run.perform()
    guard let result = document.workloads.first, let measured = result.cases.first else {
      return (nil, "it returned no result")
    }
    if case .failed(let cause) = measured.outcome { return (nil, cause) }
    return (
      Observation(measured, of: result.store, turn, paced.lastReading),
      "its time is too short to be measured"
    )
  }

  private func file(of ladderCase: LadderCase) throws -> LadderFile {
    let key = try ladderCase.key(on: environment, cacheFolder: cacheFolder)
    let name = ladderCase.workload.file.name.split(separator: "/").joined(separator: "-")
    return LadderFile(path: "\(keepFolder)/\(name)-\(key).json", design: design)
  }
}

/// How far a ladder is.
package struct LadderProgress: Hashable, Sendable {
  /// Runs done and all runs, those that were kept before left out.
  package private(set) var done = 0
  package private(set) var total: Int
  /// What is being measured.
  package private(set) var current = ""
  private var workDone = 0.0
  private var workLeft: Double

  /// What a run costs beside its objects: a process, a copy, a verification.
  private static let objectsOfARun = 5000.0

  init(turns: [LadderDesign.Turn], cases: Int) {
    total = turns.count * cases
    workLeft = turns.reduce(0) { $0 + Self.work($1) } * Double(cases)
  }

  mutating func skip(_ turn: LadderDesign.Turn) {
    total -= 1
    workLeft -= Self.work(turn)
  }

  mutating func start(_ turn: LadderDesign.Turn, of name: String) {
    current = "\(turn.objects.grouped) objects, \(name)"
  }

  mutating func finish(_ turn: LadderDesign.Turn) {
    done += 1
    workDone += Self.work(turn)
    workLeft -= Self.work(turn)
  }

  /// Seconds that it may still take, from those it has taken; `nil` before the first run is done.
  package func remaining(after elapsed: Double) -> Double? {
    workDone > 0 ? elapsed / workDone * max(workLeft, 0) : nil
  }

  /// The progress in a line, the estimate first: a terminal cuts long names off.
  package func text(after elapsed: Double) -> String {
    let left = remaining(after: elapsed).map { " about \(Figures.seconds($0, .rough)) left," } ?? ""
    return "[\(done + 1)/\(total)]\(left) \(current)"
  }

  private static func work(_ turn: LadderDesign.Turn) -> Double {
    Double(turn.objects) + objectsOfARun
  }
}

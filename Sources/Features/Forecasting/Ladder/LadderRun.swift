import Basics
import Foundation
import Runner

/// Measures the ladders (runs on stores of increasing size) of several cases alternately, each run
/// in a worker process.
///
/// Every run is saved when it is done, so that an interrupted ladder can continue.
package struct LadderRun {
  /// The observations of one case.
  package struct Outcome: Sendable {
    package let name: String
    /// The goal of the case: its final data and its safeguards, such as a backup.
    package let goal: String
    /// Whether the case's cost is only a lower bound, because no app can ship the case.
    package let isLowerBound: Bool
    /// The name of the way in which Core Data's own migration works; `nil` if the app's code
    /// migrates.
    package let frameworkWay: String?
    /// The assumptions about Apple's code that have alternatives.
    package let assumptions: [Behaviour]
    /// The number of objects per batch, if the migration works in batches.
    package let batchSize: Int?
    /// The observations in the order in which they were made.
    package let observations: [Observation]
    /// The reason why a run failed, which ends the case's ladder; `nil` if no run failed.
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

    /// Creates the outcome of a planned case.
    package init(_ ladderCase: LadderCase, observations: [Observation], failure: String?) {
      let traits = ladderCase.planned.traits
      self.init(
        name: ladderCase.name,
        goal: traits.goal,
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
  /// The folders in which generated stores and observations are kept.
  package let cacheFolder: String
  package let keepFolder: String
  /// Records how much time each part of the work takes.
  package let times: TimeSpent
  /// The starting stores of all sizes, which are kept until the disk becomes full.
  private let startingStores = StartingStores(capacity: 100)
  /// The yardstick, a fixed piece of work that is measured before and after each run to detect
  /// changes in the machine's speed.
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

  /// Makes the measurements that are not cached.
  ///
  /// - Throws: ``Refusal/interrupted`` if the user interrupts the run, and any error from making a
  ///   store or saving an observation. A failed run does not throw; it ends the ladder of its case.
  package func perform() throws -> [Outcome] {
    let turns = design.turns
    let paced = PacedExecutor(executor, read: yardstick.read)
    var files = try cases.map { try file(of: $0) }
    var failures: [Int: String] = [:]
    var progress = LadderProgress(turns: turns, cases: cases.count)
    for (number, turn) in turns.enumerated() {
      for file in files where file.kept[number] != nil { progress.skip(turn) }
    }
    // Start each turn (one run of every case) with a different case.
    let runs = turns.indices.flatMap { number in
      cases.indices.map { (number, ($0 + number) % cases.count) }
    }.filter { number, index in files[index].kept[number] == nil }
    for (place, (number, index)) in runs.enumerated() {
      let turn = turns[number]
      guard failures[index] == nil else {
        progress.skip(turn)
        continue
      }
      progress.start(turn, of: cases[index].name)
      events(progress)
      let next = runs[(place + 1)...].first { failures[$0.1] == nil }
      paced.prepare(next.map { cases[$0.1].limits })
      let (observation, failure) = try observe(cases[index], turn, paced)
      if let observation {
        try files[index].keep(observation, turn: number)
      } else {
        failures[index] = "at \(turn.objects.grouped) objects: \(failure)"
      }
      progress.finish(turn)
    }
    return cases.indices.map {
      Outcome(cases[$0], observations: files[$0].observations, failure: failures[$0])
    }
  }

  /// Returns the cached observations, without measuring.
  ///
  /// - Throws: Any error from reading a case's model or recipe.
  package func kept() throws -> [Outcome] {
    try cases.map { Outcome($0, observations: try file(of: $0).observations, failure: nil) }
  }

  /// Deletes the cached measurements of the cases, so that they are measured again.
  ///
  /// - Throws: ``Refusal/cannotWrite(_:reason:)``, and any error from reading the recipe.
  package func forget() throws {
    for ladderCase in cases { try file(of: ladderCase).remove() }
  }

  /// Makes a run; returns its observation, or the reason why the run failed.
  private func observe(
    _ ladderCase: LadderCase,
    _ turn: LadderDesign.Turn,
    _ paced: PacedExecutor
  ) throws -> (observation: Observation?, failure: String) {
    let workload = try ladderCase.resized(to: turn)
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
    switch measured.outcome {
    case .failed(let cause): return (nil, cause)
    case .failedAsExpected(let cause): return (nil, "refused as expected: \(cause)")
    case .passed:
      return (
        Observation(measured, of: result.store, turn, paced.lastReading),
        "its time is too short to be measured"
      )
    }
  }

  private func file(of ladderCase: LadderCase) throws -> LadderFile {
    let key = try ladderCase.key(on: environment, cacheFolder: cacheFolder)
    let name = ladderCase.workload.file.name.split(separator: "/").joined(separator: "-")
    return LadderFile(path: "\(keepFolder)/\(name)-\(key).json", design: design)
  }
}

/// The progress of a ladder.
package struct LadderProgress: Hashable, Sendable {
  /// The numbers of completed runs and of all runs, not counting runs that were cached.
  package private(set) var done = 0
  package private(set) var total: Int
  /// The current run in words.
  package private(set) var current = ""
  private var workDone = 0.0
  private var workLeft: Double

  /// The overhead of a run (process, copy and verification), expressed as a number of objects that
  /// would take as long to migrate.
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

  /// The estimated remaining time in seconds; `nil` before the first run is done.
  package func remaining(after elapsed: Double) -> Double? {
    workDone > 0 ? elapsed / workDone * max(workLeft, 0) : nil
  }

  /// The progress in one line, with the estimate first, because terminals truncate long names.
  package func text(after elapsed: Double) -> String {
    let left = remaining(after: elapsed).map { " about \(Figures.seconds($0, .rough)) left," } ?? ""
    return "[\(done + 1)/\(total)]\(left) \(current)"
  }

  private static func work(_ turn: LadderDesign.Turn) -> Double {
    Double(turn.objects) + objectsOfARun
  }
}

import Basics
import Foundation
import Generators
import PersistentStore
import SQLite

extension PlanDocument {
  /// Creates the document of a plan; the same files give the same document on every machine.
  ///
  /// - Throws: ``Refusal`` if a recipe or store cannot be read.
  package init(of plan: Plan, command: Command, machine: Requirement) throws {
    var tasks: [Task] = []
    var stores: [StoreSource: (store: Store, size: PlanEstimate.StoreSize)] = [:]
    var workloads: [Workload] = []
    for workload in plan.workloads {
      let file = workload.file
      let known = try stores[file.store] ?? Self.store(of: file)
      stores[file.store] = known
      workloads.append(Workload(workload, store: known.store))
      tasks += Self.tasks(of: workload, on: known.size, from: tasks.count + 1)
    }
    try self.init(command: command, machine: machine, workloads: workloads, tasks: tasks)
  }

  private static func tasks(
    of workload: PlannedWorkload,
    on store: PlanEstimate.StoreSize,
    from number: Int
  ) -> [Task] {
    let order = JobOrder(workload.cases)
    // Make a task of each group of cases that share starting stores, so that one machine makes each
    // starting store once for all of them.
    let groups = order.groups.map { $0.flatMap(\.cases) }
    return groups.enumerated().map { index, cases in
      let runs = cases.reduce(0) { $0 + workload.file.trials.processes(of: $1) }
      return Task(
        number: number + index,
        workload: workload.file.name,
        seconds: rounded(Double(runs) * PlanEstimate.seconds(ofTrialOn: store)),
        cases: cases.map { PlanDocument.Case(id: $0.id, endState: $0.traits.endState) }
      )
    }
  }

  private static func store(
    of file: WorkloadFile
  ) throws -> (store: Store, size: PlanEstimate.StoreSize) {
    switch file.store {
    case .recipe(let name, let reference):
      let recipe = try file.recipe ?? reference.read()
      // Assume that the store is not in the cache, so that the estimate is the same on every
      // machine.
      let bytes = try PlanEstimate.StoreSize.sampled(recipe)
      let size = PlanEstimate.StoreSize(bytes: bytes, isMade: false)
      let store = Store(
        source: name,
        seed: recipe.seed,
        digest: StoreCache(folder: "").key(of: recipe),
        bytes: bytes,
        seconds: rounded(PlanEstimate.seconds(toMake: size))
      )
      return (store, size)
    case .file(let path, _):
      let size = PlanEstimate.StoreSize(bytes: StoreFile(path: path).bytes, isMade: true)
      let store = Store(
        source: StoreFile(path: path).name,
        seed: nil,
        digest: CanonicalForm.digest(
          of: try StoreFingerprint.secureDigests(of: StoreFile(path: path))
        ),
        bytes: size.bytes,
        seconds: rounded(PlanEstimate.seconds(toMake: size))
      )
      return (store, size)
    }
  }

  /// Rounds seconds to milliseconds, so that sums are the same on every machine.
  private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  /// Describes the first difference between the plan and a newer plan, in a few words.
  package func change(to other: PlanDocument) -> String {
    let (before, after) = (Set(caseIDs), Set(other.caseIDs))
    if let lost = caseIDs.first(where: { !after.contains($0) }) { return "case '\(lost)' is gone" }
    if let new = other.caseIDs.first(where: { !before.contains($0) }) {
      return "case '\(new)' is new"
    }
    for (ours, theirs) in zip(workloads, other.workloads) where ours != theirs {
      let name = "of '\(ours.workload)' has changed"
      if ours.inputs != theirs.inputs {
        let files = Set(ours.inputs).symmetricDifference(theirs.inputs).map(\.file).min()
        return "'\(files ?? "")' \(name)"
      }
      return ours.store == theirs.store ? "a setting \(name)" : "the store \(name)"
    }
    return "the order or the predicted cost of the cases has changed"
  }
}

extension PlanDocument.Workload {
  fileprivate init(_ planned: PlannedWorkload, store: PlanDocument.Store) {
    let file = planned.file
    self.init(
      workload: file.name,
      kind: file.kind.name,
      store: store,
      settings: Dictionary(file.settings.pragmas.map { ($0.name, $0.value) }) { $1 },
      cache: file.trials.cache.rawValue,
      trials: file.trials.trials,
      iterations: file.trials.iterations,
      warmUps: file.trials.warmUps,
      timeLimit: file.trials.timeLimit,
      seed: file.trials.seed,
      defaults: file.shownDefaults,
      inputs: file.inputs,
      inquiry: file.inquiry
    )
  }
}

extension Plan {
  /// Returns the plan with only the cases of the given tasks.
  package func keeping(_ tasks: [PlanDocument.Task]) -> Plan {
    let ids = Set(tasks.flatMap(\.cases).map(\.id))
    return Plan(workloads: workloads.map { $0.keeping(ids) }, warnings: warnings)
  }
}

extension PlannedRun {
  /// The part of a plan that a run carries out.
  package struct Assignment: Sendable {
    package let document: PlanDocument
    package let run: PlannedRun

    package init(document: PlanDocument, run: PlannedRun) {
      self.document = document
      self.run = run
    }

    func note(
      _ result: WorkloadResult,
      after previous: WorkloadResult,
      in document: inout ResultDocument
    ) throws {
      let planned = self.document.workloads.first { $0.workload == result.workload }
      for result in Set(result.cases).subtracting(previous.cases) {
        let trials = planned?.trials ?? 0
        let attempt = try PlannedCase.Attempt(run: run.id, result: result, trials: trials)
        document.plan?.note(attempt, of: result.id)
      }
    }
  }
}

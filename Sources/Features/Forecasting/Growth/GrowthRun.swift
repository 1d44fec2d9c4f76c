import Basics
import Runner

/// Runs the cases of workload files that declare a growth, on stores of three sizes.
package struct GrowthRun {
  /// The sizes of the stores, as multiples of the number of objects in the workload's own store.
  package static let factors = [1, 4, 16]

  /// The results of a growth run.
  package struct Outcome: Sendable {
    package var fits: [GrowthFit] = []
    /// The cases that failed, with the size and the reason.
    package var failures: [String] = []
    /// Costs whose growth cannot be determined, such as those of concurrent work.
    package var notes: [String] = []
    /// The linear growth of each entity's number of objects, determined from the smallest and the
    /// largest store.
    package var shape = EntityShape(smaller: [:], larger: [:])

    package init() {}
  }

  private let plan: Plan
  private let perform: (Plan) throws -> ResultDocument

  /// Creates a run for those workload files of a plan that declare a growth (`grows`).
  ///
  /// The run measures a plan by calling `perform`.
  package init(_ plan: Plan, perform: @escaping (Plan) throws -> ResultDocument) {
    self.plan = Plan(workloads: plan.workloads.filter { !$0.file.grows.isEmpty })
    self.perform = perform
  }

  /// Returns the run for an earlier state of the files, with the growth that the current files
  /// declare.
  package func earlier(_ plan: Plan) -> GrowthRun {
    let declared = Dictionary(keepingFirst: self.plan.workloads.map { ($0.file.name, $0.file) })
    let workloads = plan.workloads.compactMap { workload -> PlannedWorkload? in
      guard let own = declared[workload.file.name] else { return nil }
      var file = workload.file
      file.grows = own.grows
      return workload.with(file)
    }
    return GrowthRun(Plan(workloads: workloads), perform: perform)
  }

  /// Whether no file declares a growth.
  package var isEmpty: Bool { plan.workloads.isEmpty }

  /// The number of case runs.
  package var count: Int { plan.caseCount * Self.factors.count }

  /// Measures all sizes.
  ///
  /// - Throws: Any error from making a store or running a plan.
  package func outcome() throws -> Outcome {
    var outcome = Outcome()
    var documents: [ResultDocument] = []
    for factor in Self.factors {
      let workloads = try plan.workloads.map { $0.with(try $0.file.grown(by: factor)) }
      documents.append(try perform(Plan(workloads: workloads)))
    }
    for workload in plan.workloads {
      let results = documents.compactMap { $0.workloadsByName[workload.file.name] }
      guard results.count == documents.count else { continue }
      if let first = results.first, let last = results.last, outcome.shape.entities.isEmpty {
        outcome.shape = EntityShape(smaller: first.store.objects, larger: last.store.objects)
      }
      for planned in workload.cases { add(planned, of: workload.file, results, to: &outcome) }
    }
    return outcome
  }

  private func add(
    _ planned: Case,
    of file: WorkloadFile,
    _ results: [WorkloadResult],
    to outcome: inout Outcome
  ) {
    var cases: [(objects: Int, result: CaseResult)] = []
    for result in results {
      guard let measured = result.casesByID[planned.id] else { return }
      let objects = result.store.objects.values.reduce(0, +)
      if case .failed(let reason) = measured.outcome {
        outcome.failures.append("\(planned.id), \(objects.grouped) objects: \(reason)")
        return
      }
      cases.append((objects, measured))
    }
    for (name, declared) in file.grows.sorted(by: { $0.key < $1.key }) {
      let samples = cases.compactMap { $0.result.sample(of: name) }
      let costs = samples.compactMap(\.repeatingTotal)
      guard costs.count == cases.count, let metric = samples.first?.metric, metric.isExact else {
        outcome.notes.append("\(planned.id) has no exact '\(name)' on every size")
        continue
      }
      let points = zip(cases, costs).map { measured, cost in
        GrowthFit.Point(
          objects: measured.objects,
          cost: cost,
          seconds: measured.result.sample(of: Metric.wallClock.name)?.median
        )
      }
      outcome.fits.append(
        GrowthFit(caseID: planned.id, metric: metric, declared: declared, points: points)
      )
    }
  }
}

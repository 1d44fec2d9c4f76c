import Basics
import Runner

/// A plan as `plan` prints it: the cases, what was left out and why, and what it needs.
package struct PlanListing {
  private let plan: Plan
  private let estimate: PlanEstimate
  private let freeBytes: Int64?
  private let width: Int

  /// - `freeBytes`: what the disk has left; `nil` where unknown.
  package init(plan: Plan, estimate: PlanEstimate, freeBytes: Int64?, width: Int) {
    self.plan = plan
    self.estimate = estimate
    self.freeBytes = freeBytes
    self.width = width
  }

  package var lines: [String] {
    plan.workloads.flatMap { [""] + lines(of: $0) }.dropFirst() + [""]
      + plan.remarkLines(width: width) + needs
  }

  private func lines(of workload: PlannedWorkload) -> [String] {
    let file = workload.file
    let count = Figures.counted(workload.cases.count, "case")
    let trials = Figures.counted(file.trials.trials, "trial")
    let repeats = file.trials.iterations > 1 ? " of \(file.trials.iterations) iterations" : ""
    let head =
      "\(file.name) · \(file.kind.name) · \(file.trials.cache.rawValue) · \(trials)"
      + "\(repeats) · \(count) · \(Self.name(of: file.store))"
    let dropped = workload.reasons(.values).flatMap {
      wrapped("\(Figures.counted($0.cells, "case")) not possible and left out: \($0.reason)")
    }
    var chosen: [String] = []
    for note in workload.cases.flatMap(\.notes) where !chosen.contains(note) {
      chosen.append(note)
    }
    let notes = chosen.flatMap { wrapped("· " + $0) }
    return TerminalText.wrapped(head, to: width) + notes
      + workload.cases.map { "  " + $0.id } + dropped
  }

  /// Lines below a workload's first one, whose own next lines stand further in.
  private func wrapped(_ text: String) -> [String] {
    TerminalText.hanging(text, to: width, indent: 2)
  }

  private static func name(of store: StoreSource) -> String {
    switch store {
    case .recipe(let name, _): name
    case .file(let path, _): path
    }
  }

  private var needs: [String] {
    let free = freeBytes.map { " of \(Figures.bytes($0, .rough)) free" } ?? ""
    return [
      "\(Figures.counted(plan.caseCount, "case")), \(estimate.trialCount) processes",
      "disk: about \(Figures.bytes(estimate.bytes, .rough))\(free), of which "
        + "\(Figures.bytes(estimate.newStoreBytes, .rough)) for stores that are kept",
      "time: about \(Figures.seconds(estimate.seconds, .rough)), estimated from the store sizes",
    ]
  }
}

extension Plan {
  /// The remarks on lines of a width; what is to be typed stays on one line.
  package func remarkLines(width: Int) -> [String] {
    remarks.flatMap { $0.hasPrefix(" ") ? [$0] : TerminalText.wrapped($0, to: width) }
  }
}

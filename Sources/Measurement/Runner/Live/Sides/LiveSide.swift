/// One side of a live comparison: what it runs, and the program that runs it.
package struct LiveSide: Sendable {
  package var plan: Plan
  package var worker: LiveWorker
  /// Parameters in which its cases differ from the other side's on purpose.
  package var ownParameters: Set<String> = []

  package init(plan: Plan, worker: LiveWorker, ownParameters: Set<String> = []) {
    self.plan = plan
    self.worker = worker
    self.ownParameters = ownParameters
  }
}

/// The cases that two sides share.
package struct LiveMatching: Sendable {
  package private(set) var cases: [LiveCase] = []
  /// IDs, in the order of each side's plan.
  package private(set) var onlyInBase: [String] = []
  package private(set) var onlyInHead: [String] = []

  /// Matches cases by their IDs; those of two single files by what follows the file's name, and
  /// where either has one case only, that one.
  ///
  /// - Throws: ``LiveError/nothingInCommon(base:example:)``
  package init(base: LiveSide, head: LiveSide) throws {
    let ignored = base.ownParameters
    let isOneFile = base.plan.workloads.count == 1 && head.plan.workloads.count == 1
    let key = { (file: WorkloadFile, planned: Case) in
      (isOneFile ? "" : file.name + "/") + planned.shownParameters.without(ignored).canonical
    }
    let arms = Self.arms(of: base)
    var byKey: [String: LiveArm] = [:]
    for arm in arms { byKey[key(arm.file, arm.planned)] = arm }
    let only = isOneFile && arms.count == 1 ? arms.first : nil
    var used: Set<String> = []
    for arm in Self.arms(of: head) {
      guard let other = byKey[key(arm.file, arm.planned)] ?? only else {
        onlyInHead.append(arm.planned.id)
        continue
      }
      used.insert(other.planned.id)
      cases.append(LiveCase(id: arm.planned.id, base: other, head: arm))
    }
    onlyInBase = arms.map(\.planned.id).filter { !used.contains($0) }
    guard !cases.isEmpty else {
      throw LiveError.nothingInCommon(base: base.worker.name, example: onlyInHead.first ?? "")
    }
  }

  private static func arms(of side: LiveSide) -> [LiveArm] {
    side.plan.workloads.flatMap { workload in
      workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: side.worker) }
    }
  }
}

import Foundation
import Measurement

/// Planted changes of the work, which exact counters must show.
///
/// Each is a workload file whose first case is the base, the second the head. One trial a side
/// tells, since exact counters repeat.
struct PlantedCounters {
  private let plan: Plan
  private let worker: LiveWorker
  private let stores: LiveStores
  private let executor: WorkerProcess

  init(
    plan: Plan,
    worker: LiveWorker,
    stores: LiveStores,
    isStopped: @escaping @Sendable () -> Bool
  ) {
    self.plan = plan
    self.worker = worker
    self.stores = stores
    executor = WorkerProcess(executable: worker.executable, isStopped: isStopped)
  }

  /// Everything that is to be looked for, in the order of the files.
  var all: [SelftestReport.Planted] {
    plan.workloads.map { workload in
      SelftestReport.Planted(name: workload.file.name, words: Self.words(of: workload.file))
    }
  }

  /// Looks for one of them, by its name.
  func look(for planted: SelftestReport.Planted) throws -> SelftestReport.Planted {
    var planted = planted
    guard let workload = plan.workloads.first(where: { $0.file.name == planted.name }),
      workload.cases.count == 2
    else {
      planted.failure = "its workload file must have two cases"
      return planted
    }
    do {
      let arms = workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: worker) }
      let base = try costs(of: arms[0], padding: 0)
      planted.repeats = try costs(of: arms[0], padding: 1711) == base
      let head = try costs(of: arms[1], padding: 0)
      let risen = head.filter { name, taken in taken.value > (base[name]?.value ?? 0) }
      let growth = { (taken: TakenMeasurement) in taken.value / max(base[taken.name]?.value ?? 0, 1)
      }
      let largest = risen.values.max { (growth($0), $1.name) < (growth($1), $0.name) }
      if let largest {
        planted.metric = largest.metric
        planted.base = base[largest.name]?.value ?? 0
        planted.head = largest.value
      }
    } catch LiveError.failed(let cause) {
      planted.failure = cause
    }
    return planted
  }

  /// The exact costs of one trial, by name.
  private func costs(of arm: LiveArm, padding: Int) throws -> [String: TakenMeasurement] {
    let request = TrialRequest(
      kind: arm.file.kind.kind,
      parameters: arm.planned.allParameters,
      trial: try stores.trial(of: arm, at: .first)
    )
    let limits = TrialLimits(time: arm.file.trials.timeLimit, environmentPadding: padding)
    let response = try executor.execute(request, within: limits)
    if case .failed(let cause) = response.outcome { throw LiveError.failed(cause) }
    let exact = (response.iterations.first ?? []).filter { $0.isExact && $0.direction == .cost }
    return Dictionary(exact.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The comment that the file begins with, up to its first full stop.
  private static func words(of file: WorkloadFile) -> String {
    let text = (try? String(contentsOfFile: file.path, encoding: .utf8)) ?? ""
    let comment = text.split(separator: "\n").prefix { $0.hasPrefix("#") }
      .map { $0.drop { "# ".contains($0) } }.joined(separator: " ")
    return comment.split(separator: ".").first.map(String.init) ?? file.name
  }
}

import ArgumentParser
import Foundation
import PersistentStore
import Runner
import WorkloadKinds

/// A workload whose log is replayed on stores of other sizes, where the workload itself also runs.
struct ReplayBenchCase {
  let name: String
  private let workload: String
  /// Whether ten times the objects mean ten times the work for the workload, as for its replay.
  let growsAsReplayed: Bool

  private init(_ name: String, growsAsReplayed: Bool = true, _ workload: String) {
    (self.name, self.growsAsReplayed, self.workload) = (name, growsAsReplayed, workload)
  }

  static let tasks = 1000

  /// All cases: those used to explain errors, then those defined before they were measured.
  static let all = known + unseen

  /// Lists, searches and jumps whose results influenced no design choice.
  private static let unseen = [
    ReplayBenchCase(
      "subtasks prefetched",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isCompleted == 0, prefetch: [subtasks], relationship: subtasks, touchedShare: 1 }
      """
    ),
    ReplayBenchCase(
      "category of each open task",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isCompleted == 0, relationship: category, touchedShare: 1 }
      """
    ),
    ReplayBenchCase(
      "newest thirty open tasks",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isCompleted == 0, sort: [-createdAt], limit: 30 }
      """
    ),
    ReplayBenchCase(
      "open tasks counted",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isCompleted == 0, strategy: count }
      """
    ),
    ReplayBenchCase(
      "subtasks one by one",
      """
      kind: fetch
      parameters: { entity: Subtask, strategy: faults, predicate: isCompleted == 0 }
      """
    ),
  ]

  private static let known = [
    ReplayBenchCase(
      "list in batches",
      """
      kind: fetch
      parameters: { entity: Task, strategy: batched, batchSize: 20, sort: [createdAt] }
      """
    ),
    ReplayBenchCase(
      "project of each flagged task",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isFlagged == 1, relationship: project, touchedShare: 1 }
      """
    ),
    ReplayBenchCase(
      "subtasks of each flagged task",
      """
      kind: fetch
      parameters: { entity: Task, predicate: isFlagged == 1, relationship: subtasks, touchedShare: 1 }
      """
    ),
    ReplayBenchCase(
      "latest fifty of a table",
      """
      kind: fetch
      parameters: { entity: Task, sort: [-modifiedAt], limit: 50 }
      """
    ),
    ReplayBenchCase(
      "a project is deleted",
      growsAsReplayed: false,
      """
      kind: cascadeDelete
      parameters: { shape: own, entity: Project, share: 0.2 }
      """
    ),
  ]

  private var fileName: String { name.replacing(" ", with: "-") }

  func writeWorkload(tasks: Int, in folder: String) throws -> String {
    try write(workload, tasks: tasks, to: "\(folder)/\(fileName)-\(tasks).yaml")
  }

  func writeReplay(of log: String, tasks: Int, in folder: String) throws -> String {
    try write(
      """
      kind: replay
      parameters: { log: '\(log)', values: mapped, scale: \(Double(tasks) / Double(Self.tasks)) }
      """,
      tasks: tasks,
      to: "\(folder)/\(fileName)-\(tasks)-replay.yaml"
    )
  }

  func logPath(in folder: String) -> String { "\(folder)/\(fileName).log" }

  private func write(_ text: String, tasks: Int, to path: String) throws -> String {
    let recipe = URL(fileURLWithPath: "Workloads/recipes/tasks.yaml").path
    let store = "store: { recipe: '\(recipe)', objects: { Task: \(tasks) } }\n"
    let trials = "trials: { trials: 1, iterations: 1, warmUps: 0 }\n"
    try Data((text + "\n" + store + trials).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }
}

struct ReplayBenchRunner {
  let folder: String
  let executor: any TrialExecutor
  let scratch: ScratchFolder
  let stores: StoreLibrary
  let environment: Environment

  func run(_ path: String, log: String? = nil) throws -> [String: Double] {
    let document = try Run(
      plan: try Plan(paths: [path], kinds: WorkloadCatalog.kinds),
      environment: environment,
      stores: stores,
      executor: executor,
      scratch: scratch,
      isProfiled: false,
      log: log.map { SQLDebugWriter.Options(path: $0) }
    ).perform()
    guard let found = document.workloads.first?.cases.first else {
      throw ValidationError("'\(path)' has no case")
    }
    if case .failed(let cause) = found.outcome { throw ValidationError("'\(path)': \(cause)") }
    let values = found.samples.compactMap { sample in
      sample.trials.first?.first.map { (sample.metric.name, $0) }
    }
    return Dictionary(values) { $1 }
  }
}

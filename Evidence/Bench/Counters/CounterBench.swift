import ArgumentParser
import Basics
import Foundation
import Runner
import WorkloadKinds

struct CounterBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counters",
    abstract: "Check whether the counters of every case repeat to the last digit.",
    discussion: """
      Each run is a fresh process with its own memory layout, hash seed and environment; half of \
      the runs work in a folder with a long name.

      EXAMPLE: bench counters Workloads/ci --runs 4
      EXAMPLE: bench counters --output Evidence/Results/counters/repeated.csv
      """
  )

  @Argument(help: "Workload files, or folders of them.")
  var paths = ["Workloads/ci"]

  @Option(help: "Number of runs of each case; must be even.")
  var runs = 20

  @Option(help: "The storebench program that runs the trials.")
  var storebench = ".build/release/storebench"

  @Option(help: "Folder for stores and copies.")
  var folder = FileManager.default.temporaryDirectory.path

  @Option(help: "CSV file for the outcome of each case.")
  var output: String?

  func validate() throws {
    guard runs >= 2, runs.isMultiple(of: 2) else {
      throw ValidationError(
        "'--runs \(runs)' must be an even number: half of the runs use a folder with a long name"
      )
    }
  }

  func run() throws {
    let folder = try BenchFolder(in: folder)
    let stores = StoreLibrary(cacheFolder: folder.path + "/cache")
    let long = folder.path + "/" + String(repeating: "long", count: 40)
    let halves = try [folder.path, long].enumerated().map { half, folder in
      try cases(in: folder, stores) { progress in
        printProgress("half \(half + 1) of 2, \(progress)")
      }
    }
    print("\(runs) processes for each case; every counter must be the same in all processes\n")
    let lines = zip(halves[0], halves[1]).map { CounterLine(first: $0, second: $1, runs: runs) }
    for line in lines { print(line.text) }
    if let output {
      let rows = ["processes,counters,equal,case"] + lines.map(\.row)
      try AtomicFile.write(rows.joined(separator: "\n") + "\n", to: output)
    }
    if !lines.allSatisfy(\.isEqual) { throw ExitCode.failure }
  }

  private func cases(
    in folder: String,
    _ stores: StoreLibrary,
    progress: @escaping (String) -> Void
  ) throws -> [CaseResult] {
    let plan = try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(trials: runs / 2)
    )
    let scratch = try ScratchFolder(in: folder + "/work")
    defer { scratch.remove() }
    let run = Run(
      plan: plan,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: FileManager.default.currentDirectoryPath,
        startedAt: ""
      ),
      stores: stores,
      executor: WorkerProcess(executable: storebench),
      scratch: scratch,
      events: { event in
        guard case .caseStarted(let id, let index) = event else { return }
        progress("case \(index) of \(plan.caseCount): \(id)")
      }
    )
    return try run.perform().workloads.flatMap(\.cases)
  }

  private struct CounterLine {
    let first: CaseResult
    let second: CaseResult
    let runs: Int

    var isEqual: Bool { problem == nil }

    var row: String {
      "\(runs),\(first.exactSamples.count),\(isEqual ? "yes" : "no"),\"\(first.id)\""
    }

    var text: String {
      let name = "\(first.exactSamples.count) counters · \(first.id)"
      guard let problem else { return "\(runs) of \(runs) equal · \(name)" }
      return "NOT EQUAL · \(name): \(problem)"
    }

    private var problem: String? {
      for case .failed(let cause) in [first.outcome, second.outcome] { return cause }
      let unequal = [first, second].flatMap { $0.unequalCounters(trials: runs / 2) }
      let between = first.exactSamples.filter { sample in
        second.sample(of: sample.metric.name)?.trials.first != sample.trials.first
      }.map(\.metric.name)
      let names = Set(unequal + between).sorted()
      guard names.isEmpty else { return names.joined(separator: ", ") }
      return first.exactSamples.isEmpty ? "the result has no counter" : nil
    }
  }
}

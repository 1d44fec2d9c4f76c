import Foundation
import Runner

/// Workload files and the kinds that carry them out, run by a program of your own.
///
/// ```swift
/// let benchmark = try Benchmark(workloads: ["Workloads/flag.yaml"], kinds: [FlagTasks.self])
/// let result = try benchmark.run()
/// print(try result.text(as: .table))
/// ```
///
/// A whole command line is `StoreBenchCommand.main(kinds:)` in the product `StoreBenchCommand`.
public struct Benchmark {
  private let plan: Plan
  private let workFolder: String
  private let kinds: [any WorkloadKind.Type]

  /// Reads workload files, or folders of them.
  ///
  /// Generated stores are kept below the work folder, and copies are worked on there: its disk is
  /// measured.
  ///
  /// - Throws: Everything that is wrong with the files, each problem with its line.
  public init(
    workloads paths: [String],
    kinds: [any WorkloadKind.Type],
    workFolder: String = ".storebench"
  ) throws {
    self.kinds = kinds
    var overrides = Overrides()
    overrides.variesAssumptions = true
    plan = try Plan(paths: paths, kinds: self.kinds, overrides: overrides)
    self.workFolder = workFolder
  }

  /// The cases in the order in which they run, by their IDs.
  public var cases: [String] { plan.workloads.flatMap(\.cases).map(\.id) }

  /// Runs every case; one that fails does not end the run.
  ///
  /// Each trial runs in a process of its own where `worker` is the path of a program that calls
  /// `StoreBenchCommand.main(kinds:)` with the same kinds. Otherwise all trials run in this process:
  /// then no cache is cold, and peak memory is that of this process.
  ///
  /// - Parameters:
  ///   - worker: The program that does the trials; `nil` for this process.
  ///   - isStopped: Asked between trials; the run ends when it returns `true`.
  ///   - progress: Called with the ID of each case before it runs.
  /// - Returns: The measurements of all cases, and what failed.
  /// - Throws: What keeps a store from being made or copied, and an error when the run is stopped.
  public func run(
    worker: String? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false },
    progress: @escaping (String) -> Void = { _ in }
  ) throws -> BenchmarkResult {
    let scratch = try ScratchFolder(in: workFolder + "/work")
    defer { scratch.remove() }
    let executor: any TrialExecutor =
      if let worker {
        WorkerProcess(executable: worker, isStopped: isStopped)
      } else {
        InProcessExecutor(kinds: kinds)
      }
    let run = Run(
      plan: plan,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: FileManager.default.currentDirectoryPath,
        startedAt: Date.now.formatted(.iso8601)
      ),
      stores: StoreLibrary(cacheFolder: workFolder + "/stores"),
      executor: executor,
      scratch: scratch,
      isStopped: isStopped,
      events: { event in
        if case .caseStarted(let id, _) = event { progress(id) }
      }
    )
    return BenchmarkResult(document: try run.perform())
  }
}

/// The result of a run: the environment, every measurement, and what failed.
public struct BenchmarkResult: Sendable {
  /// The forms of a result.
  public enum Format: String, CaseIterable, Sendable {
    /// A table for people, with medians, deviations and units.
    case table
    /// The whole document, by the schema `result-v1`.
    case json
    /// Statistics of each metric, one row each, in seconds, bytes and counts.
    case summary = "csv"
    /// Every measurement, one row each, in seconds, bytes and counts.
    case samples
    /// JUnit's XML, a test for each case.
    case junit
    /// OpenMetrics text.
    case openMetrics = "openmetrics"
  }

  private let document: ResultDocument

  init(document: ResultDocument) {
    self.document = document
  }

  /// Reads a result from the folder of a run, or from its JSON file.
  ///
  /// - Throws: An error that says what the file is where it is no result.
  public init(readingFrom path: String) throws {
    document = try ResultDocument(readingFrom: path)
  }

  /// What failed, by the IDs of the cases, each with its cause; such cases have no times.
  public var failures: [String: String] {
    var failures: [String: String] = [:]
    for result in document.failedCases {
      if case .failed(let cause) = result.outcome { failures[result.id] = cause }
    }
    return failures
  }

  /// All measurements of a metric in a case, in seconds, bytes or counts; empty where there are none.
  ///
  /// ```swift
  /// let seconds = result.measurements(of: "wallClock", in: "flag/tasks=100")
  /// ```
  public func measurements(of metric: String, in id: String) -> [Double] {
    let results = document.workloads.flatMap(\.cases)
    return results.first { $0.id == id }?.sample(of: metric)?.values ?? []
  }

  /// The result in one form.
  ///
  /// - Throws: An error where the result is one that no run can have made.
  public func text(as format: Format) throws -> String {
    let form: ResultFormat =
      switch format {
      case .table: .table
      case .json: .json
      case .summary: .csv
      case .samples: .samples
      case .junit: .junit
      case .openMetrics: .openMetrics
      }
    return try document.text(as: form)
  }

  /// Writes JSON and CSV into a folder that exists, as `run --output` does.
  ///
  /// - Throws: An error that names the file that cannot be written.
  public func write(to folder: String) throws {
    try RunFolder(path: folder).write(document)
  }
}

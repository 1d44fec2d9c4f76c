import Foundation
import Runner

/// Runs workload files with their kinds from your own program.
///
/// ```swift
/// let benchmark = try Benchmark(workloads: ["Workloads/flag.yaml"], kinds: [FlagTasks.self])
/// let result = try benchmark.run()
/// print(try result.text(as: .table))
/// ```
///
/// For a complete command line, call `StoreBenchCommand.main(kinds:)` in the product
/// `StoreBenchCommand`.
public struct Benchmark {
  private let plan: Plan
  private let workFolder: String
  private let kinds: [any WorkloadKind.Type]

  /// Reads workload files, or folders of workload files.
  ///
  /// Generated stores and their working copies are stored in the work folder, so runs measure the
  /// disk that contains this folder.
  ///
  /// - Throws: An error with all problems of the files, each with its line.
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

  /// The IDs of the cases in the order in which they run.
  public var cases: [String] { plan.workloads.flatMap(\.cases).map(\.id) }

  /// Runs every case; a failed case does not end the run.
  ///
  /// If `worker` is the path of a program that calls `StoreBenchCommand.main(kinds:)` with the same
  /// kinds, each trial runs in a separate process. Otherwise, all trials run in this process, with
  /// warm caches, and peak memory is that of the whole process.
  ///
  /// - Parameters:
  ///   - worker: The program that runs the trials; `nil` for this process.
  ///   - isStopped: A function called between trials; the run ends when it returns `true`.
  ///   - progress: A function called with the ID of each case before it runs.
  /// - Returns: The measurements of all cases, and the failures.
  /// - Throws: An error if a store cannot be made or copied, or if the run is stopped.
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

/// The result of a run: the environment, all measurements, and the failures.
public struct BenchmarkResult: Sendable {
  /// The output formats of a result.
  public enum Format: String, CaseIterable, Sendable {
    /// A human-readable table with medians, deviations and units.
    case table
    /// The complete document, in the schema `result-v1`.
    case json
    /// The statistics of each metric, one row per metric, in seconds, bytes and counts.
    case summary = "csv"
    /// All measurements, one row per measurement, in seconds, bytes and counts.
    case samples
    /// JUnit XML, with one test per case.
    case junit
    /// OpenMetrics text.
    case openMetrics = "openmetrics"
  }

  private let document: ResultDocument

  init(document: ResultDocument) {
    self.document = document
  }

  /// Reads a result from the folder of a run or from its JSON file.
  ///
  /// - Throws: An error that describes the file if it is not a result.
  public init(readingFrom path: String) throws {
    document = try ResultDocument(readingFrom: path)
  }

  /// The reasons why cases failed, by case ID; failed cases have no times.
  public var failures: [String: String] {
    var failures: [String: String] = [:]
    for result in document.failedCases {
      if case .failed(let cause) = result.outcome { failures[result.id] = cause }
    }
    return failures
  }

  /// All measurements of a metric in a case, in seconds, bytes or counts; empty if there are none.
  ///
  /// ```swift
  /// let seconds = result.measurements(of: "wallClock", in: "flag/tasks=100")
  /// ```
  public func measurements(of metric: String, in id: String) -> [Double] {
    let results = document.workloads.flatMap(\.cases)
    return results.first { $0.id == id }?.sample(of: metric)?.values ?? []
  }

  /// Returns the result in the given format.
  ///
  /// - Throws: An error if the result contains values that no run can produce.
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

  /// Writes JSON and CSV files into an existing folder, as `run --output` does.
  ///
  /// - Throws: An error that names the file that cannot be written.
  public func write(to folder: String) throws {
    try RunFolder(path: folder).write(document)
  }
}

import ArgumentParser
import Basics
import Foundation
import Runner
import WorkloadKinds

struct ClaimsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claims",
    abstract: "Check whether repeated verdicts on claims contradict each other.",
    discussion: """
      Runs the workload files of claims in turn, several times, and adds the verdict on every \
      comparison to verdicts.csv in the results folder. claims.yaml, beside their folder, has the \
      claims. Then prints a table of all runs so far. The status is 1 \
      if two verdicts contradict each other.

      EXAMPLE: bench claims --runs 10 --budget 2m
      EXAMPLE: bench claims --table
      """
  )

  @Argument(help: "Workload files of claims, or folders of them.")
  var paths = ["Evidence/Workloads/claims"]

  @Option(help: "File with the claims.")
  var claims = "Evidence/Workloads/claims.yaml"

  @Option(help: "Number of runs of each file, including earlier runs.")
  var runs = 10

  @Option(help: "Time for the interleaved trials of each claim.")
  var budget = "5m"

  @Option(help: "Folder of the results.")
  var results = "Evidence/Results/claims"

  @Option(help: "The storebench program that runs the trials.")
  var storebench = ".build/release/storebench"

  @Option(help: "Folder for stores and copies.")
  var folder = FileManager.default.temporaryDirectory.path

  @Flag(help: "Only print the table, without measuring.")
  var table = false

  private var seconds: Double? { Quantity.seconds(budget, in: 1...86_400) }

  func validate() throws {
    if seconds == nil { throw ValidationError("'--budget \(budget)' must be a time such as 2m") }
    if runs < 1 { throw ValidationError("'--runs \(runs)' must be 1 or more") }
  }

  func run() throws {
    let ledger = Ledger<ClaimRecord>(path: results + "/verdicts.csv")
    if !table { try measure(into: ledger) }
    let report = ClaimsReport(records: try ledger.records())
    print(report.text)
    if report.contradictions > 0 { throw ExitCode.failure }
  }

  private func measure(into ledger: Ledger<ClaimRecord>) throws {
    guard FileManager.default.isExecutableFile(atPath: storebench) else {
      throw TruthError.noProgram(path: storebench)
    }
    let folder = try BenchFolder(in: folder)
    let stores = StoreLibrary(cacheFolder: self.folder + "/storebench-claims-stores")
    let scratch = try ScratchFolder(in: folder.path + "/work")
    for number in 1...runs {
      for path in try WorkloadsFolder.files(at: paths) {
        let plan = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
        let known = try ledger.records().filter { record in
          plan.workloads.contains { $0.file.name == record.workload }
        }
        guard Set(known.map(\.run)).count < number else { continue }
        let document = try Run(
          plan: plan,
          environment: EnvironmentProbe.read(
            workFolder: folder.path,
            codeFolder: ".",
            startedAt: Date.now.formatted(.iso8601)
          ),
          stores: stores,
          executor: WorkerProcess(executable: storebench, isStopped: { false }),
          scratch: scratch,
          isProfiled: false
        ).perform()
        let claims = try PublishedClaim.read(path: claims, for: plan)
        for (workload, result) in zip(plan.workloads, document.workloads) {
          guard let claim = claims[workload.file.name] else { continue }
          let verdict = try ClaimRun(
            claim,
            workload,
            budget: seconds ?? 300,
            stores: stores,
            scratch: scratch,
            executable: URL(fileURLWithPath: storebench).path
          ).perform(on: result.cases)
          for record in ClaimRecord.all(of: verdict, in: result, document, run: number) {
            try ledger.append(record)
          }
          printProgress(
            "run \(number) of \(runs), \(path): \(verdict.finding.rawValue): \(verdict.detail)"
          )
        }
      }
    }
  }
}

struct ClaimRecord: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    [
      .value("commit", \.commit), .value("build", \.build),
      .number("loadAverage", \.loadAverage, decimals: 2), .value("run", \.run),
      .value("workload", \.workload), .value("finding", \.finding), .value("cell", \.cell),
      .value("metric", \.metric), .number("bound", \.bound, decimals: 6),
      .number("estimate", \.estimate, decimals: 6), .number("lower", \.lower, decimals: 6),
      .number("upper", \.upper, decimals: 6), .value("trials", \.trials),
      .value("verdict", \.verdict), .number("seconds", \.seconds, decimals: 1),
    ]
  }

  var commit = ""
  var build = ""
  var loadAverage = 0.0
  var run = 0
  var workload = ""
  var finding = ""
  var cell = ""
  var metric = ""
  /// The bound of the comparison; 0 if the claim expects its case to fail.
  var bound = 0.0
  /// The estimate of the compared value; 0 if nothing was measured.
  var estimate = 0.0
  /// The ends of the confidence interval; 0 if unbounded.
  var lower = 0.0
  var upper = 0.0
  var trials = 0
  var verdict = ""
  /// The duration of the claim's interleaved trials, in seconds.
  var seconds = 0.0

  static func all(
    of claim: ClaimResult,
    in workload: WorkloadResult,
    _ document: ResultDocument,
    run: Int
  ) -> [ClaimRecord] {
    var loads = [0.0]
    getloadavg(&loads, 1)
    return claim.cells.map { cell in
      var record = ClaimRecord()
      record.commit = document.environment.commit
      record.build = document.environment.build
      record.loadAverage = loads[0]
      record.run = run
      record.workload = workload.workload
      record.finding = claim.finding.rawValue
      record.cell = field(cell.of + (cell.to.map { " / " + $0 } ?? ""))
      record.metric = cell.metric ?? "failure"
      record.bound = cell.above ?? cell.below ?? 0
      record.estimate = cell.estimate ?? 0
      record.lower = cell.lower ?? 0
      record.upper = cell.upper ?? 0
      record.trials = cell.values.count
      record.verdict = cell.verdict.rawValue
      record.seconds = claim.seconds ?? 0
      return record
    }
  }
}

struct ClaimsReport {
  let records: [ClaimRecord]

  /// The distance of an estimate from its bound, as a log ratio, from which runs must decide.
  private static let far = log(1.1)
  /// The minimum share of runs that must decide a comparison far from its bound.
  private static let decided = 0.9

  private struct Cell {
    let name: String
    let records: [ClaimRecord]

    var verdicts: Set<String> { Set(records.map(\.verdict)) }

    var isContradicted: Bool { verdicts.isSuperset(of: ["holds", "doesNotHold"]) }

    var undecided: Int { records.count { $0.verdict == "cannotTell" } }

    /// Whether the median of the runs' estimates is 10 % or more away from the bound.
    var isFar: Bool {
      let estimates = records.map(\.estimate).filter { $0 > 0 }.sorted()
      guard !estimates.isEmpty, let bound = records.first?.bound, bound > 0 else { return false }
      return abs(log(estimates[estimates.count / 2] / bound)) >= ClaimsReport.far
    }

    var isDecided: Bool {
      Double(records.count - undecided) >= ClaimsReport.decided * Double(records.count)
    }
  }

  private var cells: [Cell] {
    Dictionary(grouping: records.filter { $0.verdict != "notCounted" }) {
      "\($0.workload) \($0.metric) \($0.cell) \($0.bound)"
    }.map { Cell(name: $0.key, records: $0.value) }.sorted { $0.name < $1.name }
  }

  private var claims: [(workload: String, findings: [String])] {
    Dictionary(grouping: records, by: \.workload).map { workload, records in
      let runs = Dictionary(grouping: records, by: \.run)
      return (workload, runs.keys.sorted().compactMap { runs[$0]?.first?.finding })
    }.sorted { $0.workload < $1.workload }
  }

  var contradictions: Int {
    cells.count(where: \.isContradicted)
      + claims.count { Set($0.findings).isSuperset(of: ["holds", "doesNotHold"]) }
  }

  var text: String {
    let cells = cells
    let contradicted = cells.filter(\.isContradicted).map { "contradicted: \($0.name)" }
    let open = cells.filter { $0.isFar && !$0.isDecided }.map { cell in
      "not decided: \(cell.name), \(cell.undecided) of \(cell.records.count) runs"
    }
    return ([summary] + contradicted + open).joined(separator: "\n")
  }

  var summary: String {
    guard !records.isEmpty else { return "no claim was run yet" }
    let words = ["holds", "doesNotHold", "cannotTell"]
    var lines = ["claim".padded(to: 40) + words.map { .blanks(13 - $0.count) + $0 }.joined()]
    lines += claims.map { claim in
      let counts = words.map { word in String(claim.findings.count { $0 == word }) }
      return claim.workload.padded(to: 40)
        + counts.map { .blanks(13 - $0.count) + $0 }.joined()
    }
    let cells = cells
    let far = cells.filter(\.isFar)
    let judged = cells.reduce(0) { $0 + $1.records.count }
    let undecided = cells.reduce(0) { $0 + $1.undecided }
    let verdicts = claims.flatMap(\.findings)
    let open = verdicts.count { $0 == "cannotTell" }
    func share(_ part: Int, of all: Int) -> String {
      "\(part) of \(all) (\(Figures.percent(Double(part) / Double(max(all, 1)), decimals: 1)))"
    }
    let notCounted = records.count { $0.verdict == "notCounted" }
    lines += [
      "", "contradictions ('holds' in one run, 'does not hold' in another): \(contradictions)",
      "comparisons whose ratio, pooled over all runs, is at least 10 % away from the bound: "
        + "\(far.count); of these, \(far.count(where: \.isDecided)) were decided in at least 9 of "
        + "10 runs",
      "verdicts of 'cannot tell': \(share(open, of: verdicts.count))",
      "comparisons that were not decided: \(share(undecided, of: judged))",
      "comparisons not counted, because both sides do the same work: \(notCounted)",
    ]
    let builds = Set(records.map(\.build)).sorted().joined(separator: " and ")
    let loads = records.map(\.loadAverage).sorted()
    let load = Figures.plain(loads[loads.count / 2], decimals: 1)
    lines.append("\(builds) build; median load average of the machine: \(load)")
    return lines.joined(separator: "\n")
  }
}

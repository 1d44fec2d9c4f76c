import ArgumentParser
import Basics
import Foundation
import Runner
import WorkloadKinds

struct FindingsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract:
      """
      Check how often findings name a winner although the alternatives are equal, and how often \
      the right winner when they are not.
      """,
    discussion: """
      Runs real cases many times alternately, with one save and with one save per object. Builds \
      workloads from their trials: in equal workloads, trials of one case have two labels, so \
      findings must name no winner; in the others, trials with few saves must win over trials with \
      many saves. Fails if findings name a winner in more than 5 % of the equal workloads, or the \
      right winner in less than 95 % of the others.

      EXAMPLE: bench findings --kept
      """
  )

  @Flag(help: "Judge the stored trials again instead of running cases.")
  var kept = false

  @Option(help: "Trials of each case.")
  var trials = 120

  @Option(help: "The storebench program that runs the trials.")
  var storebench = ".build/release/storebench"

  @Option(help: "File for the trials.")
  var file = "Evidence/Results/findings/trials.csv.gz"

  @Option(help: "Folder for stores and copies.")
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard (10...10_000).contains(trials) else {
      throw ValidationError("'--trials \(trials)' must be from 10 to 10,000")
    }
  }

  func run() throws {
    if !kept { try collect().write(to: file) }
    let (lines, isMet) = try Self.report(on: file)
    for line in lines { print(line) }
    guard isMet else { throw ExitCode.failure }
  }

  static func report(on file: String) throws -> (lines: [String], isMet: Bool) {
    let verdicts = FindingVerdicts(traces: try FindingTraces(readingFrom: file))
    let (nulls, injected) = (verdicts.nulls(), verdicts.injected())
    let table = TextTable(
      [.left("", 28), .right("", 9), .right("", 6), .right("", 6), .right("", 14)],
      gap: 2
    )
    let factors = [1.05, 1.1, 1.25, 1.5, 2].map { verdicts.scaled(by: $0) }
    let count = { (rows: [FindingVerdicts.Row], value: (FindingVerdicts.Row) -> Int) in
      rows.reduce(0) { $0 + value($1) }
    }
    let alarms = Double(count(nulls) { $0.right + $0.wrong }) / Double(count(nulls, \.workloads))
    let found = Double(count(injected, \.right)) / Double(count(injected, \.workloads))
    // If the alternatives are equal, any named winner is a false alarm.
    func line(_ row: FindingVerdicts.Row, named: Int) -> String {
      let bounds = RateInterval(hits: named, of: row.workloads).shares
      return table.line([row.name, "\(row.workloads)", "\(row.right)", "\(row.wrong)", bounds])
    }
    let lines =
      [table.line(["real trials", "workloads", "first", "other", "95 % bounds"])]
      + nulls.map { line($0, named: $0.right + $0.wrong) }
      + (injected + factors).map { line($0, named: $0.right) } + [
        "findings name a winner in \(Figures.percent(alarms)) of equal workloads; the limit is 5 %",
        "findings name the right winner in \(Figures.percent(found)) of the other workloads; at "
          + "least 95 % are required",
      ]
    return (lines, alarms <= 0.05 && found >= 0.95)
  }

  private static let objects = 40

  private func collect() throws -> FindingTraces {
    let folder = try BenchFolder(in: folder)
    let root = FileManager.default.currentDirectoryPath
    let text = """
      kind: blobStorage
      store: { recipe: \(root)/Workloads/recipes/feed-small.yaml }
      parameters:
        operation: [insert, update, delete]
        strategy: [inline, file]
        # Alternatives of one job, whose trials take turns: one sync, or one for each object.
        objectsPerSave: [\(Self.objects), 1]
        size: 16 KB
        objects: \(Self.objects)
        share: 1
        durability: commit
      trials: { trials: \(trials) }
      """
    let path = try folder.file("findings.yaml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let plan = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
    let scratch = try ScratchFolder(in: folder.path + "/work")
    defer { scratch.remove() }
    let run = Run(
      plan: plan,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: root,
        startedAt: ""
      ),
      stores: StoreLibrary(cacheFolder: folder.path + "/cache"),
      executor: WorkerProcess(executable: storebench),
      scratch: scratch,
      isProfiled: false,
      events: { event in
        guard case .caseStarted(let id, let index) = event else { return }
        printProgress("case \(index) of \(plan.caseCount): \(id)")
      }
    )
    return FindingTraces(try run.perform().workloads.flatMap(\.cases), objects: Self.objects)
  }
}

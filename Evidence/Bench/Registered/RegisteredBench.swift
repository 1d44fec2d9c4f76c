import ArgumentParser
import Basics
import Forecasting
import Foundation
import Runner

struct RegisteredBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "registered",
    abstract: "Check forecasts of randomly chosen migrations, each once against a measurement.",
    discussion: """
      A commit freezes the forecasting method; the commit's hash is the random seed that chooses \
      the migrations. They are written to registered.csv before anything is measured. The \
      measurements of each finished migration are kept, compressed, in the results folder. \
      '--kept' judges them again in seconds, and checks that the predictions equal the stored \
      predictions bit by bit. A refused forecast counts as a miss, unless the refusal was \
      registered as expected, and so does a migration that does not end within its time limit. \
      Time, memory and disk are judged of each; of the first five sets of migrations, time alone. \
      Once a change of the method was chosen with these migrations, they \
      are training cases: choose new migrations, in another folder.

      EXAMPLE: bench registered --results Evidence/Results/forecast/sixth --commit $(git rev-parse HEAD)
      EXAMPLE: bench registered --results Evidence/Results/forecast/sixth --hours 2
      EXAMPLE: bench registered --kept
      """
  )

  @Option(help: "Choose the migrations by this commit's hash, and measure nothing.")
  var commit: String?

  @Option(help: "Number of migrations to choose.")
  var count = 30

  @Option(help: "Start no new migration after this number of hours.")
  var hours = 2.0

  @Option(help: "Only the migration with this number.")
  var only: Int?

  @Flag(help: "Judge the stored measurements, and measure nothing.")
  var kept = false

  @Option(help: "Folder for the chosen migrations, measurements and verdicts.")
  var results = "Evidence/Results/forecast"

  @Option(help: "The measured release build of storebench.")
  var program = ".build/release/storebench"

  @Option(help: "The folder for stores and single runs.")
  var work = ".storebench/registered"

  @Option(help: "Divide all sizes by this number, to try the command out. Published results use 1.")
  var divisor = 1

  /// The folder of an earlier draw of migrations, whose measurements predict the durations of other
  /// draws.
  private static let earlier = "Evidence/Results/forecast"

  func validate() throws {
    guard count >= 1, count <= 1000 else {
      throw ValidationError("'--count' must be 1 to 1000, not \(count)")
    }
    guard divisor >= 1 else { throw ValidationError("'--divisor' must be 1 or more") }
    guard divisor == 1 || results != Self.earlier else {
      throw ValidationError("with '--divisor', name another folder with '--results'")
    }
    if let commit {
      guard commit.count == 40, commit.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
        throw ValidationError("'--commit' must be a full hash, as 'git rev-parse HEAD' prints it")
      }
    }
  }

  func run() throws {
    let folder = RegisteredFolder(path: results)
    if let commit { return try register(commit, folder) }
    if !kept { try measure(try folder.cases()) }
    let judged = try folder.judged()
    for line in try folder.lines(of: judged) { print(line) }
    var others: [Int] = []
    for (resource, verdicts) in judged.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let ledger = folder.verdicts(of: resource)
      let stored = try ledger.records()
      for verdict in verdicts {
        let earlier = stored.first { $0.number == verdict.number }
        if earlier == nil { try ledger.append(verdict) }
        if let earlier, earlier != verdict { others.append(verdict.number) }
      }
    }
    guard others.isEmpty else { throw RegisteredError.otherPredictions(others) }
  }

  private func register(_ commit: String, _ folder: RegisteredFolder) throws {
    guard try folder.draw.records().isEmpty else {
      throw RegisteredError.otherDraw(path: folder.draw.path)
    }
    let cases = RegisteredDraw(commit: commit).cases(count, from: try RegisteredDraw.choices())
    for drawn in cases { try folder.draw.append(drawn) }
    for resource in Resource.allCases { try folder.verdicts(of: resource).create() }
    try AtomicFile.write(commit + "\n", to: results + "/registered.commit")
    for line in RegisteredReport(cases: cases, verdicts: []).lines { print(line) }
    if let estimate = try RegisteredEstimate(from: RegisteredFolder(path: Self.earlier)) {
      print("Measuring them takes about \(Figures.seconds(estimate.seconds(of: cases), .rough)).")
    }
  }

  private func measure(_ cases: [RegisteredCase]) throws {
    let measurement = RegisteredMeasurement(workFolder: work, program: program, divisor: divisor)
    SharedProcessor.current?.keepThisThread()
    let started = MonotonicClock.seconds()
    let estimate = try RegisteredEstimate(from: RegisteredFolder(path: Self.earlier))
    var left = try cases.filter { registered in
      guard only.map({ $0 == registered.number }) ?? true else { return false }
      return try RegisteredObservations.read(registered.number, in: results) == nil
    }
    while let registered = left.first {
      guard MonotonicClock.seconds() - started < hours * 3600 else { return }
      let rest = estimate.map { Figures.seconds($0.seconds(of: left) / Double(divisor), .rough) }
      printProgress(
        "\(registered.number) of \(cases.count): \(registered.id)"
          + (rest.map { ", all that are left: about \($0)" } ?? "")
      )
      try measurement.measure(registered).write(in: results)
      left.removeFirst()
    }
  }
}

struct RegisteredFolder {
  let path: String

  var draw: Ledger<RegisteredCase> { Ledger(path: path + "/registered.csv") }

  /// The stored verdicts on a resource, by the forecasting method fixed before the draw was
  /// measured.
  func verdicts(of resource: Resource) -> Ledger<RegisteredVerdict> {
    Ledger(path: "\(path)/registered-\(resource == .time ? "verdicts" : resource.rawValue).csv")
  }

  /// The judged resources: always time; memory and disk only if the draw has verdicts on them.
  var resources: [Resource] {
    Resource.allCases.filter { resource in
      resource == .time || FileManager.default.fileExists(atPath: verdicts(of: resource).path)
    }
  }

  func cases() throws -> [RegisteredCase] {
    let cases = try draw.records()
    guard !cases.isEmpty else { throw RegisteredError.noDraw(path: draw.path) }
    return cases
  }

  func judged() throws -> [Resource: [RegisteredVerdict]] {
    let resources = resources
    var judged = Dictionary(uniqueKeysWithValues: resources.map { ($0, [RegisteredVerdict]()) })
    for registered in try cases() {
      guard let kept = try RegisteredObservations.read(registered.number, in: path) else {
        continue
      }
      let verdicts = RegisteredVerdict.all(resources, of: registered, kept)
      for (resource, verdict) in zip(resources, verdicts) { judged[resource]?.append(verdict) }
    }
    return judged
  }

  /// Returns the tables of the given verdicts, and whether they equal the stored ones to the last
  /// bit.
  func lines(of judged: [Resource: [RegisteredVerdict]]) throws -> [String] {
    let cases = try cases()
    let reports = resources.map {
      RegisteredReport(cases: cases, verdicts: judged[$0] ?? [], resource: $0)
    }
    var lines =
      reports.count == 1
      ? reports[0].lines : reports.flatMap { $0.rows + [""] } + RegisteredCoverage(reports).lines
    var (known, areEqual) = (0, true)
    for resource in resources {
      let stored = try verdicts(of: resource).records()
      let own = (judged[resource] ?? []).filter { one in stored.contains { $0.number == one.number }
      }
      known += own.count
      areEqual = areEqual && own.allSatisfy(stored.contains)
    }
    if known > 0, areEqual {
      lines.append("\(known) predictions equal the stored predictions bit by bit.")
    }
    return lines
  }
}

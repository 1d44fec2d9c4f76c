import ArgumentParser
import Basics
import Foundation
import Runner

/// The validation of the forecast on migrations that were drawn before they were measured:
/// `make -C Evidence forecast`.
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
      registered as expected. Once a change of the method was chosen with these migrations, they \
      are training cases: choose new migrations, in another folder.

      EXAMPLE: bench registered --commit $(git rev-parse HEAD)
      EXAMPLE: bench registered --hours 2
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

  func validate() throws {
    guard count >= 1, count <= 1000 else {
      throw ValidationError("'--count' must be 1 to 1000, not \(count)")
    }
    guard divisor >= 1 else { throw ValidationError("'--divisor' must be 1 or more") }
    guard divisor == 1 || results != "Evidence/Results/forecast" else {
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
    if let commit { return try register(commit, folder.draw) }
    if !kept { try measure(try folder.cases()) }
    let judged = try folder.judged()
    let stored = try folder.verdicts.records()
    for line in try folder.lines(of: judged) { print(line) }
    for verdict in judged where !stored.contains(where: { $0.number == verdict.number }) {
      try folder.verdicts.append(verdict)
    }
    let others = judged.filter { verdict in
      stored.contains { $0.number == verdict.number && $0 != verdict }
    }
    guard others.isEmpty else { throw RegisteredError.otherPredictions(others.map(\.number)) }
  }

  private func register(_ commit: String, _ draw: Ledger<RegisteredCase>) throws {
    guard try draw.records().isEmpty else { throw RegisteredError.otherDraw(path: draw.path) }
    let cases = RegisteredDraw(commit: commit).cases(count, from: try RegisteredDraw.choices())
    for drawn in cases { try draw.append(drawn) }
    try AtomicFile.write(commit + "\n", to: results + "/registered.commit")
    for line in RegisteredReport(cases: cases, verdicts: []).lines { print(line) }
  }

  private func measure(_ cases: [RegisteredCase]) throws {
    let measurement = RegisteredMeasurement(workFolder: work, program: program, divisor: divisor)
    SharedProcessor.current?.keepThisThread()
    let started = MonotonicClock.seconds()
    for registered in cases where only.map({ $0 == registered.number }) ?? true {
      guard try RegisteredObservations.read(registered.number, in: results) == nil else { continue }
      guard MonotonicClock.seconds() - started < hours * 3600 else { return }
      printProgress("\(registered.number) of \(cases.count): \(registered.id)")
      try measurement.measure(registered).write(in: results)
    }
  }
}

/// What is kept of registered migrations.
struct RegisteredFolder {
  let path: String

  var draw: Ledger<RegisteredCase> { Ledger(path: path + "/registered.csv") }
  /// By the method that was frozen for this draw.
  var verdicts: Ledger<RegisteredVerdict> { Ledger(path: path + "/registered-verdicts.csv") }

  /// - Throws: ``RegisteredError/noDraw(path:)``
  func cases() throws -> [RegisteredCase] {
    let cases = try draw.records()
    guard !cases.isEmpty else { throw RegisteredError.noDraw(path: draw.path) }
    return cases
  }

  /// The verdicts of the present method on all that was measured.
  func judged() throws -> [RegisteredVerdict] {
    try cases().compactMap { registered in
      try RegisteredObservations.read(registered.number, in: path).map {
        RegisteredVerdict(registered, $0)
      }
    }
  }

  /// The table of verdicts, and whether they are the stored ones to the bit.
  func lines(of judged: [RegisteredVerdict]) throws -> [String] {
    let stored = try verdicts.records()
    let known = judged.filter { verdict in stored.contains { $0.number == verdict.number } }
    let areEqual = !known.isEmpty && known.allSatisfy(stored.contains)
    return RegisteredReport(cases: try cases(), verdicts: judged).lines
      + (areEqual
        ? ["\(known.count) predictions equal the stored predictions bit by bit."] : [])
  }
}

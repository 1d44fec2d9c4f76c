import ArgumentParser
import Basics
import Foundation
import Runner

struct RoundsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rounds",
    abstract: "Simulate the further rounds of a run on drawn times, by the program's own rule.",
    discussion: """
      Draws times with the tails of Student's t with four degrees of freedom, then normal ones, and \
      gives workloads \
      rounds as 'storebench run' does: looks after 3, 5, 8, 12 and 20, further rounds only for what \
      is not decided, and a time limit that may end them after any look. Fails if more than 2 % of \
      the equal workloads of any shape name a winner, by the lower 95 % bound.

      EXAMPLE: bench rounds --seed 1
      """
  )

  @Option(help: "Workloads of each shape.")
  var workloads = 1000

  @Option(help: "Random seed of the times.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...1_000_000).contains(workloads) else {
      throw ValidationError("'--workloads \(workloads)' must be from 1 to 1,000,000")
    }
  }

  func run() throws {
    let table = TextTable(
      [
        .left("", 26), .right("", 9), .right("", 6), .right("", 6), .right("", 14), .right("", 6),
      ],
      gap: 2
    )
    print(
      "seed \(seed); looks after \(FurtherRounds.looks.map(String.init).joined(separator: ", "))"
    )
    print(table.line(["drawn times", "workloads", "right", "wrong", "95 % bounds", "trials"]))
    var isMet = true
    for (name, tails) in [("heavy tails", TrialSimulation.Tails.heavy), ("normal", .normal)] {
      print(name)
      var simulation = RoundSimulation(tails, seed: seed)
      if !rows(of: &simulation, in: table) { isMet = false }
    }
    guard isMet else { throw ExitCode.failure }
  }

  private func rows(of simulation: inout RoundSimulation, in table: TextTable) -> Bool {
    var isMet = true
    for shape in RoundSimulation.Shape.all {
      let row = simulation.row(of: shape, workloads: workloads)
      let isEqual = shape.work.allSatisfy { $0 == 1 }
      let bounds = RateInterval(hits: isEqual ? row.wrong : row.right, of: row.workloads)
      let cases = shape.jobs * shape.work.count * row.workloads
      print(
        table.line([
          shape.name, "\(row.workloads)", "\(row.right)", "\(row.wrong)", bounds.shares,
          Figures.plain(Double(row.trials) / Double(cases), decimals: 1),
        ])
      )
      if isEqual, bounds.lower > 1 - TrialIntervals.confidence { isMet = false }
    }
    return isMet
  }
}

struct DecidedBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decided",
    abstract: "Run equal work and planted extra work with further rounds; goes on where it ended.",
    discussion: """
      400 workloads do the same by two names, 144 do 25 % more by the second one, and 144 do 10 % \
      more; half of each add numbers up, half write rows. Each is a run of its own, by the program's \
      own rule. Its times are added to the file, so that a portion goes on where the last one ended; \
      all take about half an hour on a machine at rest. Fails if more than 11 of the equal ones name \
      a winner, or fewer than 130 of those with 25 % more name the right one.

      EXAMPLE: bench decided --minutes 30
      EXAMPLE: bench decided --kept
      """
  )

  @Flag(help: "Judge the stored times again instead of running anything.")
  var kept = false

  @Option(help: "Duration in minutes.")
  var minutes = 30.0

  @Option(help: "File for the times.")
  var file = "Evidence/Results/findings/rounds.csv"

  @Option(help: "Folder for stores and copies.")
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard minutes > 0, minutes <= 100_000 else {
      throw ValidationError("'--minutes' must be above 0")
    }
  }

  func run() throws {
    if !kept { try measure() }
    let (lines, isMet) = RoundRecord.report(try RoundRecord.read(file))
    for line in lines { print(line) }
    guard isMet else { throw ExitCode.failure }
  }

  private func measure() throws {
    let end = MonotonicClock.seconds() + minutes * 60
    let folder = try BenchFolder(in: folder)
    var records = try RoundRecord.read(file)
    // Rewriting the file removes an incomplete last line that a killed bench left.
    let lines = [RoundRecord.title] + records.map(\.line)
    let text = lines.joined(separator: "\n") + "\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    while MonotonicClock.seconds() < end, let next = Self.next(after: records) {
      let record = try measure(extra: next.extra, number: next.number, in: folder)
      records.append(record)
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data((record.line + "\n").utf8))
      try handle.close()
      printProgress("\(records.count) workloads")
    }
  }

  static func next(after records: [RoundRecord]) -> (extra: Int, number: Int)? {
    let open = RoundRecord.Group.all.map { group in
      (group: group, count: records.count { $0.extra == group.extra })
    }.filter { $0.count < $0.group.workloads }
    let least = open.min { left, right in
      left.count * right.group.workloads < right.count * left.group.workloads
    }
    return least.map { ($0.group.extra, $0.count) }
  }

  private func measure(extra: Int, number: Int, in folder: BenchFolder) throws -> RoundRecord {
    let root = FileManager.default.currentDirectoryPath
    let work = PlantedWork.Work.allCases[number % PlantedWork.Work.allCases.count].rawValue
    let seed = number + 1
    let path = try folder.file("planted.yaml")
    let text = """
      kind: planted
      store: { recipe: \(root)/Workloads/recipes/feed-small.yaml }
      parameters: { strategy: [first, second], work: \(work), extra: \(extra) }
      trials: { trials: \(FurtherRounds.looks[0]), seed: \(seed) }
      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let scratch = try ScratchFolder(in: folder.path + "/work")
    defer { scratch.remove() }
    let document = try Run(
      plan: try Plan(paths: [path], kinds: [PlantedWork.self]),
      environment: EnvironmentProbe.read(workFolder: scratch.path, codeFolder: root, startedAt: ""),
      stores: StoreLibrary(cacheFolder: folder.path + "/cache"),
      executor: WorkerProcess(executable: try Executable.own()),
      scratch: scratch,
      isProfiled: false,
      rounds: FurtherRounds(seconds: 600)
    ).perform()
    let cases = document.workloads.flatMap(\.cases)
    let seconds = { (side: PlantedWork.Side) -> [Double] in
      let own = cases.first { $0.parameters["strategy"] == side.rawValue }
      return own?.sample(of: Metric.wallClock.name)?.values ?? []
    }
    for result in cases {
      guard case .failed(let cause) = result.outcome else { continue }
      throw ValidationError("\(result.id) failed: \(cause)")
    }
    return RoundRecord(
      extra: extra,
      work: work,
      seed: seed,
      first: seconds(.first),
      second: seconds(.second)
    )
  }
}

struct PlantedWorker: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Run one trial. 'bench decided' starts this command itself.",
    shouldDisplay: false
  )

  func run() throws {
    let status = Worker.run(kinds: [PlantedWork.self])
    if status != 0 { throw ExitCode(status) }
  }
}

private enum Executable {
  static func own() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }
}

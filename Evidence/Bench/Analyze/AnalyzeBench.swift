import ArgumentParser
import Basics
import Foundation
import Runner
import SQLLog

struct AnalyzeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: """
      Measure time and memory for a large log, and the findings in logs with planted faults.
      """,
    discussion: """
      Makes logs of generated apps: half of them with one design fault, half without. Then repeats \
      their lines up to the given size, and reads this large log in a separate process. The status \
      is 1 if a figure misses its aim.

      EXAMPLE: bench analyze
      EXAMPLE: bench analyze --apps 400 --gigabytes 0.1 --seed 7
      """
  )

  private static let mostSeconds = 60.0
  private static let mostBytes: Int64 = 200_000_000

  @Option(help: "Number of apps with a planted fault; as many apps without a fault are added.")
  var apps = 40

  @Option(help: "Size of the large log in gigabytes.")
  var gigabytes = 2.0

  @Option(help: "Random seed of the first app.")
  var seed: UInt64 = 1

  @Option(help: "Copy the logs into this folder.")
  var keep: String?

  @Option(help: "Only write the large log, to this file.")
  var write: String?

  @Option(help: "Only read this log, and print the seconds, statements and bytes of memory.")
  var measure: String?

  func run() throws {
    if let measure { return try Self.measure(measure) }
    let folder = try BenchFolder()
    let right = try judge(keepingLogsIn: folder)
    if let write {
      return try Self.write(Int(gigabytes * 1e9), of: folder.path + "/sample.log", to: write)
    }
    let fast = gigabytes == 0 ? true : try time(in: folder)
    if !right || !fast { throw ExitCode(1) }
  }

  // MARK: Findings

  private func judge(keepingLogsIn folder: BenchFolder) throws -> Bool {
    let faults = PlantedApp.Fault.allCases
    var found: [String: Int] = [:]
    var planted: [String: Int] = [:]
    var others = 0
    let sample = folder.path + "/sample.log"
    try Data().write(to: URL(fileURLWithPath: sample))
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: sample))
    func rules(_ app: PlantedApp, _ name: String) throws -> Set<String> {
      if let keep {
        try FileManager.default.copyItem(atPath: app.logPath, toPath: "\(keep)/\(name).log")
      }
      // Logs of level 3 list every fetched object and would make up nearly all of the joined log.
      if app.level < 3 {
        try log.write(contentsOf: try Data(contentsOf: URL(fileURLWithPath: app.logPath)))
      }
      let analysis = try LogAnalysis(of: [app.logPath], schema: app.schema)
      return Set(analysis.findings.map(\.rule.rawValue))
    }
    for number in 0..<apps {
      let fault = faults[number % faults.count]
      let names = try rules(
        PlantedApp(seed: seed + UInt64(number), fault: fault),
        "\(number)-\(fault.rawValue)"
      )
      planted[fault.rawValue, default: 0] += 1
      if names.contains(fault.rawValue) {
        found[fault.rawValue, default: 0] += 1
      } else {
        printProgress("missed: app \(number) with \(fault.rawValue); found \(names.sorted())")
      }
      others += names.subtracting([fault.rawValue]).count
    }
    var wrong: [String: Int] = [:]
    for number in 0..<apps {
      let names = try rules(
        PlantedApp(seed: seed + 100_000 + UInt64(number), fault: nil),
        "\(number)-clean"
      )
      for name in names { wrong[name, default: 0] += 1 }
      if !names.isEmpty { printProgress("clean app \(number): found \(names.sorted())") }
    }
    return show(planted, found, wrong, others)
  }

  private func show(
    _ planted: [String: Int],
    _ found: [String: Int],
    _ wrong: [String: Int],
    _ others: Int
  ) -> Bool {
    let total = (found.values.reduce(0, +), wrong.values.reduce(0, +))
    print("| Rule | Planted faults found | Clean logs with a finding |\n|---|---|---|")
    for fault in PlantedApp.Fault.allCases {
      let name = fault.rawValue
      print("| `\(name)` | \(found[name] ?? 0) of \(planted[name] ?? 0) | \(wrong[name] ?? 0) |")
    }
    print("| all | \(total.0) of \(apps) | \(total.1) of \(apps) |")
    print("\nLogs with a planted fault have \(others) further findings.")
    let isRight = total.0 * 20 >= apps * 19 && total.1 * 40 <= apps
    print(
      "The aim: at least 95 % found, at most one clean log in 40 with a finding: ",
      terminator: ""
    )
    print(isRight ? "met." : "missed.")
    return isRight
  }

  // MARK: Time

  private func time(in folder: BenchFolder) throws -> Bool {
    let large = try folder.file("large.log")
    try Self.write(Int(gigabytes * 1e9), of: folder.path + "/sample.log", to: large)
    let process = Process.bench(["analyze", "--measure", large])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let figures = text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
    guard figures.count == 4 else { throw ValidationError("no figures: '\(text)'") }
    let (seconds, memory) = (figures[0], figures[3])
    print(
      """

      Reading \(Figures.plain(gigabytes, decimals: 1)) GB, \(Int(figures[1]).grouped) lines with \
      \(Int(figures[2]).grouped) statements: \(Figures.fixed(seconds, decimals: 1)) s, \
      \(Figures.fixed(memory / 1e6, decimals: 0)) MB of memory.
      """
    )
    let isFast = seconds <= Self.mostSeconds && memory <= Double(Self.mostBytes)
    print("The aim: at most 60 s and 200 MB: \(isFast ? "met" : "missed").")
    return isFast
  }

  static func write(_ size: Int, of sample: String, to path: String) throws {
    let lines = try Data(contentsOf: URL(fileURLWithPath: sample))
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    var rest = size
    while rest > 0 {
      let part = lines.prefix(rest)
      try file.write(contentsOf: part)
      rest -= max(part.count, 1)
    }
    try file.close()
  }

  private static func measure(_ path: String) throws {
    let start = MonotonicClock.seconds()
    let analysis = try LogAnalysis(of: [path])
    let seconds = MonotonicClock.seconds() - start
    let peak = Probes.system.peakMemory() ?? 0
    print(seconds, analysis.report.lines, analysis.report.statements, peak)
  }
}

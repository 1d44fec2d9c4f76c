import ArgumentParser
import Basics
import SQLLog

struct ListsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Measure the findings in logs of apps around lists of five sizes.",
    discussion: """
      Each log has one planted cause, or none. A hint counts neither as found nor as an accusation. \
      The status is 1 if the aim is missed: 190 of 200 found, 36 of 40 at each size, and at most 3 of \
      200 clean logs accused, or the same shares of other numbers.

      EXAMPLE: bench lists --seed 7000
      """
  )

  static let sizes = [10, 100, 1_000, 10_000, 100_000]

  @Option(help: "Logs of each size with a planted cause; as many clean logs are added.")
  var logs = 40

  @Option(help: "Random seed of the first app.")
  var seed: UInt64 = 1

  @Option(help: "Copy the logs into this folder.")
  var keep: String?

  @Option(help: "Only lists of this many rows.")
  var size: Int?

  private struct Row {
    var planted = 0
    var found = 0
    var clean = 0
    var accused = 0
  }

  func run() throws {
    var sizes: [Int: Row] = [:]
    var causes: [ListApp.Fault: Row] = [:]
    var accusations: [String: Int] = [:]
    for (place, size) in Self.sizes.enumerated() where self.size == nil || self.size == size {
      let faults = ListApp.Fault.all(of: size)
      for number in 0..<logs {
        let own = seed + UInt64(place * 100_000 + number)
        let fault = faults[number % faults.count]
        let rules = try self.rules(own, size, fault, "\(size)-\(number)-\(fault.rawValue)")
        let isFound = !rules.isDisjoint(with: fault.rules)
        sizes[size, default: Row()].planted += 1
        causes[fault, default: Row()].planted += 1
        if isFound {
          sizes[size]?.found += 1
          causes[fault]?.found += 1
        } else {
          printProgress("missed: \(size) rows, \(number), \(fault.rawValue): \(names(rules))")
        }
        let clean = try self.rules(own + 50_000, size, nil, "\(size)-\(number)-clean")
        sizes[size]?.clean += 1
        guard !clean.isEmpty else { continue }
        sizes[size]?.accused += 1
        for rule in clean { accusations[rule.rawValue, default: 0] += 1 }
        printProgress("accused: \(size) rows, \(number): \(names(clean))")
      }
    }
    show(sizes, causes, accusations)
    let all = sizes.values
    let (planted, found) = (all.reduce(0) { $0 + $1.planted }, all.reduce(0) { $0 + $1.found })
    let (clean, accused) = (all.reduce(0) { $0 + $1.clean }, all.reduce(0) { $0 + $1.accused })
    let isMet =
      found * 200 >= planted * 190 && accused * 200 <= clean * 3
      && all.allSatisfy { $0.found * 40 >= $0.planted * 36 }
    print("\nThe aim: \(isMet ? "met" : "missed").")
    if !isMet { throw ExitCode(1) }
  }

  private func names(_ rules: Set<FindingRule>) -> String {
    rules.map(\.rawValue).sorted().joined(separator: ", ")
  }

  private func rules(
    _ seed: UInt64,
    _ size: Int,
    _ fault: ListApp.Fault?,
    _ name: String
  ) throws -> Set<FindingRule> {
    let app = try ListApp(seed: seed, size: size, fault: fault)
    if let keep { try app.keep(at: "\(keep)/\(name).log") }
    let analysis = try LogAnalysis(of: [app.logPath], schema: app.schema)
    return Set(analysis.findings.filter { !$0.isQuestion }.map(\.rule))
  }

  private func show(
    _ sizes: [Int: Row],
    _ causes: [ListApp.Fault: Row],
    _ accusations: [String: Int]
  ) {
    print("| Rows of the list | Planted causes found | Clean logs accused |\n|---|---|---|")
    for (size, row) in sizes.sorted(by: { $0.key < $1.key }) {
      print("| \(size.grouped) | \(row.found) of \(row.planted) | \(row.accused) of \(row.clean) |")
    }
    print("\n| Cause | Found | Rule |\n|---|---|---|")
    for fault in ListApp.Fault.allCases {
      guard let row = causes[fault] else { continue }
      let rules = fault.rules.map { "`\($0.rawValue)`" }.sorted().joined(separator: ", ")
      print("| \(fault.rawValue) | \(row.found) of \(row.planted) | \(rules) |")
    }
    for (rule, count) in accusations.sorted(by: { $0.key < $1.key }) {
      print("\nClean logs accused by `\(rule)`: \(count)")
    }
  }
}

import Basics
import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

struct BaselineCommandTests {
  private let results: StoredResults
  private var folder: String { results.folder.path + "/baselines" }

  init() throws {
    results = try StoredResults()
  }

  private func run(_ arguments: [String]) -> StoredResults.Ending { results.run(arguments) }

  private func update(_ result: String, _ options: String...) -> StoredResults.Ending {
    run(["baseline", "update", result, "--folder", folder] + options)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func `writes a baseline, says what it changes, and changes nothing the next time`() throws {
    let first = update(try results.write("first"))
    #expect(first.status == .done)
    #expect(
      first.output == """
        2 costs: 0 higher, 0 lower, 2 new; 0 gone

        New
          - ci/fetch/strategy=eager: 2 costs

        """
    )
    let name = try #require(try names().first)
    #expect(name.hasPrefix("ci-sqlite-3.40.1-"))
    #expect(first.errors == "wrote \(folder)/\(name)\n")
    let bytes = FileManager.default.contents(atPath: folder + "/" + name)
    let again = update(try results.write("again", seconds: 9))
    #expect(again.output == "nothing changed: 2 costs\n")
    #expect(FileManager.default.contents(atPath: folder + "/" + name) == bytes)
    let slower = try results.write("slower", steps: 103)
    let dry = update(slower, "--dry-run")
    #expect(dry.output.hasPrefix("2 costs: 1 higher, 0 lower, 0 new; 0 gone\n"))
    let row = dry.output.split(separator: "\n").last?.split(separator: " ")
    #expect(
      row == ["sqlite.vmSteps", "100", "103", "+3.00", "%", "ci/fetch/strategy=eager"],
      "\(dry.output)"
    )
    #expect(FileManager.default.contents(atPath: folder + "/" + name) == bytes)
    #expect(update(slower).output == dry.output)
    #expect(FileManager.default.contents(atPath: folder + "/" + name) != bytes)
  }

  @Test func `an empty folder of baselines is 'cannot tell', with the command that makes one`()
    throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try results.folder.write("", to: "baselines/.gitkeep")
    let result = try results.write("result")
    let compared = run(["compare", folder, result])
    #expect(compared.status == .done, "\(compared.errors)")
    let words = compared.output.replacing("\n", with: " ")
    #expect(words.contains("has no baseline of these workloads"), "\(compared.output)")
    #expect(compared.output.contains("storebench baseline update \(result) --folder \(folder)"))
    #expect(run(["compare", folder, result, "--require-verdict"]).status == .undecided)
  }

  @Test(
    arguments: [
      (100, 2, 0, "0 regressed"), (101, 2, 2, "1 regressed"), (100, 3, 2, "1 regressed"),
      (99, 2, 0, "1 improved"),
    ] as [(Double, Double, Int32, String)]
  )
  func `a count more fails, a count less is improved`(
    steps: Double,
    syncs: Double,
    status: Int32,
    summary: String
  ) throws {
    #expect(update(try results.write("baseline")).status == .done)
    let result = try results.write("result", steps: steps, syncs: syncs)
    let name = try #require(try names().first)
    for baseline in [folder, "\(folder)/\(name)"] {
      let ending = run(["compare", baseline, result, "--require-verdict"])
      #expect(ending.status.code == status)
      #expect(ending.output.contains(summary))
      let hint = "storebench baseline update \(result) --folder \(folder)"
      #expect(ending.output.contains(hint) == (summary == "1 improved"))
    }
  }

  @Test func `an unknown build cannot be told, and the command that adds it works`() throws {
    #expect(update(try results.write("baseline")).status == .done)
    let other = try results.write("other") { $0.environment.sqliteSourceID = "2024 b" }
    let ending = run(["compare", folder, other])
    #expect(ending.status == .done)
    let text = ending.output.replacing("\n", with: " ")
    #expect(text.contains("Cannot tell: '\(folder)' has no baseline"), "\(text)")
    #expect(run(["compare", folder, other, "--require-verdict"]).status == .undecided)
    let line = try #require(
      ending.output.split(separator: "\n").last { $0.contains("baseline update") }
    )
    let words = line.split(separator: " ").map(String.init)
    #expect(words.first == "storebench")
    #expect(run(Array(words.dropFirst())).status == .done)
    #expect(try names().count == 2)
    #expect(run(["compare", folder, other, "--require-verdict"]).status == .done)
  }

  @Test func `a failed case fails also where there is no baseline`() throws {
    #expect(update(try results.write("baseline")).status == .done)
    let other = try results.write("other") {
      $0.environment.sqliteSourceID = "2024 b"
      $0.workloads[0].cases[0].outcome = .failed("lost a row")
    }
    let ending = run(["compare", folder, other])
    #expect(ending.status == .caseFailed)
    #expect(ending.output.contains("FAILED: lost a row"))
  }

  @Test(arguments: ["junit", "github", "markdown"])
  func `every format says that there is no baseline`(format: String) throws {
    #expect(update(try results.write("baseline")).status == .done)
    let other = try results.write("other") { $0.environment.sqliteSourceID = "2024 b" }
    let ending = run(["compare", folder, other, "--format", format])
    #expect(ending.status == .done)
    #expect(ending.output.replacing("\n", with: " ").contains("has no baseline of these workloads"))
  }

  @Test func `refuses unlike things by name, with the command for who means it`() throws {
    #expect(update(try results.write("baseline")).status == .done)
    let digest = String(repeating: "0", count: 64)
    let other = try results.write("other") {
      $0.workloads[0].pragmas["sector_size"] = "512"
      $0.workloads[0].store.digest = digest
    }
    let ending = run(["compare", folder, other])
    #expect(ending.status == .badInput)
    let text = ending.output.replacing("\n", with: " ")
    for words in [
      "pragma sector_size of 'ci/fetch' is not set", "store digest of 'ci/fetch' is another one",
      "baseline update",
    ] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(!text.contains(digest))
    #expect(run(["compare", folder, other, "--verbose"]).output.contains(digest.prefix(40)))
  }

  @Test func `a changed setting is a cause, and its costs are judged`() throws {
    #expect(update(try results.write("baseline")).status == .done)
    let other = try results.write("other", steps: 101) {
      $0.workloads[0].pragmas["page_size"] = "8192"
      $0.workloads[0].store.digest = String(repeating: "0", count: 64)
    }
    let ending = run(["compare", folder, other])
    #expect(ending.status == .regression)
    #expect(ending.output.contains("Settings changed: page_size 4096 → 8192"), "\(ending.output)")
  }

  @Test func `says what is missing and what does not go together`() throws {
    let result = try results.write("result")
    let missing = run(["compare", folder, result])
    #expect(missing.status == .noInput)
    let lines = missing.output.split(separator: "\n")
    #expect(lines.contains("To make this result the baseline"), "\(missing.output)")
    #expect(lines.contains("    storebench baseline update \(result) --folder \(folder)"))
    #expect(update(result).status == .done)
    let times = run(["compare", folder, result, "--earlier", result])
    #expect(times.status == .misuse)
    #expect(times.errors == "'--earlier' needs a result to compare with: a baseline has no times\n")
  }

  @Test func `a baseline in the place of the result is told from rubbish`() throws {
    let result = try results.write("result")
    #expect(update(result).status == .done)
    let baseline = "\(folder)/\(try #require(try names().first))"
    for arguments in [["compare", result, baseline], ["baseline", "update", baseline]] {
      let ending = run(arguments)
      #expect(ending.status == .badInput)
      #expect(
        ending.errors == "'\(baseline)' is not a result: it is a baseline: in 'compare', name it "
          + "before the result\n"
      )
    }
  }

  @Test func `cases in which nothing changed take one line a workload`() throws {
    let result = try results.write("result")
    #expect(update(result).status == .done)
    let ending = run(["compare", folder, result])
    #expect(ending.output.contains("ci/fetch, 1 case: unchanged\n"))
    #expect(run(["compare", folder, result, "--all"]).output.contains("vfs.syncs"))
  }

  @Test func `keeps the baselines of workloads that did not run, unless told to prune`() throws {
    let both = try results.write("both") { document in
      var other = document.workloads[0]
      other.workload = "ci/other"
      other.cases[0].id = "ci/other/strategy=eager"
      document.workloads.append(other)
    }
    #expect(update(both).status == .done)
    let path = "\(folder)/\(try #require(try names().first))"
    let one = try results.write("one", steps: 90)
    let ending = run(["compare", folder, one])
    #expect(ending.output.contains("baseline update \(one)"), "\(ending.output)")
    #expect(update(one).status == .done)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("ci/other/strategy=eager"))
    #expect(run(["compare", folder, both]).output.contains("1 regressed"))
    #expect(update(one, "--prune").output.contains("Gone\n  - ci/other/strategy=eager"))
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("ci/other"))
  }

  @Test func `two baselines of one build that hold a workload are one too many`() throws {
    let result = try results.write("result")
    #expect(update(result).status == .done)
    let name = try #require(try names().first)
    try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/b.csv")
    let ending = run(["compare", folder, result])
    #expect(ending.status == .badInput)
    #expect(ending.errors.contains("name the file to compare with"))
  }
}

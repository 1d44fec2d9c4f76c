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
    // A long path can be broken across lines.
    let letters = ending.output.filter { !$0.isWhitespace }
    #expect(letters.contains("Cannottell:'\(folder)'hasnobaseline"), "\(ending.output)")
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

  /// Compares a result with the baseline in Markdown, which, unlike the terminal, shows the next
  /// step.
  private func compare(_ result: String) -> StoredResults.Ending {
    run(["compare", folder, result, "--require-verdict", "--format", "markdown"])
  }

  private func words(_ ending: StoredResults.Ending) -> String {
    ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `changed content is judged again once the baseline is updated, as the next step says`()
    throws
  {
    func result(_ name: String, _ digest: String, steps: Double) throws -> String {
      try results.write(name, steps: steps) {
        $0.workloads[0].store.digest = digest
        $0.workloads[0].inputs = [InputFact(.recipe, file: "recipes/tasks.yaml", digest: digest)]
      }
    }
    #expect(update(try result("baseline", "a", steps: 100)).status == .done)
    let changed = try result("changed", "b", steps: 120)
    let ending = compare(changed)
    #expect(ending.status == .done)
    for part in [
      "Update the baseline with 'storebench baseline update",
      "until then, later rises in 1 case with changed content are not judged.",
    ] {
      #expect(words(ending).contains(part), "\(ending.output)")
    }
    #expect(ending.output.contains("storebench baseline update \(changed) --folder \(folder)"))
    #expect(update(changed).status == .done)
    #expect(words(compare(changed)).contains("Nothing has to be done."))
    let lower = compare(try result("lower", "b", steps: 119))
    #expect(words(lower).contains("a rise of what fell, up to its old value, is not seen."))
    let higher = compare(try result("higher", "b", steps: 121))
    #expect(higher.status == .regression)
  }

  @Test func `the next step names the command that adds or removes cases`() throws {
    let both = try results.write("both") { document in
      var other = document.workloads[0]
      other.workload = "ci/other"
      other.cases[0].id = "ci/other/strategy=eager"
      document.workloads.append(other)
    }
    let one = try results.write("one")
    #expect(update(one).status == .done)
    let added = compare(both)
    #expect(words(added).contains("1 case without a baseline is not judged."), "\(added.output)")
    #expect(update(both).status == .done)
    let removed = compare(one)
    #expect(removed.status == .undecided)
    let sentence = "1 case is only in the baseline: measure every case, or, if it is gone for good"
    #expect(words(removed).contains(sentence), "\(removed.output)")
    #expect(words(removed).contains("--prune'."), "\(removed.output)")
    #expect(!words(removed).contains("Measure what could not be compared again"))
    let build = try results.write("build") { $0.environment.sqliteSourceID = "2024 b" }
    let unknown = compare(build)
    #expect(words(unknown).contains("Make this result the baseline with 'storebench baseline"))
  }

  @Test func `keeps no case of a model that has changed`() throws {
    func result(_ name: String, model digest: String, isFiltered: Bool) throws -> String {
      try results.write(name) { document in
        document.workloads[0].store.digest = digest
        document.workloads[0].inputs = [InputFact(.model, file: "models/v1.yaml", digest: digest)]
        var other = document.workloads[0].cases[0]
        other.id = "ci/fetch/strategy=batched"
        if !isFiltered { document.workloads[0].cases.append(other) }
      }
    }
    #expect(update(try result("all", model: "a", isFiltered: false)).status == .done)
    let same = update(try result("same", model: "a", isFiltered: true))
    #expect(same.output == "nothing changed: 4 costs\n")
    let changed = update(try result("changed", model: "b", isFiltered: true))
    #expect(changed.output.contains("Gone\n  - ci/fetch/strategy=batched"), "\(changed.output)")
  }

  @Test func `a baseline with marks of a merge conflict is replaced with --prune`() throws {
    let result = try results.write("result")
    #expect(update(result).status == .done)
    let path = "\(folder)/\(try #require(try names().first))"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let marked = text.replacing("# build", with: "<<<<<<< HEAD\n# build")
    try marked.write(toFile: path, atomically: true, encoding: .utf8)
    let refused = update(result)
    #expect(refused.status == .badInput)
    for part in [
      "line 5: it is a mark of a merge conflict", "with '--prune', this result replaces",
    ] {
      #expect(refused.errors.contains(part), "\(refused.errors)")
    }
    #expect(update(result, "--prune").status == .done)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }
}

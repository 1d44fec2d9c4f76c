import Basics
import Compare
import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

struct HistoryCommandTests {
  private let results: StoredResults
  private var folder: String { results.folder.path + "/history" }

  init() throws { results = try StoredResults() }

  private static func hash(_ number: Int) -> String { "000000\(number)" }

  private func add(
    _ time: String,
    steps: Double,
    commit: String,
    to folder: String? = nil
  ) throws -> StoredResults.Ending {
    let result = try results.write("r-\(time)", steps: steps) { document in
      document.environment.startedAt = time
    }
    return results.run(
      ["history", "add", result, "--commit", commit, "--folder", folder ?? self.folder]
    )
  }

  private func files(_ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains(".csv") }
      .sorted()
  }

  @Test func `shows each step of a counter with its commit, and no other`() throws {
    for (day, steps) in [(1, 100.0), (2, 100), (3, 101), (4, 101)] {
      let ending = try add("2026-04-0\(day)T00:00:00Z", steps: steps, commit: Self.hash(day))
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(ending.errors.hasPrefix("wrote "))
    }
    let shown = results.run(["history", "show", "--folder", folder])
    #expect(shown.status == .done)
    #expect(
      shown.output.hasPrefix(
        "1 change of exact counters (1 up, 0 down) in 4 commits; too few to judge times\n"
      )
    )
    #expect(shown.output.contains("0000003 (2026-04-03), after 0000002, by date"))
    #expect(shown.output.contains("'By date': no recorded parents lead"), "\(shown.output)")
    #expect(shown.output.contains(/sqlite\.vmSteps +100 +101 +\+1 %/), "\(shown.output)")
    let page = results.run(["history", "show", "--folder", folder, "--format", "html"])
    #expect(page.output.contains("0000003 (2026-04-03)"))
    #expect(page.output.hasPrefix("<!doctype html>"))
    let none = results.run(["history", "show", "--folder", folder, "--filter", "other*"])
    #expect(none.output.contains("No counter differs between the commits."))
  }

  @Test func `shows ten digits of a hash, and the whole on request and in JSON`() throws {
    let hashes = ["1", "2", "a"].map { String(repeating: $0, count: 40) }
    for (day, (hash, steps)) in zip(hashes, [100.0, 150, 100]).enumerated() {
      _ = try add("2026-04-0\(day + 1)T00:00:00Z", steps: steps, commit: hash)
    }
    func shown(_ format: String) -> String {
      results.run(["history", "show", "--folder", folder, "--format", format]).output
    }
    #expect(shown("text").contains("aaaaaaaaaa (2026-04-03), after 2222222222"))
    #expect(!shown("text").contains(hashes[2]))
    let page = shown("html")
    #expect(page.contains("<span title=\"\(hashes[2])\">aaaaaaaaaa</span>"))
    #expect(!page.replacing(/title="[^"]*"/, with: "").contains(hashes[2]))
    #expect(page.contains("SQLite steps"))
    #expect(shown("json").contains(hashes[2]))
    // Commits are printed in full if their hashes have a common prefix.
    let like = String(repeating: "a", count: 39) + "b"
    _ = try add("2026-04-04T00:00:00Z", steps: 90, commit: like)
    let words = shown("text").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("\(like) (2026-04-04), after \(hashes[2])"))
  }

  @Test func `a result twice adds nothing, and months that are over become one file`() throws {
    for day in 1...3 { _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: Self.hash(day)) }
    #expect(try files(folder).count == 3)
    let again = try add("2026-03-02T00:00:00Z", steps: 1, commit: Self.hash(2))
    #expect(again.errors.contains("already contains this result"))
    _ = try add("2026-04-01T00:00:00Z", steps: 1, commit: "aaaaaa1")
    let names = try files(folder)
    #expect(names.count == 2)
    #expect(names.contains { $0.hasPrefix("2026-03-") && $0.hasSuffix(".csv.gz") })
    #expect(try HistoryFolder(path: folder).read().commits == (1...3).map(Self.hash) + ["aaaaaa1"])
  }

  @Test func `a month that is too large for one file keeps its files, and can be read`() throws {
    for day in 1...3 { _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: Self.hash(day)) }
    let file = URL(fileURLWithPath: folder + "/" + (try files(folder)[0]))
    let small = HistoryFolder(path: folder, limit: 2 * (try Data(contentsOf: file).count))
    let result = try results.write("r") { $0.environment.startedAt = "2026-04-01T00:00:00Z" }
    _ = try small.add(try ResultDocument(readingFrom: result), commit: "aaaaaa1")
    #expect(try files(folder).count == 4)
    #expect(try small.read().commits == (1...3).map(Self.hash) + ["aaaaaa1"])
  }

  @Test func `a branch with another line separator in its name can be read`() throws {
    let result = try results.write("r") { $0.environment.startedAt = "2026-04-01T00:00:00Z" }
    let branch = "a\u{2028}b\u{85}c"
    _ = try HistoryFolder(path: folder).add(
      try ResultDocument(readingFrom: result),
      commit: Self.hash(1),
      revision: SourceRevision(commit: Self.hash(1), branch: branch)
    )
    let history = try HistoryFolder(path: folder).read()
    #expect(history.revisions[Self.hash(1)]?.branch == branch)
  }

  @Test func `branches merge by keeping the files of both`() throws {
    let other = results.folder.path + "/branch"
    for day in 1...2 {
      _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: Self.hash(day))
      _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: Self.hash(day), to: other)
    }
    _ = try add("2026-04-01T00:00:00Z", steps: 1, commit: "aaaaaa1")
    _ = try add("2026-03-05T00:00:00Z", steps: 2, commit: "bbbbbb1", to: other)
    _ = try add("2026-04-02T00:00:00Z", steps: 2, commit: "bbbbbb2", to: other)
    // Git would merge the folders without conflicts, because neither branch changes the other's
    // files.
    for name in try files(other) {
      let (from, to) = ("\(other)/\(name)", "\(folder)/\(name)")
      if let bytes = FileManager.default.contents(atPath: to) {
        #expect(FileManager.default.contents(atPath: from) == bytes)
      } else {
        try FileManager.default.copyItem(atPath: from, toPath: to)
      }
    }
    let commits = try HistoryFolder(path: folder).read().commits
    #expect(commits == (1...2).map(Self.hash) + ["bbbbbb1", "aaaaaa1", "bbbbbb2"])
    _ = try add("2026-04-03T00:00:00Z", steps: 2, commit: "aaaaaa2")
    #expect(try files(folder).filter { $0.hasPrefix("2026-03-") }.count == 1)
    #expect(try HistoryFolder(path: folder).read().commits == commits + ["aaaaaa2"])
  }

  @Test func `names what is wrong with a file or a result`() throws {
    _ = try add("2026-03-01T00:00:00Z", steps: 1, commit: Self.hash(1))
    let path = folder + "/" + (try files(folder)[0])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for (change, line) in [
      (text.replacing("# StoreBench", with: "# Other"), 1),
      (text.replacing("startedAt,", with: "time,"), 2), (text + "a,b\n", 6),
      (text.replacing("\n20", with: "\nodd,20"), 3), ("", 1), ("# StoreBench history 2\n", 2),
      (String(text.dropLast()), 5), (text.replacing("startedAt,", with: "\n\ntime,"), 4),
    ] {
      try change.write(toFile: path, atomically: true, encoding: .utf8)
      let shown = results.run(["history", "show", "--folder", folder])
      #expect(shown.status == .badInput)
      #expect(shown.errors.contains("is not a file of a history: line \(line):"), "\(shown.errors)")
    }
    let nowhere = results.run(["history", "show", "--folder", "no/where"])
    #expect(nowhere.status == .noInput)
    let result = try results.write("r") { document in
      document.environment.startedAt = "2026-04-01T00:00:00Z"
    }
    let commitless = results.run(["history", "add", result, "--folder", folder])
    #expect(commitless.status == .misuse)
    let unchanged = results.run([
      "history", "bisect", "x", "y", "--folder", folder, "--allow-debug",
    ])
    #expect(unchanged.status == .badInput)
  }

  @Test(arguments: [
    "--output=x", "main", "HEAD", "abc123", "0123456g", "a1b2c3d;rm -rf x", "-Ox", "",
  ])
  func `takes nothing but a hash for a commit`(commit: String) throws {
    let result = try results.write("r") { $0.environment.startedAt = "2026-04-01T00:00:00Z" }
    let ending = results.run(
      ["history", "add", result, "--commit=\(commit)", "--folder", folder]
    )
    #expect(ending.status == .misuse, "\(ending.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  /// Adds a result that was measured on `day`, at a commit with the given parents.
  private func add(
    _ day: Int,
    parents: [Int],
    committedOn date: Int,
    isDirty: Bool = false
  ) throws -> StoredResults.Ending {
    let result = try results.write("s\(day)", steps: Double(day)) { document in
      document.environment.startedAt = "2026-05-0\(day)T00:00:00Z"
      document.environment.source = SourceRevision(
        commit: Self.hash(day),
        branch: "main",
        isDirty: isDirty,
        committedAt: "2026-04-0\(date)T00:00:00Z",
        parents: parents.map(Self.hash),
        subject: "Change \(day)"
      )
    }
    return results.run(["history", "add", result, "--folder", folder])
  }

  @Test func `orders commits by their dates and parents, whenever they were measured`() throws {
    // The results are measured in the order 1, 2, 3, but committed in the order 3, 2, 1; the date
    // of commit 2 is wrong.
    for (day, parents, date) in [(1, [2], 5), (2, [3], 1), (3, [], 4)] {
      let ending = try add(day, parents: parents, committedOn: date)
      #expect(ending.status == .done, "\(ending.errors)")
    }
    let history = try HistoryFolder(path: folder).read()
    #expect(history.commits == [3, 2, 1].map(Self.hash))
    #expect(history.steps.map(\.after.commit) == [2, 1].map(Self.hash))
    let shown = results.run(["history", "show", "--folder", folder]).output
    #expect(shown.contains("0000001 Change 1 (2026-04-05), after 0000002 Change 2"), "\(shown)")
  }

  @Test func `a result of uncommitted changes is of no commit, unless one is named`() throws {
    let ending = try add(1, parents: [], committedOn: 1, isDirty: true)
    #expect(ending.status == .misuse)
    #expect(ending.errors.contains("uncommitted changes to 0000001"), "\(ending.errors)")
    let result = results.folder.path + "/s1"
    let named = ["history", "add", result, "--folder", folder, "--commit", Self.hash(1)]
    #expect(results.run(named).status == .done)
  }

  @Test func `a misspelled case or metric is named in bisect`() throws {
    for day in 1...2 { _ = try add(day, parents: [], committedOn: day) }
    let id = try #require(try HistoryFolder(path: folder).read().steps.first?.series.caseID)
    func bisect(_ words: String...) -> String {
      results.run(["history", "bisect"] + words + ["--folder", folder, "--allow-debug"]).errors
    }
    #expect(bisect(id + "x", "sqlite.vmSteps").contains("no case '\(id)x'; did you mean '\(id)'?"))
    #expect(bisect(id, "sqlite.vmStep").contains("no metric 'sqlite.vmStep'"))
    #expect(bisect(id, "sqlite.vmStep").contains("did you mean 'sqlite.vmSteps'?"))
  }

  @Test func `a rise after a commit fails where asked for`() throws {
    for day in 1...3 { _ = try add(day, parents: day > 1 ? [day - 1] : [], committedOn: day) }
    func show(_ options: String...) -> StoredResults.Ending {
      results.run(["history", "show", "--folder", folder] + options)
    }
    #expect(show().status == .done)
    #expect(show("--fail-on-change").status == .regression)
    #expect(show("--since", Self.hash(2), "--fail-on-change").status == .regression)
    let last = show("--since", Self.hash(3), "--fail-on-change")
    #expect(last.status == .done)
    #expect(last.output.hasPrefix("0 changes of exact counters"), "\(last.output)")
    let since = show("--since", Self.hash(2))
    #expect(
      since.output.contains("1. 0000003 Change 3: ci/fetch, 1 change in 1 case, most"),
      "\(since.output)"
    )
    #expect(since.output.contains("cannot tell yet (3 of 50 commits)"), "\(since.output)")
    #expect(show("--since", "main").status == .badInput)
  }

  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine")
  )
  func `its JSON follows the published schema and says what the text says`() throws {
    for day in 1...3 { _ = try add(day, parents: day > 1 ? [day - 1] : [], committedOn: day) }
    let json = results.run(["history", "show", "--folder", folder, "--format", "json"])
    #expect(json.status == .done)
    let schema = "Results/schema/history-v1.schema.json"
    #expect(try SchemaValidator.problems(of: [json.output], schema: schema) == [""])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let document = try #require(object)
    let changes = try #require(document["changes"] as? [[String: Any]])
    #expect(changes.compactMap { $0["metric"] as? String } == ["sqlite.vmSteps", "sqlite.vmSteps"])
    #expect((changes.first?["after"] as? [String: Any])?["commit"] as? String == Self.hash(2))
    let summary = try #require(document["summary"] as? [[String: Any]])
    #expect(summary.compactMap { $0["subject"] as? String } == ["Change 3", "Change 2"])
    let times = try #require(document["times"] as? [[String: Any]])
    let verdicts = times.compactMap { ($0["verdicts"] as? [[String: Any]])?.first?["verdict"] }
    #expect(Set(verdicts.compactMap { $0 as? String }) == ["cannotTellYet"])
  }
}

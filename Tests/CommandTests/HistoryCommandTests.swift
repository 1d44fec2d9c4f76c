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
      let ending = try add("2026-04-0\(day)T00:00:00Z", steps: steps, commit: "commit\(day)")
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(ending.errors.hasPrefix("wrote "))
    }
    let shown = results.run(["history", "show", "--folder", folder])
    #expect(shown.status == .done)
    #expect(shown.output.hasPrefix("1 change of exact counters, 0 of times in 4 commits\n"))
    #expect(shown.output.contains("commit3 (2026-04-03), after commit2"))
    let row = shown.output.split(separator: "\n").first { $0.contains("sqlite.vmSteps") }
    #expect(row?.contains(/sqlite\.vmSteps +100 +101 +\+1 %/) == true, "\(shown.output)")
    let page = results.run(["history", "show", "--folder", folder, "--format", "html"])
    #expect(page.output.contains("commit3 (2026-04-03)"))
    #expect(page.output.hasPrefix("<!doctype html>"))
    let none = results.run(["history", "show", "--folder", folder, "--filter", "other*"])
    #expect(none.output.contains("No counter differs between the commits."))
  }

  @Test func `a result twice adds nothing, and months that are over become one file`() throws {
    for day in 1...3 { _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: "m\(day)") }
    #expect(try files(folder).count == 3)
    let again = try add("2026-03-02T00:00:00Z", steps: 1, commit: "m2")
    #expect(again.errors.contains("already contains this result"))
    _ = try add("2026-04-01T00:00:00Z", steps: 1, commit: "a1")
    let names = try files(folder)
    #expect(names.count == 2)
    #expect(names.contains { $0.hasPrefix("2026-03-") && $0.hasSuffix(".csv.gz") })
    #expect(try HistoryFolder(path: folder).read().commits == ["m1", "m2", "m3", "a1"])
  }

  @Test func `branches merge by keeping the files of both`() throws {
    let other = results.folder.path + "/branch"
    for day in 1...2 {
      _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: "m\(day)")
      _ = try add("2026-03-0\(day)T00:00:00Z", steps: 1, commit: "m\(day)", to: other)
    }
    _ = try add("2026-04-01T00:00:00Z", steps: 1, commit: "a1")
    _ = try add("2026-03-05T00:00:00Z", steps: 2, commit: "b1", to: other)
    _ = try add("2026-04-02T00:00:00Z", steps: 2, commit: "b2", to: other)
    // What git does: files of either side, none of which the other changed.
    for name in try files(other) {
      let (from, to) = ("\(other)/\(name)", "\(folder)/\(name)")
      if let bytes = FileManager.default.contents(atPath: to) {
        #expect(FileManager.default.contents(atPath: from) == bytes)
      } else {
        try FileManager.default.copyItem(atPath: from, toPath: to)
      }
    }
    let commits = try HistoryFolder(path: folder).read().commits
    #expect(commits == ["m1", "m2", "b1", "a1", "b2"])
    _ = try add("2026-04-03T00:00:00Z", steps: 2, commit: "a2")
    #expect(try files(folder).filter { $0.hasPrefix("2026-03-") }.count == 1)
    #expect(try HistoryFolder(path: folder).read().commits == commits + ["a2"])
  }

  @Test func `names what is wrong with a file or a result`() throws {
    _ = try add("2026-03-01T00:00:00Z", steps: 1, commit: "m1")
    let path = folder + "/" + (try files(folder)[0])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for (change, line) in [
      (text.replacing("# StoreBench", with: "# Other"), 1),
      (text.replacing("startedAt,", with: "time,"), 2), (text + "a,b\n", 6),
      (text.replacing("\n20", with: "\nodd,20"), 3),
    ] {
      try change.write(toFile: path, atomically: true, encoding: .utf8)
      let shown = results.run(["history", "show", "--folder", folder])
      #expect(shown.status == .badInput)
      #expect(shown.errors.contains("is not a file of a history: line \(line):"), "\(shown.errors)")
    }
    let nowhere = results.run(["history", "show", "--folder", "no/where"])
    #expect(nowhere.status == .noInput)
    let result = try results.write("r") { document in
      (document.environment.commit, document.environment.startedAt) = ("", "2026-04-01T00:00:00Z")
    }
    let commitless = results.run(["history", "add", result, "--folder", folder])
    #expect(commitless.status == .misuse)
    let unchanged = results.run([
      "history", "bisect", "x", "y", "--folder", folder, "--allow-debug",
    ])
    #expect(unchanged.status == .badInput)
  }
}

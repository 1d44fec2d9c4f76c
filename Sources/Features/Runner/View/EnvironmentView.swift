import Basics
import Reporting

extension Environment {
  /// Where and how it was measured, for the head of a report; `pragmas` are those that its workloads
  /// share.
  package func reportFacts(pragmas: [String: String] = [:]) -> [Report.Fact] {
    // Those that affect times most; the document has all of them.
    let names = ["journal_mode", "synchronous", "page_size", "cache_size"]
    let settings = names.compactMap { name in pragmas[name].map { "\(name) \($0)" } }
    let built = [
      "\(build) build", commit.isEmpty ? "" : "commit \(commit)", "Swift \(swiftVersion)",
    ]
    func fact(_ name: String, _ parts: [String]) -> Report.Fact {
      .init(name, Report.Text(parts.filter { !$0.isEmpty }.joined(separator: ", ")))
    }
    return [
      fact("Started", [startTime]),
      fact(
        "Machine",
        [
          machine, "\(Figures.counted(cores, "core")) (\(architecture))",
          "\(Figures.bytes(memoryBytes)) memory",
        ]
      ),
      fact("System", [operatingSystem, kernel, "stores on \(fileSystem)"]),
      fact("SQLite", [sqliteVersion] + settings), fact("Build", built),
    ]
  }

  /// `2026-04-01T09:12:44Z` as `2026-04-01 09:12:44 UTC`; other texts as they are.
  package var startTime: String {
    guard startedAt.count == 20, startedAt.hasSuffix("Z"), startedAt.contains("T") else {
      return startedAt
    }
    return startedAt.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC"
  }

  /// The warning that a report of a debug build begins with.
  package var debugWarning: Report.Text? {
    build == "debug"
      ? "debug build: its times are not representative of a release build" : nil
  }
}

import Basics
import Reporting

extension Environment {
  /// Returns information about the machine and the build for the top of a report, with the
  /// `pragmas` that all workloads share.
  package func reportFacts(pragmas: [String: String] = [:]) -> [Report.Fact] {
    // The settings that affect times most; the result document has all settings.
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

  /// The start time in readable form: `2026-04-01T09:12:44Z` becomes `2026-04-01 09:12:44 UTC`.
  ///
  /// Other strings stay unchanged.
  package var startTime: String {
    guard startedAt.count == 20, startedAt.hasSuffix("Z"), startedAt.contains("T") else {
      return startedAt
    }
    return startedAt.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC"
  }

  /// The warning at the top of a report of a debug build; `nil` for a release build.
  package var debugWarning: Report.Text? {
    build == "debug"
      ? "debug build: its times are not representative of a release build" : nil
  }
}

import Basics
import PersistentStore
import Runner
import SQLLog

/// What a program brings to the command line: its workload kinds, and what needs them.
package struct Program: Sendable {
  /// The kinds, in the order in which help and documentation list them.
  package let kinds: [any WorkloadKind.Type]
  /// Starts the replay of a log; `nil` where the program has no kind that replays logs.
  package let replays: LogReplayMaker?
  /// Counts what sections of logs read; `nil` where the program has no kind that replays logs.
  package let pages: LogPageCounter?
  /// What the program was built with or without, for `--version`.
  package let parts: String?

  package init(
    kinds: [any WorkloadKind.Type],
    replays: LogReplayMaker? = nil,
    pages: LogPageCounter? = nil,
    parts: String? = nil
  ) {
    (self.kinds, self.replays, self.pages, self.parts) = (kinds, replays, pages, parts)
  }

  /// Every metric of every kind, each once: those that all may record, then the kinds' own.
  var metrics: [Metric] {
    var names: Set<String> = []
    return (Metric.catalogue + kinds.flatMap { $0.metrics }).filter {
      names.insert($0.name).inserted
    }
  }

  /// Runs the command line of the process and ends it with the command's status.
  package func main() -> Never {
    // A reader that closes its end, such as `head`, ends the write with an error instead.
    signal(SIGPIPE, SIG_IGN)
    // So does a file that grows beyond a quota.
    signal(SIGXFSZ, SIG_IGN)
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    exit(Storebench.run(arguments, on: .standard(of: self)).code)
  }
}

/// A log that is replayed on stores, as it is and with each finding repaired.
package protocol LogReplay {
  /// Whether the log shows no values, so that a replay draws them.
  var hasGuessedValues: Bool { get }
  /// Replays on one store, which is copied and not changed; `scale` is how many times the log's
  /// objects it has.
  ///
  /// - Throws: what reading the store or running a statement throws.
  func measure(_ store: StoreFile, named name: String, scale: Double) throws -> ReplayReport.Size
}

/// Makes the replay of some logs with the findings to repair, in a folder of its own.
package typealias LogReplayMaker =
  @Sendable (
    _ logs: [String],
    _ findings: [SQLLog.Finding],
    _ folder: String,
    _ isStopped: @escaping () -> Bool,
    _ progress: @escaping (String) -> Void
  ) throws -> any LogReplay

/// Counts the pages that some lines of logs read on a copy of a store, from an empty page cache, in
/// a folder of its own.
package typealias LogPageCounter =
  @Sendable (
    _ logs: [String],
    _ lines: ClosedRange<Int>,
    _ store: StoreFile,
    _ folder: String
  ) throws -> ActionCheck.PageCount

import ArgumentParser
import Basics
import DataModel
import PersistentStore
import Runner
import SQLLog
import StoreBench
import SwiftModels

/// The command line, whose subcommands are in `Commands`; all print through a ``Console``.
struct Storebench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storebench",
    abstract: "Benchmark Core Data and SwiftData stores.",
    discussion: """
      StoreBench measures only the storage work. It uses the same file layout, SQL and SQLite as \
      Core Data and SwiftData. Apple's own code does not run.

      Exit status: 0 done; 1 a case failed; 2 regression; 3 the verdict is 'cannot tell'; 64 wrong \
      options; 65 bad input; 66 no such input; 70 internal error; 73 cannot write; 74 input or \
      output failed; 75 partial result, cases of a plan are missing; 130 interrupted.

      EXAMPLE: storebench run Workloads/main
      """,
    version: "storebench 0.4.0",
    subcommands: [
      GenerateCommand.self, PlanCommand.self, RunCommand.self, MergeCommand.self,
      HistoryCommand.self, ReportCommand.self,
      CompareCommand.self, CompareLiveCommand.self, BaselineCommand.self, InspectCommand.self,
      ReadyCommand.self, SchemaCommand.self,
      CrashTestCommand.self, ForecastCommand.self, GrowthCommand.self, CalibrateCommand.self,
      ObserveCommand.self, AnalyzeCommand.self,
      ReferenceCommand.self, NewCommand.self, CheckKindCommand.self, CleanCommand.self,
      WorkerCommand.self,
    ]
  )

  /// Parses arguments and runs the command they name; whatever goes wrong is one message on
  /// standard error.
  static func run(_ arguments: [String], on console: Console) -> CommandStatus {
    if let reader = console.program.swiftSources {
      ModelSource.readSwift { try reader($0).modelFamily }
    }
    // Each trial has such a process: to look through the options of all commands takes it longer
    // than many a trial.
    if arguments == WorkerProcess.trialArguments {
      return CommandStatus(code: Worker.run(kinds: console.program.kinds))
    }
    if let message = unknownCommand(in: arguments) {
      console.note(message)
      return .misuse
    }
    if arguments == ["--version"] {
      let packages = EnvironmentProbe.packages.sorted { $0.key < $1.key }
        .map { "\($0.key) \($0.value)" }
      let parts = [configuration.version, console.program.parts].compactMap(\.self)
      console.print(parts.joined(separator: ", "))
      console.print("SQLite \(SQLiteBuild.own)")
      console.print("packages: \(packages.joined(separator: ", "))")
      return .done
    }
    do {
      var command = try parseAsRoot(arguments)
      if let command = command as? any ConsoleCommand { return status(of: command, on: console) }
      // The root alone, and the parser's own help and version, which it throws.
      try command.run()
      return .done
    } catch {
      return report(error, on: console)
    }
  }

  private static func status(of command: any ConsoleCommand, on console: Console) -> CommandStatus {
    do {
      return try command.run(on: console)
    } catch let error as ValidationError {
      return report(error, on: console)
    } catch {
      console.note(error.hasFullDisk ? FullDisk.advice(error) : "\(error)")
      return CommandStatus(of: error)
    }
  }

  /// Prints an error of the parser: help that was asked for is data, a misuse is a message with
  /// where to read on, without the usage lines.
  private static func report(_ error: any Error, on console: Console) -> CommandStatus {
    let text = fullMessage(for: error, columns: console.width)
    let status = CommandStatus(code: exitCode(for: error).rawValue)
    guard status != .done else {
      console.printDocument(console.program.naming(text))
      return status
    }
    let lines = text.split(separator: "\n")
    var message = lines.first.map { String($0.trimmingPrefix("Error: ")) } ?? text
    // The values that an option takes stand below its message, a line each.
    let values = lines.filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { message += " " + values.joined(separator: ", ") }
    let hint = lines.last { $0.contains("--help'") }
    let command = hint.flatMap { $0.split(separator: "'").dropFirst().first }
    console.note(command.map { withHelp(message, String($0)) } ?? message)
    return status
  }

  /// A message with where to read on, in a sentence of its own after a question.
  private static func withHelp(_ message: String, _ command: String) -> String {
    ["?", "."].contains(message.last)
      ? "\(message) See '\(command)'" : "\(message); see '\(command)'"
  }

  /// The message for an argument in the place of a command that is none.
  private static func unknownCommand(
    in arguments: [String],
    of parent: any ParsableCommand.Type = Storebench.self,
    called path: String = "storebench"
  ) -> String? {
    let commands = parent.configuration.subcommands
    guard !commands.isEmpty, let word = arguments.first, !word.hasPrefix("-"), word != "help" else {
      return nil
    }
    if let command = commands.first(where: { $0.configuration.commandName == word }) {
      return unknownCommand(
        in: Array(arguments.dropFirst()),
        of: command,
        called: "\(path) \(word)"
      )
    }
    let names = commands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
    let message = "unknown command '\(word)'\(didYouMean(word, among: names))"
    return withHelp(message, "\(path) --help")
  }
}

/// A subcommand that says everything through a console, so that a test can read it.
///
/// The parser's own `run()` prints the command's help: only ``Storebench/run(_:on:)`` knows the
/// program whose kinds a command needs.
protocol ConsoleCommand: ParsableCommand {
  func run(on console: Console) throws -> CommandStatus
}

/// The command line of StoreBench for kinds of your own.
///
/// ```swift
/// import StoreBenchCommand
///
/// @main enum Program {
///   static func main() { StoreBenchCommand.main(kinds: [FlagTasks.self]) }
/// }
/// ```
public enum StoreBenchCommand {
  /// Parses the arguments of the process, runs the command that they name, and ends the process.
  ///
  /// All commands of `storebench` are there: `run`, `plan`, `compare`, `compare-live`, `report`, and
  /// so on. Trials run in worker processes, which are this program again with the argument `worker`:
  /// do nothing before this call that a worker must not do.
  ///
  /// Exit status: 0 done; 1 a case failed; 2 regression; 64 misuse; 65 bad input; `--help` lists all.
  public static func main(kinds: [any WorkloadKind.Type]) -> Never {
    let names = kinds.map { $0.name }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      Console.standard(of: Program(kinds: [])).note("two kinds have the name '\(twice)'")
      exit(CommandStatus.misuse.code)
    }
    var program = Program(kinds: kinds)
    let called = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    if !called.isEmpty { program.name = ShellWord.quoted(called) }
    program.main()
  }
}

/// What a program brings to the command line: its workload kinds, and what needs them.
package struct Program: Sendable {
  /// The kinds, in the order in which help and documentation list them.
  package let kinds: [any WorkloadKind.Type]
  /// Starts the replay of a log; `nil` where the program has no kind that replays logs.
  package let replays: LogReplayMaker?
  /// Measures indexes for a log; `nil` where the program has no kind that replays logs.
  package let indexes: LogIndexMeasurer?
  /// Counts what sections of logs read; `nil` where the program has no kind that replays logs.
  package let pages: LogPageCounter?
  /// Reads Swift source; `nil` where the program has no parser.
  package let swiftSources: SwiftSourceReader?
  /// What the program was built with or without, for `--version`.
  package let parts: String?
  /// What the program is called: commands in messages begin with it.
  package var name = Self.standardName
  private static let standardName = "storebench"

  package init(
    kinds: [any WorkloadKind.Type],
    replays: LogReplayMaker? = nil,
    indexes: LogIndexMeasurer? = nil,
    pages: LogPageCounter? = nil,
    swiftSources: SwiftSourceReader? = nil,
    parts: String? = nil
  ) {
    (self.kinds, self.replays, self.pages, self.parts) = (kinds, replays, pages, parts)
    self.swiftSources = swiftSources
    self.indexes = indexes
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

  /// A message whose commands can be typed: those of a user's own program have its name.
  func naming(_ text: String) -> String {
    guard name != Self.standardName, text.contains(Self.standardName + " ") else { return text }
    let commands = Storebench.configuration.subcommands.compactMap { $0.configuration.commandName }
    return (commands + ["--"]).reduce(text) {
      $0.replacing("\(Self.standardName) \($1)", with: "\(name) \($1)")
    }
  }
}

/// Reads the models of a `.swift` file or of a folder of sources.
package typealias SwiftSourceReader = @Sendable (_ path: String) throws -> SwiftModelFamily

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

/// Replays logs on copies of a store with candidates for indexes, in a folder of its own.
package typealias LogIndexMeasurer =
  @Sendable (
    _ logs: [String],
    _ candidates: [IndexCandidate],
    _ store: StoreFile,
    _ folder: String,
    _ isStopped: @escaping () -> Bool,
    _ progress: @escaping (String) -> Void
  ) throws -> IndexProposals

/// Counts the pages that some lines of logs read on a copy of a store, from an empty page cache, in
/// a folder of its own.
package typealias LogPageCounter =
  @Sendable (
    _ logs: [String],
    _ lines: ClosedRange<Int>,
    _ store: StoreFile,
    _ folder: String
  ) throws -> ActionCheck.PageCount

import ArgumentParser
import Basics
import DataModel
import PersistentStore
import Runner
import SQLLog
import StoreBench
import SwiftModels

/// The command line with its subcommands in `Commands`, which all print through a ``Console``.
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

  /// Parses the arguments and runs the command that they name; any error becomes one message on
  /// standard error.
  static func run(_ arguments: [String], on console: Console) -> CommandStatus {
    if let reader = console.program.swiftSources {
      ModelSource.readSwift { try reader($0).modelFamily }
    }
    // Handle trials first: parsing the options of all commands takes longer than many trials, and
    // each trial starts a process.
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
      // Only the root command and the parser's own help and version commands remain.
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

  /// Prints an error of the parser.
  ///
  /// Requested help goes to standard output. Incorrect usage is reported with a reference to the
  /// help, without the usage lines.
  private static func report(_ error: any Error, on console: Console) -> CommandStatus {
    let text = fullMessage(for: error, columns: console.width)
    let status = CommandStatus(code: exitCode(for: error).rawValue)
    guard status != .done else {
      console.printDocument(console.program.naming(text))
      return status
    }
    let lines = text.split(separator: "\n")
    var message = lines.first.map { String($0.trimmingPrefix("Error: ")) } ?? text
    // The parser prints the accepted values of an option below its message, one per line.
    let values = lines.filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { message += " " + values.joined(separator: ", ") }
    let hint = lines.last { $0.contains("--help'") }
    let command = hint.flatMap { $0.split(separator: "'").dropFirst().first }
    console.note(command.map { withHelp(message, String($0)) } ?? message)
    return status
  }

  /// A message with a reference to the help: a separate sentence if the message ends with a
  /// question mark or full stop, otherwise a clause.
  private static func withHelp(_ message: String, _ command: String) -> String {
    ["?", "."].contains(message.last)
      ? "\(message) See '\(command)'" : "\(message); see '\(command)'"
  }

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

/// A subcommand that prints only through a console, so that tests can read its output.
///
/// The parser's own `run()` prints the command's help, because only ``Storebench/run(_:on:)`` knows
/// the program whose kinds a command needs.
protocol ConsoleCommand: ParsableCommand {
  func run(on console: Console) throws -> CommandStatus
}

/// The StoreBench command line, for programs with their own kinds.
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
  /// All commands of `storebench` are available: `run`, `plan`, `compare`, `compare-live`,
  /// `report`, and so on. Trials run in worker processes, which start this program again with the
  /// argument `worker`, so the code before this call also runs in every worker.
  ///
  /// Exit status: 0 done; 1 a case failed; 2 regression; 64 misuse; 65 bad input; `--help` lists
  /// all.
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

/// The parts of a program that the command line needs: its workload kinds and the functions that
/// depend on them.
package struct Program: Sendable {
  /// The kinds, in the order in which help and documentation list them.
  package let kinds: [any WorkloadKind.Type]
  /// Creates the replay of a log; `nil` if the program has no kind that replays logs.
  package let replays: LogReplayMaker?
  /// Measures indexes for a log; `nil` if the program has no kind that replays logs.
  package let indexes: LogIndexMeasurer?
  /// Counts the pages that sections of logs read; `nil` if the program has no kind that replays
  /// logs.
  package let pages: LogPageCounter?
  /// Reads Swift source; `nil` if the program has no parser.
  package let swiftSources: SwiftSourceReader?
  /// The optional parts that the program was built with or without, for `--version`.
  package let parts: String?
  /// The program's name, which is the first word of commands in messages.
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

  /// All distinct metrics: first the metrics that every kind may record, then the kinds' own
  /// metrics.
  var metrics: [Metric] {
    var names: Set<String> = []
    return (Metric.catalogue + kinds.flatMap { $0.metrics }).filter {
      names.insert($0.name).inserted
    }
  }

  /// Runs the command line of the process and ends it with the command's status.
  package func main() -> Never {
    // Ignore SIGPIPE, so that writing to a closed pipe, such as the pipe to `head`, fails with an
    // error instead.
    signal(SIGPIPE, SIG_IGN)
    // Ignore SIGXFSZ, so that writing beyond the file size limit fails with an error instead.
    signal(SIGXFSZ, SIG_IGN)
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    exit(Storebench.run(arguments, on: .standard(of: self)).code)
  }

  /// The text with the commands in it renamed to the program's actual name, so that users can type
  /// them.
  func naming(_ text: String) -> String {
    guard name != Self.standardName, text.contains(Self.standardName + " ") else { return text }
    let commands = Storebench.configuration.subcommands.compactMap { $0.configuration.commandName }
    return (commands + ["--"]).reduce(text) {
      $0.replacing("\(Self.standardName) \($1)", with: "\(name) \($1)")
    }
  }
}

/// A function that reads the models of a `.swift` file or of a folder of sources.
package typealias SwiftSourceReader = @Sendable (_ path: String) throws -> SwiftModelFamily

/// A replay of a log on stores, unchanged and with each finding repaired.
package protocol LogReplay {
  /// Whether the log omits bound values, so that the replay has to generate them.
  var hasGuessedValues: Bool { get }
  /// Replays the log on a copy of a store; `scale` is the ratio of the store's number of objects to
  /// the log's.
  ///
  /// - Throws: The errors of reading the store or running a statement.
  func measure(_ store: StoreFile, named name: String, scale: Double) throws -> ReplayReport.Size
}

/// A function that creates the replay of logs with the findings to repair, using the given folder
/// for its files.
package typealias LogReplayMaker =
  @Sendable (
    _ logs: [String],
    _ findings: [SQLLog.Finding],
    _ folder: String,
    _ isStopped: @escaping () -> Bool,
    _ progress: @escaping (String) -> Void
  ) throws -> any LogReplay

/// A function that replays logs with index candidates on copies of a store, using the given folder
/// for the copies.
package typealias LogIndexMeasurer =
  @Sendable (
    _ logs: [String],
    _ candidates: [IndexCandidate],
    _ store: StoreFile,
    _ folder: String,
    _ isStopped: @escaping () -> Bool,
    _ progress: @escaping (String) -> Void
  ) throws -> IndexProposals

/// A function that counts the pages that a range of log lines reads on a copy of a store in the
/// given folder, starting with an empty page cache.
package typealias LogPageCounter =
  @Sendable (
    _ logs: [String],
    _ lines: ClosedRange<Int>,
    _ store: StoreFile,
    _ folder: String
  ) throws -> ActionCheck.PageCount

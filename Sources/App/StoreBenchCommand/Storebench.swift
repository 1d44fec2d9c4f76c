import ArgumentParser
import Basics
import DataModel
import Runner

/// The command line: one file a subcommand, all printing through a ``Console``.
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
    version: "storebench 0.1.0",
    subcommands: [
      GenerateCommand.self, PlanCommand.self, RunCommand.self, MergeCommand.self,
      HistoryCommand.self, ReportCommand.self,
      CompareCommand.self, CompareLiveCommand.self, BaselineCommand.self, InspectCommand.self,
      CrashTestCommand.self, ForecastCommand.self, CalibrateCommand.self,
      ObserveCommand.self, AnalyzeCommand.self,
      ReferenceCommand.self, NewCommand.self, CheckKindCommand.self,
      WorkerCommand.self,
    ]
  )

  /// Parses arguments and runs the command they name; whatever goes wrong is one message on
  /// standard error.
  static func run(_ arguments: [String], on console: Console) -> CommandStatus {
    if let message = newSpelling(of: arguments) {
      console.note(message)
      return .misuse
    }
    if let message = unknownCommand(in: arguments) {
      console.note(message)
      return .misuse
    }
    do {
      let command = try parseAsRoot(arguments)
      guard let command = command as? any ConsoleCommand else {
        // The root alone, and the parser's own help and version.
        var command = command
        try command.run()
        return .done
      }
      return try command.run(on: console)
    } catch let error where isOfParser(error) {
      // Help that was asked for is data; a misuse is not.
      let text = fullMessage(for: error, columns: console.width)
      let status = CommandStatus(code: exitCode(for: error).rawValue)
      if status == .done { console.print(text) } else { console.note(oneLine(text)) }
      return status
    } catch {
      console.note(FullDisk.caused(error) ? FullDisk.advice(error) : "\(error)")
      return CommandStatus(of: error)
    }
  }

  private static func isOfParser(_ error: any Error) -> Bool {
    // The parser's own error has no public name.
    error is ValidationError || error is CleanExit || "\(type(of: error))" == "CommandError"
  }

  /// The parser's message and where to read on, without its usage lines.
  private static func oneLine(_ text: String) -> String {
    let lines = text.split(separator: "\n")
    let message = plain(lines.first.map { String($0.trimmingPrefix("Error: ")) } ?? text)
    let hint = lines.last { $0.contains("--help'") }
    let command = hint.flatMap { $0.split(separator: "'").dropFirst().first }
    return command.map { withHelp(message, String($0)) } ?? message
  }

  /// A message with where to read on, in a sentence of its own after a question.
  private static func withHelp(_ message: String, _ command: String) -> String {
    message.hasSuffix("?") ? "\(message) See '\(command)'" : "\(message); see '\(command)'"
  }

  /// The parser's own messages in the form of all others.
  private static func plain(_ message: String) -> String {
    if let match = message.wholeMatch(of: /Missing expected argument '([^']+)'/) {
      return "'\(match.1.replacing(" ...", with: ""))' is missing"
    }
    if let match = message.wholeMatch(of: /Unknown option '([^']+)'(\. Did you mean '([^']+)'\?)?/)
    {
      return "unknown option '\(match.1)'" + (match.3.map { "; did you mean '\($0)'?" } ?? "")
    }
    if let match = message.wholeMatch(of: /The value '([^']*)' is invalid for '(-[^ ']+)[^']*'/) {
      return "'\(match.2)' must be a number, not '\(match.1)'"
    }
    if let match = message.wholeMatch(
      of: /The value '([^']*)' is invalid for '(-[^ ']+)[^']*'\. Please provide one of (.+)\./
    ) {
      return "'\(match.2)' must be one of \(match.3), not '\(match.1)'"
    }
    return message.prefix(1).lowercased() + message.dropFirst()
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

  /// The command line to type in place of one with an option of `run` that is a command now.
  private static func newSpelling(of arguments: [String]) -> String? {
    guard arguments.first == "run" else { return nil }
    var words = arguments.dropFirst().flatMap { word in
      word.hasPrefix("--")
        ? word.split(separator: "=", maxSplits: 1).map { String($0) } : [word]
    }
    let commands = [
      "--against": "compare-live", "--kill": "crash-test", "--watchdog": "crash-test",
    ]
    guard let option = words.first(where: { commands[$0] != nil }), let command = commands[option]
    else { return nil }
    if let place = words.firstIndex(of: "--kill") {
      let isPoint = words.indices.contains(place + 1) && Int(words[place + 1]) == nil
      words[place] = isPoint ? "--at" : "--kills"
      // Kills measure nothing.
      words.removeAll { $0 == "--allow-debug" }
    }
    let line = (["storebench", command] + words.map { ShellWord.quoted($0) })
    return "'run \(option)' is now: \(line.joined(separator: " "))"
  }
}

/// A subcommand that says everything through a console, so that a test can read it.
protocol ConsoleCommand: ParsableCommand {
  func run(on console: Console) throws -> CommandStatus
}

extension ConsoleCommand {
  func run() throws {
    // Only the root's `run(_:on:)` starts commands, since they need a program.
    let status = try run(on: .standard(of: Program(kinds: [])))
    if status != .done { throw ExitCode(status.code) }
  }
}

import ArgumentParser
import Basics
import DataModel
import SQLLog

struct NewActionsCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "actions",
    abstract: "Write the actions of an app's log, with what they cost, to gate the app's code.",
    discussion: """
      An action starts at a line that the app printed. With --marker, the lines that match the \
      expression; without, every line of the app's own between which statements ran.

      EXAMPLE: storebench new actions app --from app.log --marker 'screen: (?<name>.+)'
      """
  )

  @Argument(help: "Name of the file, with or without '.yaml'.")
  var name: String

  @Option(help: ArgumentHelp("The app's log.", valueName: "log"))
  var from: String

  @Option(
    help: ArgumentHelp("Regular expression of the lines that mark actions.", valueName: "regex")
  )
  var marker: String?

  func run(on console: Console) throws -> CommandStatus {
    let path = NewFile.path(of: name)
    try NewFile.checkAbsent([path])
    let logs = StatementLog.logs(at: from)
    let text: String
    var rest: String?
    if let marker {
      text = try Self.text(marker: marker, logs)
    } else {
      let lines = try OwnLines(logs: logs)
      text = try Self.text(lines, logs, from)
      rest = Self.rest(of: lines)
    }
    try NewFile.write(text, to: path, on: console)
    if let rest { console.note(rest) }
    let baseline = "\(path.dropLast(5))-baseline.csv"
    console.note(
      "next: storebench analyze \(ShellWord.quoted(from)) --actions \(ShellWord.quoted(path)) "
        + "--baseline \(ShellWord.quoted(baseline)) --update-baseline"
    )
    return .done
  }

  private static let head = """
    # The actions of an app, for 'storebench analyze LOG --actions FILE'. Keys: docs/analyze.md.
    # The numbers are limits; remove those that a baseline holds.

    """

  private static func text(marker: String, _ logs: [String]) throws -> String {
    let check = try ActionCheck(nil, marker: ActionMarker(marker), logs: logs)
    let actions = check.outcomes.map { action($0, marks: []) }
    return head + "marker: \(YAMLText.quoted(marker))\nactions:\n" + actions.joined()
  }

  private static func rest(of lines: OwnLines) -> String? {
    guard lines.rest > 0 else { return nil }
    return "\(Figures.counted(lines.rest, "further line")) left out: use --marker"
  }

  private static func text(_ lines: OwnLines, _ logs: [String], _ path: String) throws -> String {
    let pairs = lines.pairs
    guard !pairs.isEmpty else {
      throw Refusal.badInput(
        "'\(path)' has no line of the app's own before its statements: print a line where an action "
          + "starts, such as print(\"screen: list\")"
      )
    }
    let actions = pairs.map { pair in
      var action = LogAction(name: pair.from)
      action.from = .line(pair.from)
      action.to = pair.to.map { .line($0) }
      return action
    }
    let check = try ActionCheck(ActionFile(actions: actions), logs: logs)
    let texts = zip(check.outcomes, pairs).map { outcome, pair in
      action(
        outcome,
        marks: ["from: \(YAMLText.quoted(pair.from))"]
          + (pair.to.map { ["to: \(YAMLText.quoted($0))"] } ?? [])
      )
    }
    let rest = rest(of: lines).map { "# \($0)\n" } ?? ""
    return head + rest + "actions:\n" + texts.joined()
  }

  /// Returns an action whose limits are the maximum costs of its occurrences in the log.
  private static func action(_ outcome: ActionCheck.Outcome, marks: [String]) -> String {
    let limits = LogAction.Measure.allCases.compactMap { measure in
      outcome.occurrences.compactMap { $0.value(measure) }.max().map {
        "\(measure.rawValue): \($0)"
      }
    }
    let keys = (marks + limits).map { "    \($0)\n" }.joined()
    return "  - name: \(YAMLText.quoted(outcome.name))\n\(keys)"
  }
}

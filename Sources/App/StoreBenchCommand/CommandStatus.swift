import Basics
import Runner

extension CommandStatus {
  /// The status of merged results.
  ///
  /// Missing cases come before all of them: the rest of the verdict is still to come.
  init(merged document: ResultDocument) {
    let isWhole = document.plan?.missing.isEmpty ?? true
    self = isWhole ? CommandStatus(of: document) : .partial
  }

  /// The status of a run.
  init(of document: ResultDocument) {
    self = document.failedCases.isEmpty ? .done : .caseFailed
  }
}

extension Refusal {
  static let noExecutable = Refusal.bug(
    "this program cannot find its own file, to run trials in their own process"
  )

  /// A commit cannot be measured.
  static func cannotMeasure(commit: String, reason: String) -> Refusal {
    Refusal.badInput("cannot measure '\(commit)': \(reason)")
  }

  /// The program lacks the kind that a command works with.
  static func noKind(_ kind: String, command: String) -> Refusal {
    Refusal.misuse(
      "'\(command)' needs the kind '\(kind)', which this program does not "
        + "contain: use 'storebench'"
    )
  }
}

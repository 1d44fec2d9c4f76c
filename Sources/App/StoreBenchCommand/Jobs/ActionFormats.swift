import Basics
import Foundation
import Reporting
import Runner
import SQLLog

extension ActionCheck {
  /// JUnit XML with one test per action; actions that exceed their limits or the baseline fail.
  var junit: String {
    let tests = outcomes.map { outcome in
      let message = outcome.problems.joined(separator: "\n")
      let result: JUnitXML.Outcome =
        outcome.isFailed
        ? .failure(type: "failed", message: message)
        : outcome.isRegressed
          ? .failure(type: "regressed", message: message)
          : outcome.sections == 0 ? .skipped("not in the log") : .passed
      return JUnitXML.Test(name: outcome.name, outcome: result)
    }
    return JUnitXML(suites: [.init(name: "actions", tests: tests)]).text
  }

  /// GitHub workflow commands: the verdict, and an annotation for each action with problems.
  var annotations: String {
    let isGood = !isFailed && !isRegressed
    let verdict = hasBaseline ? summary : report.title.plain
    var text = WorkflowCommand.text(isGood ? "notice" : "error", title: "StoreBench", verdict)
    for outcome in outcomes where !outcome.problems.isEmpty {
      let title = "\(outcome.name) \(outcome.isFailed ? "failed" : "regressed")"
      text += WorkflowCommand.text("error", title: title, outcome.problems.joined(separator: "\n"))
    }
    for note in notes { text += WorkflowCommand.text("warning", title: "StoreBench", note) }
    return text
  }

  var markdown: String { "# StoreBench actions\n\n" + report.markdown }
}

enum JobSummary {
  /// Appends text to the summary of a GitHub job; does nothing outside of such a job.
  static func add(_ text: String) throws {
    guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty
    else { return }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw Refusal.cannotWrite(path, reason: "GITHUB_STEP_SUMMARY names no file")
    }
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
  }
}

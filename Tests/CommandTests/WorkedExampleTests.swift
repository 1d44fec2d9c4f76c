import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Runs each command of the example in docs/analyze.md as printed, from a log to a failing check.
struct WorkedExampleTests {
  private let program: StorebenchProcess
  private var folder: TemporaryFolder { program.folder }
  /// The lines of code in the example, without their indentation.
  private let code: [String]

  init() throws {
    program = try StorebenchProcess()
    let page = try String(contentsOfFile: Repository.path("docs/analyze.md"), encoding: .utf8)
    let start = try #require(page.firstRange(of: "## An example: from a log to a gate\n"))
    let example = page[start.upperBound...]
    let end = example.firstRange(of: "\n## ")?.lowerBound ?? example.endIndex
    code = example[..<end].split(separator: "\n").filter { $0.hasPrefix("    ") }
      .map { String($0.dropFirst(4)) }
    try FileManager.default.removeItem(atPath: program.folder.file("Workloads"))
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.file("Workloads"),
      withDestinationPath: Repository.path("Workloads")
    )
  }

  /// Returns the words of a command as a shell passes them; file names become paths in the test's
  /// folder.
  private func words(of command: String) -> [String] {
    command.matches(of: /'[^']*'|\S+/).dropFirst().map {
      let word = String($0.output).replacing("'", with: "")
      let isFile =
        word.hasSuffix(".log") || word.hasSuffix(".sqlite") || word.hasSuffix(".csv")
        || word.hasSuffix(".yaml") || word == "app"
      return isFile ? folder.file(word) : word
    }
  }

  private func run(_ command: String) throws -> StorebenchProcess.Ending {
    var words = words(of: command)
    if words[0] == "run" {
      words += ["--allow-debug", "--output", folder.file("Results"), "--force"]
    }
    let usesStores = words[0] == "run" || words.contains("--replay")
    if usesStores || words[0] == "generate" { words += ["--work-folder", folder.file("sb")] }
    return try program.run(words)
  }

  @Test func `finds two faults, repairs them, and fails the change that brings one back`() throws {
    let screen = code.prefix { !$0.hasPrefix("storebench") }.joined(separator: "\n")
      .replacing("recipe: Workloads", with: "recipe: \(folder.file("Workloads"))")
    #expect(screen.hasPrefix("kind: fetch"))
    try folder.write(screen + "\n", to: "screen.yaml")
    // Apply the example's `sed` command, which adds the index, in Swift.
    let edit = try #require(code.first { $0.hasPrefix("sed ") })
    let inserted = try #require(edit.firstMatch(of: /i\\(.*)' (\S+)/))
    let model = try String(contentsOfFile: folder.file(String(inserted.2)), encoding: .utf8)
    let place = try #require(model.firstRange(of: "      byCreatedAt:"))
    try folder.write(
      model[..<place.lowerBound] + "\(inserted.1)\n" + model[place.lowerBound...],
      to: "tasks-indexed.yaml"
    )
    try folder.write(
      screen.replacing("tasks.yaml }", with: "tasks.yaml, model: tasks-indexed.yaml }")
        .replacing("prefetch: [[]]", with: "prefetch: [[subtasks]]") + "\n",
      to: "repaired.yaml"
    )
    var commands = code.filter { $0.hasPrefix("storebench ") }[...]
    #expect(commands.count == 8)
    func next() throws -> StorebenchProcess.Ending { try run(commands.popFirst() ?? "") }
    for _ in 1...2 {
      let made = try next()
      #expect(made.status == 0, "\(made.errors)")
    }
    let found = try next()
    #expect(found.status == 0, "\(found.errors)")
    let text = found.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in [
      "353 times fault on Subtask after the fetch of Task by sortOrder",
      "115 times fault on Task.subtasks", "no index on sortOrder, 10000 objects",
      "request.relationshipKeyPathsForPrefetching = [\"subtasks\"]",
      "it removes 506 of 508 statements",
      "40,872 steps of SQLite", "Task (sortOrder) 73 % 11,183", "#Index<Task>([\\.sortOrder])",
    ] { #expect(text.contains(words), "\(words): \(found.output)") }
    for _ in 1...4 {
      let made = try next()
      #expect(made.status == 0, "\(made.output)\(made.errors)")
    }
    let failed = try next()
    #expect(failed.status == 1, "\(failed.output)\(failed.errors)")
    #expect(failed.output.contains(/faults +507 +0  exceeded/), "\(failed.output)")
    #expect(failed.output.contains(/faults +1 +0 +507  regressed/), "\(failed.output)")
    #expect(commands.isEmpty)
  }
}

import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests the gate for an app's own code as described in docs/ci.md: a log, actions and a baseline.
struct AppGateTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.log(faults: 0), to: "app.log")
  }

  /// Returns a log of a list and of one row's details; without prefetching, each listed row fires a
  /// fault.
  private static func log(faults: Int) -> String {
    func fetch(_ sql: String, _ rows: Int) -> String {
      """
      CoreData: sql: \(sql)
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: total fetch execution time: 0.0010s for \(rows) rows.

      """
    }
    let list = fetch("SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZTASK t0 ORDER BY t0.ZTITLE LIMIT 40", 40)
    let fault = fetch("SELECT 0, t0.Z_PK, t0.ZNAME FROM ZOWNER t0 WHERE  t0.Z_PK = ? ", 1)
    return "app starts\nscreen: list\n" + list + String(repeating: fault, count: faults)
      + "screen: detail\n" + fault
  }

  private func run(_ arguments: String...) -> (
    status: CommandStatus, output: String, errors: String
  ) {
    let console = RecordingConsole()
    let paths = arguments.map { argument in
      [".yaml", ".csv", ".log"].contains { argument.hasSuffix($0) } || argument == "app"
        ? folder.file(argument) : argument
    }
    return (Storebench.run(paths, on: console.console), console.output, console.errors)
  }

  @Test(arguments: [["--marker", "screen: (?<name>.+)"], []])
  func `writes the actions of a log, makes a baseline, and fails a rise`(marker: [String]) throws {
    let console = RecordingConsole()
    let made = ["new", "actions", folder.file("app"), "--from", folder.file("app.log")] + marker
    #expect(Storebench.run(made, on: console.console) == .done, "\(console.errors)")
    let text = try String(contentsOfFile: folder.file("app.yaml"), encoding: .utf8)
    #expect(text.contains("statements: 1") && text.contains("faults: 0"), "\(text)")
    #expect(run("analyze", "app.log", "--actions", "app.yaml").status == .done)
    let missing = run(
      "analyze",
      "app.log",
      "--actions",
      "app.yaml",
      "--baseline",
      "app-baseline.csv"
    )
    #expect(missing.status == .noInput && missing.errors.contains("--update-baseline"))
    let written = run(
      "analyze",
      "app.log",
      "--actions",
      "app.yaml",
      "--baseline",
      "app-baseline.csv",
      "--update-baseline"
    )
    #expect(written.status == .done && written.errors.contains("8 counts"), "\(written.errors)")
    let same = run(
      "analyze",
      "app.log",
      "--actions",
      "app.yaml",
      "--baseline",
      "app-baseline.csv"
    )
    #expect(same.status == .done, "\(same.output)")
    // The simulated pull request removes the prefetching, so each row fires a fault.
    try folder.write(Self.log(faults: 40), to: "app.log")
    let failed = run("analyze", "app.log", "--actions", "app.yaml")
    #expect(failed.status == .caseFailed)
    try folder.write(
      text.replacing(/\n    (statements|faults|rows|saves): \d+/, with: ""),
      to: "app.yaml"
    )
    let risen = run(
      "analyze",
      "app.log",
      "--actions",
      "app.yaml",
      "--baseline",
      "app-baseline.csv"
    )
    #expect(risen.status == .regression, "\(risen.output)\(risen.errors)")
    #expect(risen.output.contains(/faults +1 +0 +40  regressed/), "\(risen.output)")
    #expect(risen.output.contains("fault on OWNER"), "\(risen.output)")
  }

  @Test func `writes the formats of CI servers`() throws {
    let gate = [
      "analyze", folder.file("app.log"), "--action-marker", "screen: (?<name>.+)", "--baseline",
      folder.file("b.csv"),
    ]
    func output(_ more: String...) -> (CommandStatus, String) {
      let console = RecordingConsole()
      return (Storebench.run(gate + more, on: console.console), console.output)
    }
    #expect(output("--update-baseline").0 == .done)
    try folder.write(Self.log(faults: 40), to: "app.log")
    let junit = output("--format", "junit")
    #expect(junit.0 == .regression)
    #expect(
      junit.1.contains("<testsuite name=\"actions\" tests=\"2\" failures=\"1\""),
      "\(junit.1)"
    )
    #expect(junit.1.contains("faults rose from 0 to 40"))
    let github = output("--format", "github").1
    #expect(
      github.contains(
        "::error title=list regressed::faults rose from 0 to 40%0Arows rose from 40 to 80%0A"
      ),
      "\(github)"
    )
    let markdown = output("--format", "markdown").1
    #expect(markdown.hasPrefix("# StoreBench actions\n\n"), "\(markdown)")
    #expect(output("--format", "json").1.contains("\"isRegressed\" : true"))
    #expect(output("--format", "html").1.hasPrefix("<!doctype html>"))
  }

  @Test func `an action's name starts no workflow command of its own`() throws {
    try folder.write(
      """
      actions:
        - name: "a\\r\\n::error::b"
          from: app starts
          rows: 0

      """,
      to: "app.yaml"
    )
    let checked = run("analyze", "app.log", "--actions", "app.yaml", "--format", "github")
    #expect(
      checked.output.contains("::error title=a%0D%0A%3A%3Aerror%3A%3Ab failed::"),
      "\(checked.output)\(checked.errors)"
    )
  }

  @Test func `shows what each action of a log costs`() throws {
    try folder.write(Self.log(faults: 40), to: "app.log")
    let shown = run("analyze", "app.log", "--action-marker", "screen: (?<name>.+)")
    #expect(shown.status == .done, "\(shown.errors)")
    #expect(shown.output.contains(/list +41 +80 +40/), "\(shown.output)")
    #expect(shown.output.contains("40 times fault on OWNER"))
  }

  @Test func `refuses options that do not go together`() {
    for options in [
      ["--baseline", "b.csv"], ["--update-baseline"], ["--format", "junit"],
      ["--action-marker", "x", "--compare"],
    ] {
      let console = RecordingConsole()
      let status = Storebench.run(
        ["analyze", folder.file("app.log")] + options,
        on: console.console
      )
      #expect(status == .misuse, "\(options) \(console.errors)")
    }
    let other = run("analyze", "app.log", "--action-marker", "list screen")
    #expect(other.status == .badInput)
    #expect(other.errors.contains("the app's own lines start with 'app starts', 'screen: list'"))
    let none = run("new", "actions", "app", "--from", "none.log")
    #expect(none.status == .noInput)
  }
}

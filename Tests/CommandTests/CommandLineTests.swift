import ArgumentParser
import Basics
import Foundation
import Runner
import Testing

@testable import StoreBenchCommand

struct CommandLineTests {
  @Test(arguments: [
    (["runn"], "unknown command 'runn'; did you mean 'run'? See 'storebench --help'"),
    (["run"], "'<file>' is missing; see 'storebench run --help'"),
    (
      ["plan", "--set", "a", "x"],
      "'--set a' must be name=value, such as batchSize=20; see 'storebench plan --help'"
    ),
    (
      ["plan", "--trials", "0", "x"],
      "'--trials' must be from 1 to 100000, not 0; see 'storebench plan --help'"
    ),
    (
      ["report", "x", "--format", "y"],
      "'--format' must be one of \(ResultFormat.allCases.map(\.rawValue).joined(separator: ", ")), svg, "
        + "not 'y'; see 'storebench report --help'"
    ),
    (
      ["generate", "x", "--objects", "Task"],
      "'--objects Task' must be entity=count, such as Task=100000 or Task=100k; see 'storebench generate --help'"
    ),
    (
      ["generate", "x", "--memory", "5MB"],
      "'--memory' must be a size of at least 16 MB, such as 512MB, not '5MB'; "
        + "see 'storebench generate --help'"
    ),
    (
      ["generate", "x", "--verify", "--writer", "sql"],
      "'--verify' needs '--writer bulk': SQLite writes different bytes; see 'storebench generate "
        + "--help'"
    ),
  ])
  func `says in one line what is misused`(arguments: [String], message: String) {
    let console = RecordingConsole()
    #expect(Storebench.run(arguments, on: console.console) == .misuse)
    #expect(console.errors == message + "\n")
    #expect(console.output.isEmpty)
  }

  @Test(arguments: [
    (
      ["run", "x", "--seed", "3"],
      "Unknown option '--seed'. Did you mean '--set'? See 'storebench run --help'"
    ),
    (
      ["run", "x", "--budget", "soon"],
      "'--budget' must be a time such as 0s, 90s or 10m, not 'soon'; see 'storebench run --help'"
    ),
    (["run", "x", "--against", "y"], "Unknown option '--against'; see 'storebench run --help'"),
    (["run", "x", "--force"], "'--force' is for '--output'; see 'storebench run --help'"),
    (
      ["generate", "x", "--writer", "sql", "--memory", "1GB"],
      "'--memory' works only with '--writer bulk'; see 'storebench generate --help'"
    ),
    (
      ["generate", "--like", "x", "--verify"],
      "'--verify' is for a recipe; see 'storebench generate --help'"
    ),
    (
      ["inspect", "x", "--profile", "--format", "json"],
      "'--format json' cannot be combined with '--profile'; see 'storebench inspect --help'"
    ),
    (
      ["compare", "a", "b", "--format", "github", "--all"],
      "'--all' works only with the format 'table'; see 'storebench compare --help'"
    ),
    (
      ["calibrate", "--print-source", "--name", "x"],
      "'--print-source' measures nothing: leave out '--name'; see 'storebench calibrate --help'"
    ),
  ])
  func `refuses an option that has no effect`(arguments: [String], message: String) {
    let console = RecordingConsole()
    #expect(Storebench.run(arguments, on: console.console) == .misuse)
    #expect(console.errors == message + "\n")
  }

  @Test(arguments: [
    (["plan", "nowhere"], CommandStatus.noInput, "no such file or folder: 'nowhere'"),
    (["inspect", "nowhere.sqlite"], .noInput, "there is no store at 'nowhere.sqlite'"),
    (["generate", "nowhere.yaml"], .noInput, "no such file: 'nowhere.yaml'"),
    (
      ["report", "nowhere"], .noInput,
      "there is no result at 'nowhere': name a result file or the folder of a run"
    ),
  ])
  func `says in one line what is not there`(
    arguments: [String],
    status: CommandStatus,
    message: String
  ) {
    let console = RecordingConsole()
    #expect(Storebench.run(arguments, on: console.console) == status)
    #expect(console.errors == message + "\n")
  }

  @Test(arguments: ["kinds", "metrics", "generators"])
  func `a command that is gone is an unknown word`(word: String) {
    let console = RecordingConsole()
    #expect(Storebench.run([word], on: console.console) == .misuse)
    #expect(console.errors.hasPrefix("unknown command '\(word)'"))
  }

  @Test func `a command that is started without a program prints its help`() throws {
    var command = try #require(
      try Storebench.parseAsRoot(["reference", "kinds"]) as? any ConsoleCommand
    )
    #expect(throws: CleanExit.self) { try command.run() }
  }

  @Test(arguments: [
    [], ["generate"], ["plan"], ["run"], ["compare-live"], ["crash-test"], ["report"], ["compare"],
    ["baseline"],
    ["baseline", "update"], ["inspect"],
  ])
  func `help has an example for each command`(command: [String]) {
    let console = RecordingConsole()
    #expect(Storebench.run(command + ["--help"], on: console.console) == .done)
    #expect(console.output.contains("EXAMPLE: storebench"))
    #expect(console.errors.isEmpty)
    #expect(console.output.split(separator: "\n").allSatisfy { $0.count <= 200 })
  }

  @Test func `the version shows what the program was built with`() throws {
    let console = RecordingConsole()
    #expect(Storebench.run(["--version"], on: console.console) == .done)
    let lines = console.output.split(separator: "\n")
    try #require(lines.count == 3, "\(console.output)")
    #expect(
      lines[0].wholeMatch(of: /storebench [0-9.]+, with(out)? GRDB(, with a reader of Swift)?/)
        != nil,
      "\(lines[0])"
    )
    #expect(lines[1].wholeMatch(of: /SQLite [0-9.]+-[0-9a-f]{8}/) != nil, "\(lines[1])")
    // The resolved versions may change, but each package must have one.
    let packages = lines[2].trimmingPrefix("packages: ").components(separatedBy: ", ")
    #expect(packages.contains { $0.hasPrefix("yams ") }, "\(lines[2])")
    #expect(packages.allSatisfy { $0.wholeMatch(of: /[a-z.-]+ [0-9.]+/) != nil }, "\(lines[2])")
  }
}

import Testing

@testable import storebench

struct CommandLineTests {
  @Test(arguments: [
    (["runn"], "Unexpected argument 'runn'; see 'storebench --help'"),
    (["run"], "Missing expected argument '<file> ...'; see 'storebench run --help'"),
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
      "'--format' must be one of table, json, csv, samples-csv, junit, bmf, customSmallerIsBetter, openmetrics, not 'y'; "
        + "see 'storebench report --help'"
    ),
    (
      ["generate", "x", "--objects", "Task"],
      "'--objects Task' must be entity=count, such as Task=100000; see 'storebench generate --help'"
    ),
    (
      ["generate", "x", "--threads", "0"],
      "'--threads' must be from 1 to 1024, not 0; see 'storebench generate --help'"
    ),
    (
      ["generate", "x", "--memory", "5MB"],
      "'--memory' must be a size from 16 MB on, such as 512MB, not '5MB'; "
        + "see 'storebench generate --help'"
    ),
    (
      ["generate", "x", "--verify", "--writer", "sql"],
      "'--verify' needs '--writer bulk': SQLite gives other bytes; "
        + "see 'storebench generate --help'"
    ),
  ])
  func `says in one line what is misused`(arguments: [String], message: String) {
    let console = RecordingConsole()
    #expect(Storebench.run(arguments, on: console.console) == .misuse)
    #expect(console.errors == message + "\n")
    #expect(console.output.isEmpty)
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

  @Test(arguments: [
    [], ["generate"], ["plan"], ["run"], ["report"], ["compare"], ["baseline"],
    ["baseline", "update"], ["inspect"],
  ])
  func `help has an example for each command`(command: [String]) {
    let console = RecordingConsole()
    #expect(Storebench.run(command + ["--help"], on: console.console) == .done)
    #expect(console.output.contains("EXAMPLE: storebench"))
    #expect(console.errors.isEmpty)
    #expect(console.output.split(separator: "\n").allSatisfy { $0.count <= 200 })
  }
}

import ArgumentParser
import Runner
import WorkloadKinds

/// Does one trial for a run that started this process.
struct WorkerCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Do one trial for a run, which starts this command itself.",
    shouldDisplay: false
  )

  func run(on console: Console) throws -> CommandStatus {
    CommandStatus(code: Worker.run(kinds: WorkloadCatalog.kinds))
  }
}

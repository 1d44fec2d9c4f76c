import ArgumentParser
import Runner

/// Does one trial for a run that started this process.
struct WorkerCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Do one trial for a run, which starts this command itself.",
    shouldDisplay: false
  )

  @Option(help: "Take turns with another worker, by this version of the protocol.")
  var lockstep: Int?

  func validate() throws {
    if let lockstep, lockstep != LockstepWorker.version {
      throw ValidationError("this build takes turns by version \(LockstepWorker.version)")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    let kinds = console.program.kinds
    let code = lockstep == nil ? Worker.run(kinds: kinds) : LockstepWorker.run(kinds: kinds)
    return CommandStatus(code: code)
  }
}

import ArgumentParser
import Basics
import Compare
import Runner

/// Does one trial for a run that started this process.
struct WorkerCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Run one trial. 'storebench run' starts this command itself.",
    shouldDisplay: false
  )

  @Option(help: "Version of the protocol by which two workers take turns.")
  var lockstep: Int?

  func validate() throws {
    if let lockstep, lockstep != LockstepWorker.version {
      throw ValidationError("this build uses version \(LockstepWorker.version) of the protocol")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    let kinds = console.program.kinds
    let code = lockstep == nil ? Worker.run(kinds: kinds) : LockstepWorker.run(kinds: kinds)
    return CommandStatus(code: code)
  }
}

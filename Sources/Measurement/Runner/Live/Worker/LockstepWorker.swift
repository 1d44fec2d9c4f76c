import Basics
import Foundation
import SQLite

/// A process that takes turns with another one: the other side of a ``LockstepProcess``.
package enum LockstepWorker {
  /// What both sides must agree on, the value of the argument that starts a worker.
  package static let version = LockstepFrame.version

  /// Prepares one case and runs it slice by slice, as standard input says.
  ///
  /// Returns the process's exit status. What the work prints goes to standard error.
  package static func run(kinds: [any Workload.Type]) -> Int32 {
    let pipe = LockstepPipe(input: STDIN_FILENO, output: dup(STDOUT_FILENO))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard let frame = pipe.receive(), frame.kind == .request,
      let request = try? JSONDecoder().decode(LockstepRequest.self, from: Data(frame.text))
    else {
      let message = "a worker in lock-step reads its request from standard input\n"
      FileHandle.standardError.write(Data(message.utf8))
      return EX_USAGE
    }
    greet(pipe)
    do {
      // Before anything is opened, by whatever library.
      if request.isCounting { try CountingVFS.install() }
    } catch {
      answer(TrialResponse(outcome: .failed("\(error)")), to: pipe)
      return 0
    }
    guard let kind = kinds.first(where: { $0.kind == request.trial.kind }) else {
      let cause = "there is no workload kind '\(request.trial.kind)'"
      answer(TrialResponse(outcome: .failed(cause)), to: pipe)
      return 0
    }
    perform(kind, request, pipe)
    return 0
  }

  private static func greet(_ pipe: LockstepPipe) {
    let greeting = LockstepGreeting(version: version, sqliteSourceID: Library.sourceID)
    if let text = try? JSONEncoder().encode(greeting) {
      pipe.send(LockstepFrame(.greeting, text: text))
    }
  }

  private static func perform<Kind: Workload>(
    _ kind: Kind.Type,
    _ request: LockstepRequest,
    _ pipe: LockstepPipe
  ) {
    LockstepSession(
      workload: kind.init(parameters: request.trial.parameters),
      request: request,
      pipe: pipe
    ).perform()
  }

  static func answer(_ response: TrialResponse, to pipe: LockstepPipe) {
    if let text = try? JSONEncoder().encode(response) {
      pipe.send(LockstepFrame(.response, text: text))
    }
  }
}

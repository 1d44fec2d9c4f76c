import Basics
import Foundation
import PersistentStore
import SQLite

/// The other side of a ``WorkerProcess``: does one request and ends.
///
/// An empty line goes before its answer as soon as the last clock was read: what is checked then may
/// go on beside other work.
package enum Worker {
  /// Reads the request from standard input and writes the response to standard output.
  ///
  /// Returns the process's exit status. Standard output belongs to the answer alone: what the work
  /// prints goes to standard error.
  package static func run(kinds: [any WorkloadKind.Type]) -> Int32 {
    let answer = dup(STDOUT_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard let line = readLine(strippingNewline: true),
      let request = try? JSONDecoder().decode(TrialRequest.self, from: Data(line.utf8))
    else {
      printError("a worker reads its request from standard input: 'storebench run' starts it")
      return EX_USAGE
    }
    endWithParent()
    do {
      // Before anything is opened, by whatever library.
      let copies = request.commitCopies.map { CommitCopies(folder: $0) }
      let injector = request.faults.map { FaultInjector($0, onCommit: copies?.copy) }
      try CountingVFS.install(faults: injector)
      Connection.commonObserver = try request.log.map { try SQLDebugWriter($0) }
      let executor = InProcessExecutor(kinds: kinds) { _ = write(answer, "\n", 1) }
      var response = try executor.execute(request, within: TrialLimits())
      response.events = injector?.counts
      try FileHandle(fileDescriptor: answer).write(contentsOf: try JSONEncoder().encode(response))
      return 0
    } catch {
      printError("\(error)")
      return EX_SOFTWARE
    }
  }

  /// Ends this process when its parent is gone; a long trial would go on otherwise.
  private static func endWithParent() {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      _exit(EX_IOERR)
    }
  }

  private static func printError(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}

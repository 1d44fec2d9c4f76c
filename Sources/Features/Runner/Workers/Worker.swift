import Basics
import Foundation
import PersistentStore
import SQLite

/// The program inside a ``WorkerProcess``, which handles one request and exits.
///
/// The program writes an empty line as soon as all clocks have stopped, and the response later. The
/// parent can thus prepare the next trial while the outcome is checked.
package enum Worker {
  /// Reads the request from standard input, writes the response to standard output, and returns the
  /// exit status.
  ///
  /// Standard output contains only the response: anything that the work prints goes to standard
  /// error.
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
      // Install the VFS and the observers before any library opens a file.
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

  /// Ends this process when its parent is gone, because a long trial would otherwise continue.
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

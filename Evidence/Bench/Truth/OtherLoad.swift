import ArgumentParser
import Basics
import Foundation

/// Processes that keep processors and the disk busy until they are stopped.
final class OtherLoad {
  private var processes: [Process] = []

  init(folder: String, processes count: Int) throws {
    for number in 0..<count {
      let process = Process.bench(["burn", "\(folder)/burn-\(getpid())-\(number)"])
      try process.run()
      processes.append(process)
    }
  }

  func end() {
    for process in processes { process.terminate() }
    for process in processes { process.waitUntilExit() }
    processes = []
  }

  deinit {
    end()
  }

  struct Burn: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "burn",
      abstract: "Keep a processor busy and write now and then, until the parent process ends.",
      shouldDisplay: false
    )

    private static let megabyte = 1 << 20

    @Argument(help: "File that is overwritten again and again.")
    var file: String

    func run() throws {
      let parent = getppid()
      let bytes = [UInt8](repeating: 0x5a, count: Self.megabyte)
      let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw TruthError.cannotWrite(path: file) }
      defer { close(descriptor) }
      // Unlink the open file, so that it disappears however the process ends.
      unlink(file)
      var word: UInt64 = 1
      while getppid() == parent {
        // Each turn computes for some tens of milliseconds, then writes to the disk and waits for
        // the sync.
        for _ in 0..<20_000_000 { word = word &* 6_364_136_223_846_793_005 &+ 1 }
        guard word != 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
          fsync(descriptor) == 0
        else { throw TruthError.cannotWrite(path: file) }
      }
    }
  }
}

import Foundation

/// A process for each processor that the bench may use, which keeps it and the disk busy until it
/// is ended.
final class OtherLoad {
  private var processes: [Process] = []

  /// Starts them; they write below `folder`.
  init(folder: String) throws {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    for number in 0..<ProcessInfo.processInfo.activeProcessorCount {
      let process = Process()
      process.executableURL = program
      process.arguments = [BurnCommand.name, "\(folder)/burn-\(number)"]
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
}

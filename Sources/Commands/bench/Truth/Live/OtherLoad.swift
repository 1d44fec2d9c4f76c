import Foundation

/// Processes that keep processors and disk busy until they are ended.
final class OtherLoad {
  private var processes: [Process] = []

  /// Starts them; they write below `folder`.
  init(folder: String, processes count: Int = 2) throws {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    for number in 0..<count {
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

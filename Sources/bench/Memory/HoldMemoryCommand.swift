import ArgumentParser
import Foundation

/// Runs a command while holding the memory that would be free.
///
/// A virtual machine may give free memory back to its host, and wait for every page that it takes
/// again: runs whose files and caches need more than the machine happens to have then take several
/// times as long as in memory that it has. Held memory is the machine's own; as much as the command
/// needs is let go while it runs.
struct HoldMemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold-memory",
    abstract: "Run a command while holding the memory that a virtual machine would give back."
  )

  @Option(help: "Megabytes that stay free.")
  var free = 900

  @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
  var command: [String]

  func run() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    var hold = MemoryHold(free: free << 20)
    hold.isPreferredVictim()
    // The machine's memory is taken before anything is measured.
    while hold.adjust() {}
    try process.run()
    while process.isRunning {
      // What a fast copy takes meanwhile is a small part of what stays free.
      if !hold.adjust() { Thread.sleep(forTimeInterval: 0.005) }
    }
    throw ExitCode(process.terminationStatus)
  }
}

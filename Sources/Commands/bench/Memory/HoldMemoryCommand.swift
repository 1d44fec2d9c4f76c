import ArgumentParser
import Basics
import Foundation

/// Runs a command while another process holds the memory that would be free.
///
/// A virtual machine may give free memory back to its host, and wait for every page that it takes
/// again: runs whose files and caches need more than the machine happens to have then take several
/// times as long as in memory that it has. Held memory is the machine's own; as much as the command
/// needs is let go while it runs.
struct HoldMemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold-memory",
    abstract: "Run a command while holding the memory that a virtual machine would give back.",
    discussion: "Example: bench hold-memory bench forecast"
  )

  @Option(help: "Megabytes that stay free.")
  var free = 900

  @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
  var command: [String] = []

  func validate() throws {
    guard free >= 200 else { throw ValidationError("the system itself needs 200 MB free or more") }
  }

  /// Without a command the memory is held for as long as the parent lives.
  func run() throws {
    guard !command.isEmpty else { return hold() }
    let holder = Process()
    holder.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: "/proc/self/exe")
    holder.arguments = ["hold-memory", "--free", "\(free)"]
    let ready = Pipe()
    holder.standardOutput = ready
    let notice = "taking the memory that is free, which lasts a minute or so\n"
    FileHandle.standardError.write(Data(notice.utf8))
    try holder.run()
    // Nothing is measured before the memory is taken.
    _ = try ready.fileHandleForReading.read(upToCount: 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    // The command takes this process's place: Ctrl-C and its exit status are its own.
    execvp(command[0], arguments)
    holder.terminate()
    throw ValidationError("'\(command[0])' cannot be run: \(System.errorText())")
  }

  private func hold() {
    let parent = getppid()
    var hold = MemoryHold(free: free << 20)
    MemoryHold.makePreferredVictim()
    while hold.adjust() {}
    FileHandle.standardOutput.write(Data("\n".utf8))
    while getppid() == parent {
      // What a fast copy takes meanwhile is a small part of what stays free.
      if !hold.adjust() { Thread.sleep(forTimeInterval: 0.005) }
    }
  }
}

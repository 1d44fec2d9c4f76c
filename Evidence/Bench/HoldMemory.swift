import ArgumentParser
import Basics
import Forecasting
import Foundation

/// Runs a command while another process holds the memory that would be free.
///
/// A virtual machine may give free memory back to its host, and wait for every page that it takes
/// again: runs whose files and caches need more than the machine happens to have then take several
/// times as long as in memory that it has. Held memory is the machine's own; as much as the command
/// needs is let go while it runs.
struct HoldMemory: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold-memory",
    abstract: "Run a command while holding the memory that a virtual machine would give back.",
    discussion: """
      The virtual machine then keeps this memory; while the command runs, as much is released as \
      it needs. Ctrl-C is passed to the command, and the exit status is that of the command.

      EXAMPLE: bench hold-memory bench forecast
      """
  )

  @Option(help: "Megabytes that stay free for the system.")
  var free = 900

  @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
  var command: [String] = []

  func validate() throws {
    guard free >= 200 else { throw ValidationError("the system itself needs 200 MB free or more") }
  }

  /// Without a command the memory is held for as long as the parent lives.
  func run() throws {
    guard !command.isEmpty else { return hold() }
    let holder = Process.bench(["hold-memory", "--free", "\(free)"])
    let ready = Pipe()
    holder.standardOutput = ready
    printProgress("reserving the free memory, which takes about a minute")
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

  /// Memory that is held, so that as much stays free as was asked for.
  private struct MemoryHold: ~Copyable {
    private static let chunk = 32 << 20
    /// Taken at a time: letting go must not have to wait.
    private static let mostAtOnce = 8

    private let free: Int
    private var chunks: [UnsafeMutableRawPointer] = []

    init(free: Int) {
      self.free = free
    }

    deinit {
      for chunk in chunks { munmap(chunk, Self.chunk) }
    }

    /// Has the system end this process before any other, should memory run out.
    static func makePreferredVictim() {
      try? Data("1000".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
    }

    /// Takes what is free beyond what has to be, or lets go of what is short.
    ///
    /// - Returns: whether there is more to take.
    mutating func adjust() -> Bool {
      guard let now = MemoryProbe.freeBytes() else { return false }
      var lacking = free - now
      while lacking > Self.chunk, let last = chunks.popLast() {
        munmap(last, Self.chunk)
        lacking -= Self.chunk
      }
      let surplus = (now - free) / Self.chunk
      for _ in 0..<min(max(surplus, 0), Self.mostAtOnce) {
        guard let chunk = Self.take() else { return false }
        chunks.append(chunk)
      }
      return surplus > 0
    }

    /// A chunk whose every page was touched.
    private static func take() -> UnsafeMutableRawPointer? {
      let chunk = mmap(nil, Self.chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard let chunk, chunk != MAP_FAILED else { return nil }
      for offset in stride(from: 0, to: Self.chunk, by: 4096) {
        chunk.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
      }
      return chunk
    }
  }
}

import ArgumentParser
import Basics
import Forecasting
import Foundation

/// Runs a command while another process holds the otherwise free memory.
///
/// A virtual machine can return free memory to its host and then wait for every page that it takes
/// back. Runs that need more memory than the machine holds at that moment then take several times
/// as long. Held memory stays with the machine; the holder releases what the command needs.
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

  /// Runs the command; without a command, holds the memory for as long as the parent process lives.
  func run() throws {
    guard !command.isEmpty else { return hold() }
    let holder = Process.bench(["hold-memory", "--free", "\(free)"])
    let ready = Pipe()
    holder.standardOutput = ready
    printProgress("reserving the free memory, which takes about a minute")
    try holder.run()
    // Wait until the memory is held, because the command must not start earlier.
    _ = try ready.fileHandleForReading.read(upToCount: 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    // Replace this process with the command, so that the command receives Ctrl-C and determines the
    // exit status.
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
      // Within 5 ms, even a fast copy takes only a small part of the free memory.
      if !hold.adjust() { Thread.sleep(forTimeInterval: 0.005) }
    }
  }

  /// Held memory that leaves the requested number of bytes free.
  private struct MemoryHold: ~Copyable {
    private static let chunk = 32 << 20
    /// The maximum number of chunks taken at a time, so that releasing memory is not delayed.
    private static let mostAtOnce = 8

    private let free: Int
    private var chunks: [UnsafeMutableRawPointer] = []

    init(free: Int) {
      self.free = free
    }

    deinit {
      for chunk in chunks { munmap(chunk, Self.chunk) }
    }

    /// Makes Linux kill this process before any other if memory runs out.
    static func makePreferredVictim() {
      try? Data("1000".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
    }

    /// Takes free memory beyond the requested amount, or releases memory if less than that is free.
    ///
    /// - Returns: Whether there is more memory to take.
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

    /// Returns a chunk with every page written, so that the system really provides it.
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

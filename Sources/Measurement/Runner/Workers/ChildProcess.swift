import Basics
import Foundation

/// A process of a group of its own, with pipes to its standard streams.
///
/// Foundation's `Process` would do but for two things: it can neither end the group nor be waited
/// for together with a deadline and a stop.
final class ChildProcess {
  /// How it ended.
  enum Ending: Hashable {
    case exit(Int32)
    case signal(Int32)
  }

  let pid: pid_t
  /// Kept open while the child runs: its end tells a worker that nobody waits for it any more.
  private let input: Int32
  let output: Int32
  let errors: Int32
  private var ending: Ending?

  // Between a pipe and the flag that keeps it from other children, no other child may start.
  private static let spawning = NSLock()

  /// Starts a program with a text waiting on its standard input.
  ///
  /// - Throws: ``WorkerFault`` where it cannot be started.
  init(executable: String, arguments: [String], environment: [String], input text: Data) throws {
    Self.spawning.lock()
    defer { Self.spawning.unlock() }
    let (input, output, errors) = (try Pipe(), try Pipe(), try Pipe())
    // The text fits the pipe's buffer, so that writing it waits for nobody.
    guard text.count <= Self.largestInput else { throw WorkerFault.requestTooLarge(text.count) }
    guard text.withUnsafeBytes({ write(input.writing, $0.baseAddress, $0.count) }) == text.count
    else { throw WorkerFault.cannotStart(reason: System.errorText()) }
    pid = try Self.spawn(
      executable,
      arguments,
      environment,
      input.reading,
      output.writing,
      errors.writing
    )
    (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
    for descriptor in [input.reading, output.writing, errors.writing] { close(descriptor) }
  }

  deinit {
    for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// A pipe's buffer holds 64 KB on Linux and 16 KB elsewhere.
  private static let largestInput = 16_384

  private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw WorkerFault.cannotStart(reason: System.errorText()) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }
  }

  private static func spawn(
    _ executable: String,
    _ arguments: [String],
    _ environment: [String],
    _ input: Int32,
    _ output: Int32,
    _ errors: Int32
  ) throws -> pid_t {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (descriptor, standard) in [(input, 0), (output, 1), (errors, 2)] as [(Int32, Int32)] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
    }
    // A group of its own: it ends whole, and Ctrl-C in a terminal reaches us alone.
    posix_spawnattr_setpgroup(&attributes, 0)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF)
    )
    let argv = CStrings([executable] + arguments)
    let envp = CStrings(environment)
    var pid: pid_t = 0
    let code = posix_spawn(&pid, executable, &actions, &attributes, argv.pointers, envp.pointers)
    guard code == 0 else {
      throw WorkerFault.cannotStart(reason: "'\(executable)': \(System.errorText(code))")
    }
    return pid
  }

  /// How it ended, or `nil` while it runs.
  func poll() -> Ending? {
    // The system tells of an end once.
    if let ending { return ending }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7f
    ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
    return ending
  }

  /// Says something more; false where it does not listen any more.
  func say(_ bytes: [UInt8]) -> Bool {
    write(input, bytes, bytes.count) == bytes.count
  }

  /// Waits until it has ended, which somebody else has brought about.
  func reap() {
    while poll() == nil { usleep(200) }
  }

  /// Ends it and everything it has started, whether it still runs or not.
  func killGroup() {
    kill(-pid, SIGKILL)
  }
}

/// Strings in the form that C programs are started with.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) {
    pointers = strings.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}

import Basics
import Foundation

/// A child process in its own process group, with pipes to its standard streams.
///
/// Foundation's `Process` cannot kill a group, and cannot wait for the process, a deadline and a
/// stop request at the same time.
package final class ChildProcess {
  /// The exit status, or the signal that ended the process.
  package enum Ending: Hashable {
    case exit(Int32)
    case signal(Int32)
  }

  package let pid: pid_t
  /// The write end of standard input.
  ///
  /// The write end stays open while the child runs; when it closes, the worker exits, because its
  /// parent is gone.
  private let input: Int32
  /// The read end of standard input, kept open until a request is written, because writing to a
  /// pipe without a reader fails.
  private var unread: Int32
  package let output: Int32
  package let errors: Int32
  private var ending: Ending?

  // A lock that prevents another child from starting, and inheriting a pipe, before the pipe's
  // close-on-exec flag is set.
  private static let spawning = NSLock()

  /// Starts a program and prepares its pipes.
  ///
  /// - Throws: ``WorkerFault`` if it cannot be started.
  package init(executable: String, arguments: [String], environment: [String]) throws {
    Self.spawning.lock()
    defer { Self.spawning.unlock() }
    let (input, output, errors) = (try Pipe(), try Pipe(), try Pipe())
    pid = try Self.spawn(
      executable,
      arguments,
      environment,
      input.reading,
      output.writing,
      errors.writing
    )
    (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
    unread = input.reading
    for descriptor in [output.writing, errors.writing] { close(descriptor) }
  }

  deinit {
    for descriptor in [input, unread, output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// Writes the request to standard input; must be called only once.
  ///
  /// The process may still be starting, or may have ended.
  ///
  /// - Throws: ``WorkerFault`` if the text does not fit into the pipe's buffer, because writing the
  ///   text would then block.
  package func ask(_ text: Data) throws {
    defer {
      close(unread)
      unread = -1
    }
    guard text.count <= room(for: text.count) else {
      throw WorkerFault.requestTooLarge(text.count)
    }
    guard text.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == text.count
    else { throw WorkerFault.cannotStart(reason: System.errorText()) }
  }

  /// The size in bytes of a request that fits into every pipe's buffer: pipes hold 64 KiB on Linux
  /// and 16 KiB elsewhere.
  private static let smallInput = 16_384

  /// Returns the capacity of the pipe in bytes, after enlarging it for a large request.
  ///
  /// Linux permits 1 MiB by default (`/proc/sys/fs/pipe-max-size`).
  private func room(for size: Int) -> Int {
    guard size > Self.smallInput else { return Self.smallInput }
    #if os(Linux)
      // The number is F_SETPIPE_SZ of <fcntl.h>, which Glibc's module leaves out.
      return max(Self.smallInput, Int(fcntl(input, 1031, Int32(clamping: size))))
    #else
      return Self.smallInput
    #endif
  }

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
    // With its own process group, the child can be killed together with all its descendants, and
    // Ctrl-C in a terminal reaches only the parent.
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

  /// Returns the exit status or the signal that ended the process; `nil` if it is still running.
  package func poll() -> Ending? {
    // Keep the ending, because waitpid reports the end of a process only once.
    if let ending { return ending }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7f
    ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
    return ending
  }

  /// Writes more bytes to standard input; returns `false` if the process no longer reads it.
  package func say(_ bytes: [UInt8]) -> Bool {
    write(input, bytes, bytes.count) == bytes.count
  }

  /// Waits for the process to end, without ending it.
  package func reap() {
    while poll() == nil { usleep(200) }
  }

  /// Kills all processes of the group, even if the process itself has already ended.
  package func killGroup() {
    kill(-pid, SIGKILL)
  }

  private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
      pointers = strings.map { strdup($0) } + [nil]
    }

    deinit {
      for pointer in pointers { free(pointer) }
    }
  }
}

/// The streams that a child writes: its whole output, and the start and end of its standard error.
package final class ChildStreams {
  private(set) var output = Data()
  private var errors = Data()
  private var polled: [pollfd]
  private let mostErrors = 16_384

  package init(_ child: ChildProcess) {
    polled = [child.output, child.errors].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
  }

  /// Whether standard output or standard error is still open.
  package var isOpen: Bool { polled.contains { $0.fd >= 0 } }

  /// Whether standard output is still open.
  package var hasOutput: Bool { polled[0].fd >= 0 }

  /// Reads available bytes, waiting for up to the given time; returns `false` if there are no
  /// bytes.
  package func read(milliseconds: Int32) throws -> Bool {
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    // A signal may interrupt the wait; the caller then checks for a stop request.
    guard count > 0 else { return false }
    var hasRead = false
    for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
      guard let bytes = Self.take(polled[index].fd) else {
        polled[index].fd = -1
        continue
      }
      hasRead = true
      if index == 0 { output += bytes } else { keep(bytes) }
    }
    return hasRead
  }

  /// Removes and returns the first bytes of the output, or returns `nil` if there are fewer than
  /// requested.
  package func takeOutput(_ count: Int) -> Data? {
    guard output.count >= count else { return nil }
    let taken = output.prefix(count)
    output = Data(output.dropFirst(count))
    return taken
  }

  private static func take(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  private func keep(_ bytes: Data) {
    errors += bytes
    // Keep the start, which may contain the first fatal error, and the end, which contains the last
    // line.
    if errors.count > mostErrors {
      errors = errors.prefix(mostErrors / 2) + errors.suffix(mostErrors / 2)
    }
  }

  /// The most informative line of standard error: Swift's fatal error, or else the last line.
  package var message: String {
    let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let line = lines.first { $0.contains("Fatal error:") } ?? lines.last ?? ""
    return String(line.prefix(300))
  }
}

extension ChildProcess {
  /// Returns a worker's environment as `NAME=value`, sorted by name: this process's variables,
  /// overrides, and padding that shifts the stack.
  package static func environment(padding: Int, setting own: [String: String] = [:]) -> [String] {
    var variables = ProcessInfo.processInfo.environment.merging(own) { $1 }
    variables["STOREBENCH_PADDING"] = String(repeating: "x", count: padding)
    // Disable backtraces, so that a crash ends quickly without looking up symbols.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// A running worker process, with its streams and its deadline.
///
/// The process may start before its request is known. Deinitialization kills it together with any
/// processes that it left behind.
package final class StartedWorker {
  package let child: ChildProcess
  package let streams: ChildStreams
  private var killsBefore = 0
  private var timeLimit = Double.infinity
  private var deadline = Double.infinity
  private let isStopped: @Sendable () -> Bool

  /// Starts the process, on the given processor if there is one.
  ///
  /// - Throws: ``WorkerFault`` if it cannot be started.
  package init(
    _ executable: String,
    _ arguments: [String],
    environment: [String],
    processor: SharedProcessor?,
    isStopped: @escaping @Sendable () -> Bool
  ) throws {
    self.isStopped = isStopped
    child = try ChildProcess(
      executable: executable,
      arguments: arguments,
      environment: environment
    )
    streams = ChildStreams(child)
    processor?.keep(child.pid)
  }

  deinit {
    child.killGroup()
    child.reap()
  }

  /// Sends the request and starts the time limit, in seconds.
  ///
  /// - Throws: ``WorkerFault`` if the request is too large.
  package func ask(_ request: Data, timeLimit: Double) throws {
    killsBefore = WorkerFault.MemoryControl.killCount
    (self.timeLimit, deadline) = (timeLimit, MonotonicClock.seconds() + timeLimit)
    try child.ask(request)
  }

  /// The seconds until the deadline; negative after it.
  package var rest: Double { deadline - MonotonicClock.seconds() }

  /// Checks for a stop request.
  ///
  /// - Throws: ``Refusal/interrupted`` if the run is asked to stop.
  package func checkStop() throws {
    if isStopped() { throw Refusal.interrupted }
  }

  package func checkDeadline() throws {
    if rest < 0 { throw WorkerFault.tookTooLong(seconds: timeLimit) }
  }

  /// Returns the reason why a process that has ended gave no response.
  package func fault(_ ending: ChildProcess.Ending) -> WorkerFault {
    WorkerFault(ending, message: streams.message, killsBefore: killsBefore)
  }
}

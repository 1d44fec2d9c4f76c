import Basics
import Foundation

/// A process of a group of its own, with pipes to its standard streams.
///
/// Foundation's `Process` would do but for two things: it can neither end the group nor be waited
/// for together with a deadline and a stop.
package final class ChildProcess {
  /// How it ended.
  package enum Ending: Hashable {
    case exit(Int32)
    case signal(Int32)
  }

  package let pid: pid_t
  /// Kept open while the child runs: when it closes, the worker has no parent to report to.
  private let input: Int32
  /// The other end of it, open until something was asked: writing to a pipe without a reader fails.
  private var unread: Int32
  package let output: Int32
  package let errors: Int32
  private var ending: Ending?

  // Between a pipe and the flag that keeps it from other children, no other child may start.
  private static let spawning = NSLock()

  /// Starts a program that is to be asked something.
  ///
  /// - Throws: ``WorkerFault`` where it cannot be started.
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

  /// Puts a text on its standard input, once: the process may be starting still, or have ended.
  ///
  /// - Throws: ``WorkerFault`` for a text that does not fit the pipe's buffer, so that writing it
  ///   would wait for the process.
  package func ask(_ text: Data) throws {
    defer {
      close(unread)
      unread = -1
    }
    guard text.count <= Self.largestInput else { throw WorkerFault.requestTooLarge(text.count) }
    guard text.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == text.count
    else { throw WorkerFault.cannotStart(reason: System.errorText()) }
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
  package func poll() -> Ending? {
    // The system tells of an end once.
    if let ending { return ending }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7f
    ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
    return ending
  }

  /// Says something more; false where it does not listen any more.
  package func say(_ bytes: [UInt8]) -> Bool {
    write(input, bytes, bytes.count) == bytes.count
  }

  /// Waits until it has ended, which somebody else has brought about.
  package func reap() {
    while poll() == nil { usleep(200) }
  }

  /// Ends it and everything it has started, whether it still runs or not.
  package func killGroup() {
    kill(-pid, SIGKILL)
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
}

/// What a child writes: all of its output, the beginning and the end of its errors.
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

  /// Whether either stream may still bring something.
  package var isOpen: Bool { polled.contains { $0.fd >= 0 } }

  /// Whether standard output may still bring something.
  package var hasOutput: Bool { polled[0].fd >= 0 }

  /// Takes what has come, waiting a while for it; false when nothing has.
  package func read(milliseconds: Int32) throws -> Bool {
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    // A signal ends the wait; whether it means a stop is asked elsewhere.
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

  /// Takes the beginning of the output away; `nil` while there is less of it.
  package func takeOutput(_ count: Int) -> Data? {
    guard output.count >= count else { return nil }
    let taken = output.prefix(count)
    output = Data(output.dropFirst(count))
    return taken
  }

  /// `nil` at the end of the stream.
  private static func take(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  private func keep(_ bytes: Data) {
    errors += bytes
    // The first error matters most, the last one next.
    if errors.count > mostErrors {
      errors = errors.prefix(mostErrors / 2) + errors.suffix(mostErrors / 2)
    }
  }

  /// The line of its errors that tells most: Swift's fatal error, or else the last one.
  package var message: String {
    let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let line = lines.first { $0.contains("Fatal error:") } ?? lines.last ?? ""
    return String(line.prefix(300))
  }
}

extension ChildProcess {
  /// The environment of a worker, `NAME=value` in name order: that of this process with some
  /// variables set, and one that moves its stack.
  package static func environment(padding: Int, setting own: [String: String] = [:]) -> [String] {
    var variables = ProcessInfo.processInfo.environment.merging(own) { $1 }
    variables["STOREBENCH_PADDING"] = String(repeating: "x", count: padding)
    // A crash must end quickly, not with a search for symbols that nobody reads.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// A worker's process under way: what it writes, and when it is given up.
///
/// It may be started before there is anything to ask. It is ended with this object, and whatever it
/// may have started and left behind.
package final class StartedWorker {
  package let child: ChildProcess
  package let streams: ChildStreams
  private var killsBefore = 0
  private var timeLimit = Double.infinity
  private var deadline = Double.infinity
  private let isStopped: @Sendable () -> Bool

  /// - Throws: ``WorkerFault`` where it cannot be started.
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

  /// Asks it something, from when on it has so many seconds.
  ///
  /// - Throws: ``WorkerFault`` where the request is too large.
  package func ask(_ request: Data, timeLimit: Double) throws {
    killsBefore = WorkerFault.MemoryControl.killCount
    (self.timeLimit, deadline) = (timeLimit, MonotonicClock.seconds() + timeLimit)
    try child.ask(request)
  }

  /// Seconds until its deadline, less than none after it.
  package var rest: Double { deadline - MonotonicClock.seconds() }

  /// Throws ``Refusal/interrupted`` when told to stop.
  package func checkStop() throws {
    if isStopped() { throw Refusal.interrupted }
  }

  package func checkDeadline() throws {
    if rest < 0 { throw WorkerFault.tookTooLong(seconds: timeLimit) }
  }

  /// Why it gave no answer, where it has ended.
  package func fault(_ ending: ChildProcess.Ending) -> WorkerFault {
    WorkerFault(ending, message: streams.message, killsBefore: killsBefore)
  }
}

import Basics
import Foundation

/// Runs each trial in a separate process.
///
/// The process is this program with an argument that makes it a ``Worker``: it reads one line of
/// JSON and writes one line. Any other behavior is reported as a failed trial with its cause.
///
/// The process for the next trial starts while the outcome of a trial is checked, and waits for its
/// request. No process starts while a clock is running.
package struct WorkerProcess: TrialExecutor {
  private let executable: String
  private let arguments: [String]
  private let processor: SharedProcessor?
  private let isStopped: @Sendable () -> Bool
  private let ahead = WorkerAhead()

  /// The arguments that make this program a ``Worker``.
  package static let trialArguments = ["worker"]

  /// The maximum size of a response in bytes, enough for several hundred thousand measurements.
  private static let largestAnswer = 64 << 20

  /// Creates an executor that starts `executable` with `arguments`, pinned to the given processor
  /// if there is one, and kills the process if `isStopped` returns `true`.
  package init(
    executable: String,
    arguments: [String] = Self.trialArguments,
    processor: SharedProcessor? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    self.executable = executable
    self.arguments = arguments
    self.processor = processor
    self.isStopped = isStopped
  }

  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> TrialResponse {
    try execute(request, within: limits, before: nil)
  }

  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial?
  ) throws -> TrialResponse {
    do {
      return try response(to: request, within: limits, before: next)
    } catch let fault as WorkerFault {
      return TrialResponse(outcome: .failed(fault.description))
    }
  }

  /// Returns the response of a worker process that exited normally.
  ///
  /// - Throws: ``WorkerFault`` if the process gave no valid response; ``Refusal/interrupted`` if
  ///   the run is asked to stop.
  func response(
    to request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial? = nil
  ) throws -> TrialResponse {
    let answer = try answer(to: request, within: limits, before: next)
    guard let response = try? JSONDecoder().decode(TrialResponse.self, from: answer) else {
      throw WorkerFault.answeredRubbish(String(decoding: answer.prefix(80), as: UTF8.self))
    }
    return response
  }

  private func start(within limits: TrialLimits) throws -> StartedWorker {
    try StartedWorker(
      executable,
      arguments,
      environment: ChildProcess.environment(padding: limits.environmentPadding),
      processor: processor,
      isStopped: isStopped
    )
  }

  private func answer(
    to request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial?
  ) throws -> Data {
    let worker = try ahead.take(for: limits) ?? start(within: limits)
    try worker.ask(JSONEncoder().encode(request) + Data("\n".utf8), timeLimit: limits.time)
    var next = next
    var ending: ChildProcess.Ending?
    while ending == nil || worker.streams.isOpen {
      // Do not wait beyond the deadline. After the pipes are closed, poll often, because the
      // process is about to exit and its exit is not signaled in any other way.
      let longest = worker.streams.isOpen ? 50.0 : 1
      let milliseconds = Int32(min(max(worker.rest * 1000, 1), longest))
      let isQuiet = try !worker.streams.read(milliseconds: milliseconds)
      guard worker.streams.output.count <= Self.largestAnswer else {
        throw WorkerFault.wroteTooMuch(limit: Self.largestAnswer)
      }
      // The first byte of output means that all clocks have stopped (see ``Worker``).
      if let following = next, !worker.streams.output.isEmpty {
        next = nil
        // Ignore an error in starting the next worker: the error recurs, and is reported, when the
        // next trial runs.
        ahead.keep(try? start(within: following.limits), for: following.limits)
        following.copyStore()
      }
      // Processes that the worker left behind may keep the pipes open.
      if ending != nil, isQuiet { break }
      ending = ending ?? worker.child.poll()
      try worker.checkStop()
      if ending == nil { try worker.checkDeadline() }
    }
    if let ending, ending != .exit(0) { throw worker.fault(ending) }
    return worker.streams.output
  }
}

/// A worker process started before its trial's turn.
private final class WorkerAhead: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: (worker: StartedWorker, padding: Int)?

  func keep(_ worker: StartedWorker?, for limits: TrialLimits) {
    lock.withLock { kept = worker.map { ($0, limits.environmentPadding) } }
  }

  /// Returns the waiting worker if it was started with the same ``TrialLimits/environmentPadding``,
  /// otherwise `nil`.
  func take(for limits: TrialLimits) -> StartedWorker? {
    lock.withLock {
      guard let kept, kept.padding == limits.environmentPadding else { return nil }
      self.kept = nil
      return kept.worker
    }
  }
}

/// The outcome of a launch that may be killed.
package enum LaunchEnding: Hashable, Sendable {
  /// The launch finished, successfully or with the error that its case expects.
  case finished(TrialResponse)
  /// The process was killed, by its own fault injection or at the time limit.
  case killed
  /// The launch failed; contains the reason.
  case failed(String)
}

/// Launches work in a separate process; tests may use a substitute.
package protocol Launcher: TrialExecutor {
  /// Launches the work and waits for it to finish.
  ///
  /// - Throws: ``Refusal/interrupted`` if the run is asked to stop.
  func launch(_ request: TrialRequest, within limits: TrialLimits) throws -> LaunchEnding
}

extension WorkerProcess: Launcher {
  package func launch(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> LaunchEnding {
    do {
      let response = try response(to: request, within: limits)
      if case .failed(let cause) = response.outcome { return .failed(cause) }
      return .finished(response)
    } catch WorkerFault.killed(signal: 9, wasOutOfMemory: false, _) {
      return .killed
    } catch WorkerFault.tookTooLong {
      return .killed
    } catch let fault as WorkerFault {
      return .failed(fault.description)
    }
  }
}

/// The reason why a worker gave no response.
package enum WorkerFault: Error, Equatable, CustomStringConvertible {
  case cannotStart(reason: String)
  case requestTooLarge(Int)
  case tookTooLong(seconds: Double)
  case wroteTooMuch(limit: Int)
  case exited(status: Int32, message: String)
  case killed(signal: Int32, wasOutOfMemory: Bool, message: String)
  case answeredRubbish(String)

  package var description: String {
    switch self {
    case .cannotStart(let reason): "the worker process cannot be started: \(reason)"
    case .requestTooLarge(let size):
      "the worker process cannot get its request: \(Figures.bytes(Double(size))) are too many for a "
        + "pipe; write fewer steps, or raise /proc/sys/fs/pipe-max-size"
    case .tookTooLong(let seconds):
      "it took longer than \(Figures.seconds(seconds, .significant)) and was stopped: "
        + "raise 'timeLimit' of 'trials' to allow more"
    case .wroteTooMuch(let limit):
      "the worker process wrote more than \(limit) bytes and was ended"
    case .exited(let status, let message):
      "the worker process ended with status \(status)" + Self.tail(message)
    case .killed(let signal, let wasOutOfMemory, let message):
      "the worker process was ended by signal \(signal) (\(Self.name(of: signal)))"
        + (wasOutOfMemory ? ": its control group ran out of memory" : Self.tail(message))
    case .answeredRubbish(let answer):
      "the worker process gave an answer that cannot be read" + Self.tail(answer)
    }
  }

  /// Creates the fault for a process that ended without a response.
  ///
  /// A kill is attributed to lack of memory if the control group has counted another out-of-memory
  /// kill.
  init(_ ending: ChildProcess.Ending, message: String, killsBefore: Int) {
    switch ending {
    case .exit(let status): self = .exited(status: status, message: message)
    case .signal(let signal):
      let wasOutOfMemory = signal == SIGKILL && MemoryControl.killCount > killsBefore
      self = .killed(signal: signal, wasOutOfMemory: wasOutOfMemory, message: message)
    }
  }

  private static func tail(_ message: String) -> String {
    message.isEmpty ? "" : ": \(message)"
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      2: "interrupted", 4: "illegal instruction, as after a failed Swift precondition", 5: "trap",
      6: "aborted", 7: "bus error", 8: "arithmetic", 9: "killed", 11: "segmentation fault",
      15: "terminated",
    ]
    return names[signal] ?? "unknown"
  }

  enum MemoryControl {
    static var killCount: Int {
      guard let groups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8),
        let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
        let events = try? String(
          contentsOfFile: "/sys/fs/cgroup\(own.dropFirst(3))/memory.events",
          encoding: .utf8
        )
      else { return 0 }
      return count(in: events)
    }

    static func count(in events: String) -> Int {
      let line = events.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
      return line.flatMap { Int($0.dropFirst("oom_kill ".count)) } ?? 0
    }
  }
}

/// A processor shared by several processes, such as both sides of a live comparison.
///
/// The speeds of one machine's processors can differ for longer than a block (a short series of
/// alternating runs) takes. For example, a processor can be 1.6 times slower while another process
/// keeps the other hardware thread of its core busy. If the two sides ran on different processors,
/// a block would compare the processors. The choice of processor does not depend on the two sides,
/// so that blocks stay symmetric.
package struct SharedProcessor: Sendable {
  let number: Int

  /// The processor that runs this thread, which the system chose because it was free.
  ///
  /// `nil` if it cannot be determined, as on systems other than Linux.
  package static var current: SharedProcessor? {
    #if canImport(Glibc)
      typealias Call = @convention(c) () -> CInt
      guard let call: Call = GNUSymbol.function("sched_getcpu") else { return nil }
      let number = Int(call())
      return (0..<ProcessorMask.limit).contains(number) ? SharedProcessor(number: number) : nil
    #else
      return nil
    #endif
  }

  /// Pins this thread to the processor, together with all processes that it starts from now on.
  package func keepThisThread() { keep(0) }

  /// Pins a process to the processor, together with all threads that it starts from now on.
  ///
  /// If pinning is not permitted, the process may run on any processor: the results of its blocks
  /// vary more but remain valid.
  func keep(_ process: pid_t) {
    #if canImport(Glibc)
      typealias Call = @convention(c) (pid_t, Int, UnsafeRawPointer) -> CInt
      guard let call: Call = GNUSymbol.function("sched_setaffinity") else { return }
      ProcessorMask(number).bits.withUnsafeBytes { bytes in
        if let address = bytes.baseAddress { _ = call(process, bytes.count, address) }
      }
    #endif
  }
}

#if canImport(Glibc)
  private struct ProcessorMask {
    static let limit = 1024

    var bits = [UInt](repeating: 0, count: limit / UInt.bitWidth)

    init(_ number: Int) {
      bits[number / UInt.bitWidth] = 1 << UInt(number % UInt.bitWidth)
    }
  }

  /// Looks up C library functions that are declared only for GNU sources and are therefore missing
  /// from Swift's module.
  private enum GNUSymbol {
    static func function<Function>(_ name: String) -> Function? {
      dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
  }
#endif

import Basics
import Foundation

/// Runs each trial in a process of its own, which does nothing else.
///
/// The process is this program again, with an argument that makes it a ``Worker``: one line of JSON
/// goes in, one comes out. Whatever else happens to it is a failed trial with its cause.
///
/// While the outcome of a trial is checked, the process of the next one is started: it waits for its
/// request when that trial's turn comes, and no process starts while a clock runs.
package struct WorkerProcess: TrialExecutor {
  private let executable: String
  private let arguments: [String]
  private let processor: SharedProcessor?
  private let isStopped: @Sendable () -> Bool
  private let ahead = WorkerAhead()

  /// The arguments that make this program a ``Worker``.
  package static let trialArguments = ["worker"]

  /// The most that an answer may have: some hundred thousand measurements.
  private static let largestAnswer = 64 << 20

  /// Starts `executable` with `arguments` on one processor, or wherever the system likes, and ends
  /// it when `isStopped`.
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

  /// The response of a process that came to its end.
  ///
  /// - Throws: ``WorkerFault``, ``Refusal/interrupted``.
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
      // Not beyond the deadline: what ends a moment later has not kept it. Once its pipes are
      // closed it ends at once, and nothing else tells of that.
      let longest = worker.streams.isOpen ? 50.0 : 1
      let milliseconds = Int32(min(max(worker.rest * 1000, 1), longest))
      let isQuiet = try !worker.streams.read(milliseconds: milliseconds)
      guard worker.streams.output.count <= Self.largestAnswer else {
        throw WorkerFault.wroteTooMuch(limit: Self.largestAnswer)
      }
      // Its first byte says that its clocks rest (``Worker``).
      if let following = next, !worker.streams.output.isEmpty {
        next = nil
        // What fails here fails again in the trial's turn, which says so.
        ahead.keep(try? start(within: following.limits), for: following.limits)
        following.copyStore()
      }
      // A process it left behind may hold its pipes open.
      if ending != nil, isQuiet { break }
      ending = ending ?? worker.child.poll()
      try worker.checkStop()
      if ending == nil { try worker.checkDeadline() }
    }
    if let ending, ending != .exit(0) { throw worker.fault(ending) }
    return worker.streams.output
  }
}

/// A worker that was started before its trial's turn.
private final class WorkerAhead: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: (worker: StartedWorker, padding: Int)?

  func keep(_ worker: StartedWorker?, for limits: TrialLimits) {
    lock.withLock { kept = worker.map { ($0, limits.environmentPadding) } }
  }

  /// The worker that was started for such limits; one for others waits for its own turn.
  func take(for limits: TrialLimits) -> StartedWorker? {
    lock.withLock {
      guard let kept, kept.padding == limits.environmentPadding else { return nil }
      self.kept = nil
      return kept.worker
    }
  }
}

/// How a launch ended that might be killed.
package enum LaunchEnding: Hashable, Sendable {
  /// It came to its end, also by an error that its case expects.
  case finished(TrialResponse)
  /// It was killed: by itself, or for want of time.
  case killed
  /// For this cause.
  case failed(String)
}

/// Launches work in a process of its own; a seam for tests.
package protocol Launcher: TrialExecutor {
  /// Throws ``Refusal/interrupted`` when told to stop meanwhile.
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

/// Why a worker gave no answer.
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
      "the worker process cannot get its request: \(size) bytes are too many for a pipe"
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

  /// Why a process that ended gave no answer; whether for want of memory, the kills of its control
  /// group tell.
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

  /// What the control group of this process says of memory (Linux, cgroup v2).
  enum MemoryControl {
    /// How many processes of the group the system has ended for want of memory; 0 where unknown.
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

/// One processor that several processes run on, such as both sides of a block.
///
/// Processors of one machine differ in speed for longer than a block takes: where a neighbour keeps
/// the other half of a core busy, by a factor of 1.6. Slices in turns on two of them, and runs on
/// either, compare the processors. Which one it is has nothing to do with what runs there, so that
/// a block stays as symmetric as it was.
package struct SharedProcessor: Sendable {
  let number: Int

  /// The processor that this thread runs on, where the system has put it because it was free.
  ///
  /// `nil` where there is no way to know, as outside Linux.
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

  /// Keeps this thread on it, and whatever processes it starts from now on.
  package func keepThisThread() { keep(0) }

  /// Keeps a process on it, and whatever threads it starts from now on.
  ///
  /// One that may not be kept there runs where it likes: its block scatters more, and holds.
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
  /// A set of one processor, as the system reads it: a bit each.
  private struct ProcessorMask {
    static let limit = 1024

    var bits = [UInt](repeating: 0, count: limit / UInt.bitWidth)

    init(_ number: Int) {
      bits[number / UInt.bitWidth] = 1 << UInt(number % UInt.bitWidth)
    }
  }

  /// Functions that the C library declares for GNU sources only, which Swift's module of it is not.
  private enum GNUSymbol {
    static func function<Function>(_ name: String) -> Function? {
      dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
  }
#endif

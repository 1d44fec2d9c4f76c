import Basics
import Measurement

/// Why a worker gave no answer.
enum WorkerFault: Error, Equatable, CustomStringConvertible {
  case cannotStart(reason: String)
  case requestTooLarge(Int)
  case tookTooLong(seconds: Double)
  case wroteTooMuch(limit: Int)
  case exited(status: Int32, message: String)
  case killed(signal: Int32, wasOutOfMemory: Bool, message: String)
  case answeredRubbish(String)

  var description: String {
    switch self {
    case .cannotStart(let reason): "the worker process cannot be started: \(reason)"
    case .requestTooLarge(let size):
      "the worker process cannot be asked: the request has \(size) bytes, too many for a pipe"
    case .tookTooLong(let seconds):
      "it took longer than \(Figure.text(seconds, unit: .seconds)) and was ended; "
        + "'timeLimit' of 'trials' allows more"
    case .wroteTooMuch(let limit):
      "the worker process wrote more than \(limit) bytes and was ended"
    case .exited(let status, let message):
      "the worker process ended with status \(status)" + Self.tail(message)
    case .killed(let signal, let wasOutOfMemory, let message):
      "the worker process was ended by signal \(signal) (\(Self.name(of: signal)))"
        + (wasOutOfMemory ? ": the memory of its control group ran out" : Self.tail(message))
    case .answeredRubbish(let answer):
      "the worker process gave no answer that is understood" + Self.tail(answer)
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
      2: "interrupted", 4: "illegal instruction, as a failed check of Swift's", 5: "trap",
      6: "aborted", 7: "bus error", 8: "arithmetic", 9: "killed", 11: "segmentation fault",
      15: "terminated",
    ]
    return names[signal] ?? "unknown"
  }
}

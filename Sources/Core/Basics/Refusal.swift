import Foundation

/// The exit status of the process, from which scripts can determine the outcome.
package struct CommandStatus: Hashable, Sendable {
  package static let done = CommandStatus(code: 0)
  /// A case or its verification failed.
  package static let caseFailed = CommandStatus(code: 1)
  /// A cost increased, or a check of a schema or a store failed.
  package static let regression = CommandStatus(code: 2)
  package static let undecided = CommandStatus(code: 3)
  package static let misuse = CommandStatus(code: 64)
  package static let badInput = CommandStatus(code: 65)
  package static let noInput = CommandStatus(code: 66)
  /// An internal error.
  package static let bug = CommandStatus(code: 70)
  package static let cannotWrite = CommandStatus(code: 73)
  package static let failedIO = CommandStatus(code: 74)
  /// Some cases of the plan were not run; run them and merge again.
  package static let partial = CommandStatus(code: 75)
  package static let interrupted = CommandStatus(code: 130)

  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// Creates the exit status for an error: its own status, or else that of an internal error.
  package init(of error: any Error) {
    self = (error as? any ErrorWithStatus)?.status ?? .bug
  }
}

/// An error with a documented exit status.
package protocol ErrorWithStatus: Error {
  var status: CommandStatus { get }
  var isFullDisk: Bool { get }
}

extension ErrorWithStatus {
  package var isFullDisk: Bool { false }
}

extension Error {
  /// Whether the error reports that the process was told to stop.
  package var isInterruption: Bool { CommandStatus(of: self) == .interrupted }

  /// Whether the error was caused by a full disk or quota.
  package var hasFullDisk: Bool {
    if let error = self as? any ErrorWithStatus { return error.isFullDisk }
    if let error = self as? CocoaError { return error.code == .fileWriteOutOfSpace }
    return (self as? POSIXError).map { System.isFullDisk($0.code.rawValue) } ?? false
  }
}

/// An error with a message to print and the exit status of the process.
package struct Refusal: ErrorWithStatus, Hashable, CustomStringConvertible {
  package let status: CommandStatus
  package let message: String
  /// The `errno` value of the failed system call, if there was one.
  package let code: Int32?

  package init(_ status: CommandStatus, _ message: String, code: Int32? = nil) {
    self.status = status
    self.message = message
    self.code = code
  }

  package var isFullDisk: Bool { code.map(System.isFullDisk) ?? false }
  package var description: String { message }

  /// An error for a system call that failed with `code`.
  package static func failed(
    _ action: String,
    _ path: String,
    _ status: CommandStatus,
    code: Int32 = errno
  ) -> Refusal {
    Refusal(status, "cannot \(action) '\(path)': \(System.errorText(code))", code: code)
  }

  package static func misuse(_ message: String) -> Refusal { Refusal(.misuse, message) }
  package static func badInput(_ message: String) -> Refusal { Refusal(.badInput, message) }
  package static func noInput(_ message: String) -> Refusal { Refusal(.noInput, message) }
  /// An internal error.
  package static func bug(_ message: String) -> Refusal { Refusal(.bug, message) }

  /// The process was told to stop.
  package static let interrupted = Refusal(.interrupted, "interrupted")

  /// An error for a file that could not be written because a system call failed.
  package static func cannotWrite(_ path: String, code: Int32 = errno) -> Refusal {
    failed("write", path, .cannotWrite, code: code)
  }

  /// An error for a file that could not be read because a system call failed.
  package static func cannotRead(_ path: String) -> Refusal {
    failed("read", path, .noInput, code: errno)
  }

  /// An error for a file that could not be written for a reason other than a system error.
  package static func cannotWrite(_ path: String, reason: String) -> Refusal {
    Refusal(.cannotWrite, "cannot write '\(path)': \(reason)")
  }

  /// An error for a file that could not be read for a reason other than a system error.
  package static func cannotRead(_ path: String, reason: String) -> Refusal {
    Refusal(.noInput, "cannot read '\(path)': \(reason)")
  }

  /// An error for an output file that already exists.
  package static func exists(_ path: String) -> Refusal {
    Refusal(.cannotWrite, "there is a file at '\(path)' already; choose another name")
  }
}

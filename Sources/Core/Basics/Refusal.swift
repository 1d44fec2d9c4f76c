import Foundation

/// The status with which the process ends, so that scripts can tell why.
package struct CommandStatus: Hashable, Sendable {
  package static let done = CommandStatus(code: 0)
  /// A case failed, or its verification did.
  package static let caseFailed = CommandStatus(code: 1)
  /// A cost rose, or a claim does not hold.
  package static let regression = CommandStatus(code: 2)
  package static let undecided = CommandStatus(code: 3)
  package static let misuse = CommandStatus(code: 64)
  package static let badInput = CommandStatus(code: 65)
  package static let noInput = CommandStatus(code: 66)
  /// An internal error.
  package static let bug = CommandStatus(code: 70)
  package static let cannotWrite = CommandStatus(code: 73)
  package static let failedIO = CommandStatus(code: 74)
  /// Cases of a plan are missing: run them and merge again.
  package static let partial = CommandStatus(code: 75)
  package static let interrupted = CommandStatus(code: 130)

  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// The status of a process that an error ends: an internal error unless the error has a status.
  package init(of error: any Error) {
    self = (error as? any ErrorWithStatus)?.status ?? .bug
  }
}

/// An error that has a documented exit status.
package protocol ErrorWithStatus: Error {
  var status: CommandStatus { get }
  /// Whether a full disk or quota is the cause.
  var isFullDisk: Bool { get }
}

extension ErrorWithStatus {
  package var isFullDisk: Bool { false }
}

extension Error {
  /// Whether the process was told to stop.
  package var isInterruption: Bool { CommandStatus(of: self) == .interrupted }

  /// Whether a full disk or quota is the cause.
  package var hasFullDisk: Bool {
    if let error = self as? any ErrorWithStatus { return error.isFullDisk }
    if let error = self as? CocoaError { return error.code == .fileWriteOutOfSpace }
    return (self as? POSIXError).map { System.isFullDisk($0.code.rawValue) } ?? false
  }
}

/// Why something was not done, for errors that code never tells apart: a message to print and the
/// status with which the process ends.
package struct Refusal: ErrorWithStatus, Hashable, CustomStringConvertible {
  package let status: CommandStatus
  package let message: String
  /// The error of the system call that failed.
  package let code: Int32?

  package init(_ status: CommandStatus, _ message: String, code: Int32? = nil) {
    self.status = status
    self.message = message
    self.code = code
  }

  package var isFullDisk: Bool { code.map(System.isFullDisk) ?? false }
  package var description: String { message }

  /// The refusal of a system call that failed with `code`.
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

  /// The refusal of writing a file after a system call failed.
  package static func cannotWrite(_ path: String, code: Int32 = errno) -> Refusal {
    failed("write", path, .cannotWrite, code: code)
  }

  /// The refusal of reading a file after a system call failed.
  package static func cannotRead(_ path: String, code: Int32 = errno) -> Refusal {
    failed("read", path, .noInput, code: code)
  }

  /// The refusal of writing a file for a reason that is no system error.
  package static func cannotWrite(_ path: String, reason: String) -> Refusal {
    Refusal(.cannotWrite, "cannot write '\(path)': \(reason)")
  }

  /// The refusal of reading a file for a reason that is no system error.
  package static func cannotRead(_ path: String, reason: String) -> Refusal {
    Refusal(.noInput, "cannot read '\(path)': \(reason)")
  }

  /// The refusal of replacing a file.
  package static func exists(_ path: String) -> Refusal {
    Refusal(.cannotWrite, "there is a file at '\(path)' already; choose another name")
  }
}

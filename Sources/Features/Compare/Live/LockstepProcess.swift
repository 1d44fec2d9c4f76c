import Basics
import Foundation
import Runner

/// One side of a block (alternating slices of both sides) as the coordinator sees it: a worker
/// process that runs a slice on request.
///
/// Its methods throw a ``WorkerFault`` or a ``LiveError`` for an error in the worker, and a
/// ``Refusal`` if the program cannot take part at all.
package final class LockstepProcess {
  private let worker: LiveWorker
  private let started: StartedWorker

  /// Starts the worker of one side, which immediately prepares its case.
  ///
  /// The time limit in the workload file covers the whole lifetime of the process.
  package init(
    _ arm: LiveArm,
    trial: Trial,
    padding: Int,
    processor: SharedProcessor? = nil,
    isStopped: @escaping @Sendable () -> Bool
  ) throws {
    worker = arm.worker
    let request = LockstepFrame.Request(
      version: LockstepFrame.version,
      trial: TrialRequest(
        kind: arm.file.kind.name,
        parameters: arm.planned.allParameters,
        trial: trial,
        cache: arm.file.trials.cache
      ),
      slowdown: arm.slowdown
    )
    started = try StartedWorker(
      worker.executable,
      worker.arguments + ["\(LockstepFrame.version)"],
      environment: ChildProcess.environment(padding: padding, setting: worker.variables),
      processor: processor,
      isStopped: isStopped
    )
    try started.ask(
      Data(LockstepFrame(.request, text: try JSONEncoder().encode(request)).bytes),
      timeLimit: arm.file.trials.timeLimit
    )
  }

  /// Waits until the case is prepared.
  ///
  /// - Returns: The share of a cold store's pages that are in memory; `nil` if it was not checked,
  ///   because the case is warm or the worker is from a revision without the check.
  /// - Throws: ``Refusal`` if the worker uses another protocol version or another SQLite library.
  @discardableResult
  package func awaitReady() throws -> Double? {
    let frame = try receiveFirst()
    guard frame.kind == .greeting,
      let greeting = try? JSONDecoder().decode(LockstepFrame.Greeting.self, from: Data(frame.text))
    else {
      throw Refusal.otherProtocol(worker: worker.name, detail: "its greeting is not understood")
    }
    guard greeting.version == LockstepFrame.version else {
      throw Refusal.otherProtocol(
        worker: worker.name,
        detail: "it speaks version \(greeting.version)"
      )
    }
    if let expected = worker.sqliteSourceID, expected != greeting.sqliteSourceID {
      throw Refusal.badInput(
        "'\(worker.name)' runs with the SQLite of '\(greeting.sqliteSourceID)', not with that of "
          + "'\(expected)'"
      )
    }
    let readiness = try receive(.ready).value
    return readiness == 0 ? nil : Double(readiness - 1) / 1000
  }

  /// Runs a number of iterations and returns their duration in nanoseconds.
  package func run(iterations: Int) throws -> UInt64 {
    try say(LockstepFrame(.runIterations, value: UInt64(iterations)))
    return try receive(.slice).value
  }

  func run(quantum nanoseconds: UInt64) throws -> (nanoseconds: UInt64, isLast: Bool) {
    try say(LockstepFrame(.runQuantum, value: nanoseconds))
    let frame = try receive(.slice, .lastSlice)
    return (frame.value, frame.kind == .lastSlice)
  }

  /// Requests the verification without waiting for its result, so that both sides can verify
  /// concurrently.
  package func startVerifying() throws {
    try say(LockstepFrame(.verify))
  }

  /// Returns the verified outcome of the work.
  ///
  /// - Throws: ``LiveError/failed(_:)`` if the outcome is wrong.
  package func verification() throws -> Verification {
    let text = try receive(.response).text
    guard let response = try? JSONDecoder().decode(TrialResponse.self, from: Data(text)) else {
      throw WorkerFault.answeredRubbish("its response cannot be decoded")
    }
    switch response.outcome {
    case .passed(let verification), .failedAsExpected(_, let verification): return verification
    case .failed(let cause): throw LiveError.failed(cause)
    }
  }

  // MARK: Messages

  private func say(_ frame: LockstepFrame) throws {
    guard started.child.say(frame.bytes) else { throw try ending() }
  }

  /// Receives the first message.
  ///
  /// Another program, or an earlier build of this program, may exit or print something else
  /// instead, because it does not know the worker's arguments. The error then states that the
  /// program has no lockstep protocol or a different one.
  private func receiveFirst() throws -> LockstepFrame {
    do {
      return try receiveAny()
    } catch let fault as WorkerFault {
      switch fault {
      case .exited, .answeredRubbish:
        throw Refusal.otherProtocol(worker: worker.name, detail: fault.description)
      default: throw fault
      }
    }
  }

  private func receive(_ kinds: LockstepFrame.Kind...) throws -> LockstepFrame {
    let frame = try receiveAny()
    if kinds.contains(frame.kind) { return frame }
    if frame.kind == .response,
      let response = try? JSONDecoder().decode(TrialResponse.self, from: Data(frame.text)),
      case .failed(let cause) = response.outcome
    {
      throw LiveError.failed(cause)
    }
    throw WorkerFault.answeredRubbish("a message in the wrong order")
  }

  private func receiveAny() throws -> LockstepFrame {
    let head = try take(LockstepFrame.headSize)
    guard let (kind, value) = LockstepFrame.head(head) else {
      throw WorkerFault.answeredRubbish(String(decoding: head, as: UTF8.self))
    }
    guard kind.hasText else { return LockstepFrame(kind, value: value) }
    return LockstepFrame(kind, text: try take(Int(value)))
  }

  private func take(_ count: Int) throws -> Data {
    while true {
      if let bytes = started.streams.takeOutput(count) { return bytes }
      guard started.streams.hasOutput else { throw try ending() }
      _ = try started.streams.read(milliseconds: 50)
      try started.checkStop()
      try started.checkDeadline()
    }
  }

  private func ending() throws -> WorkerFault {
    let isEnough = MonotonicClock.seconds() + 2
    while MonotonicClock.seconds() < isEnough {
      if try !started.streams.read(milliseconds: 1), let ending = started.child.poll() {
        return started.fault(ending)
      }
    }
    return WorkerFault.answeredRubbish("it has closed its standard output")
  }
}

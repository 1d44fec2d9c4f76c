import Basics
import Foundation
import Runner
import SQLite

/// A worker that takes turns with another worker to run slices (short timed parts of a case), as
/// directed by the ``LockstepProcess`` in the coordinator, the process that compares the sides.
package enum LockstepWorker {
  /// The protocol version, which must match the coordinator's and is the last argument of the
  /// command that starts a worker.
  package static let version = LockstepFrame.version

  /// Prepares one case and runs it slice by slice, as requested by messages on standard input.
  ///
  /// Returns the exit status of the process. Output of the work is redirected to standard error.
  package static func run(kinds: [any WorkloadKind.Type]) -> Int32 {
    let pipe = LockstepPipe(input: STDIN_FILENO, output: dup(STDOUT_FILENO))
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard let frame = pipe.receive(), frame.kind == .request,
      let request = try? JSONDecoder().decode(LockstepFrame.Request.self, from: Data(frame.text))
    else {
      let message = "a worker in lock-step reads its request from standard input\n"
      FileHandle.standardError.write(Data(message.utf8))
      return EX_USAGE
    }
    greet(pipe)
    guard let kind = kinds.first(where: { $0.name == request.trial.kind }) else {
      let cause = "there is no workload kind '\(request.trial.kind)'"
      answer(TrialResponse(outcome: .failed(cause)), to: pipe)
      return 0
    }
    perform(kind, request, pipe)
    return 0
  }

  private static func greet(_ pipe: LockstepPipe) {
    let greeting = LockstepFrame.Greeting(version: version, sqliteSourceID: Library.sourceID)
    if let text = try? JSONEncoder().encode(greeting) {
      pipe.send(LockstepFrame(.greeting, text: text))
    }
  }

  private static func perform<Kind: WorkloadKind>(
    _ kind: Kind.Type,
    _ request: LockstepFrame.Request,
    _ pipe: LockstepPipe
  ) {
    Session(
      workload: kind.init(parameters: request.trial.parameters),
      request: request,
      pipe: pipe
    ).perform()
  }

  static func answer(_ response: TrialResponse, to pipe: LockstepPipe) {
    if let text = try? JSONEncoder().encode(response) {
      pipe.send(LockstepFrame(.response, text: text))
    }
  }

  struct Session<Kind: WorkloadKind> {
    /// The number of SQLite virtual machine steps between two clock readings: about ten
    /// microseconds.
    private var stepsBetweenLooks: Int32 { 500 }

    let workload: Kind
    let request: LockstepFrame.Request
    let pipe: LockstepPipe

    private var trial: TrialRequest { request.trial }

    /// Prepares the case, then obeys the coordinator until it has sent the outcome or the
    /// coordinator has closed the pipe.
    func perform() {
      let cache = PageCache(of: trial.trial.store)
      switch trial.cache {
      case .cold: cache.drop()
      case .warm: cache.warm()
      }
      Recorder.warmUp(for: Kind.self)
      let session: Kind.Session
      do {
        session = try workload.prepare(trial.trial)
      } catch {
        return answer(TrialResponse(outcome: .failed("preparing: \(error)")))
      }
      pipe.send(LockstepFrame(.ready, value: readiness(cache)))
      obey(session)
    }

    /// The value of the `ready` message; a cold case is checked after dropping the pages that
    /// `prepare` read.
    private func readiness(_ cache: PageCache) -> UInt64 {
      guard trial.cache == .cold else { return 0 }
      cache.drop()
      return 1 + UInt64((cache.residentShare() * 1000).rounded(.up))
    }

    private func obey(_ session: Kind.Session) {
      var failure: (any Error)?
      while let command = pipe.receive() {
        switch command.kind {
        case .runIterations:
          do {
            try runIterations(command.value, session)
          } catch {
            return conclude(session, failure: error)
          }
        case .runQuantum: failure = runInQuanta(of: command.value, session)
        case .verify: return conclude(session, failure: failure)
        default: return
        }
      }
    }

    private func runIterations(_ count: UInt64, _ session: Kind.Session) throws {
      var start = MonotonicClock.now()
      for _ in 0..<count {
        let recorder = Recorder(now: MonotonicClock.now)
        _ = recorder.begin()
        try workload.run(session, recorder)
        // Exclude time spent outside the work from the slice.
        start += recorder.excluded.nanoseconds
      }
      let nanoseconds = BusyWait.lengthen(since: start, by: request.slowdown)
      pipe.send(LockstepFrame(.slice, value: nanoseconds))
    }

    /// Runs the work once and returns its error, if any.
    ///
    /// The case may expect an error, so the error is checked only after all timing is finished.
    private func runInQuanta(of nanoseconds: UInt64, _ session: Kind.Session) -> (any Error)? {
      let recorder = Recorder(now: MonotonicClock.now)
      let gate = SliceGate(pipe: pipe, slowdown: request.slowdown) {
        recorder.excluded.nanoseconds
      }
      recorder.pauses(every: stepsBetweenLooks, at: gate.pass)
      _ = recorder.begin()
      gate.open(quantum: nanoseconds)
      var failure: (any Error)?
      do {
        try workload.run(session, recorder)
      } catch {
        failure = error
      }
      pipe.send(LockstepFrame(.lastSlice, value: gate.close()))
      return failure
    }

    private func conclude(_ session: Kind.Session, failure: (any Error)?) {
      let performer = TrialPerformer(workload: workload, request: trial, probes: .system)
      answer(performer.response(session, failure: failure))
    }

    private func answer(_ response: TrialResponse) {
      LockstepWorker.answer(trial.trial.naming(response), to: pipe)
    }
  }

  /// Divides one long `run` into slices of a given duration.
  ///
  /// When a slice is over, the work pauses at its next opportunity until the coordinator requests
  /// another slice; the clock is stopped meanwhile.
  final class SliceGate {
    private let pipe: LockstepPipe
    private let slowdown: Double
    /// The total time spent outside the work, in nanoseconds.
    private let excluded: () -> UInt64
    private var quantum: UInt64 = 0
    private var begin: UInt64 = 0
    private var excludedBefore: UInt64 = 0
    private var isOpen = false

    init(pipe: LockstepPipe, slowdown: Double, excluded: @escaping () -> UInt64) {
      self.pipe = pipe
      self.slowdown = slowdown
      self.excluded = excluded
    }

    /// The start of the slice, moved forward by the time spent outside the work.
    private var start: UInt64 { begin + excluded() - excludedBefore }

    private func beginSlice() {
      excludedBefore = excluded()
      begin = MonotonicClock.now()
    }

    /// Starts the first slice, immediately before `run`.
    func open(quantum: UInt64) {
      self.quantum = quantum
      isOpen = true
      beginSlice()
    }

    /// Ends the last slice, immediately after `run`, and returns its duration in nanoseconds.
    func close() -> UInt64 {
      isOpen = false
      return BusyWait.lengthen(since: start, by: slowdown)
    }

    func pass() {
      guard isOpen, MonotonicClock.now() - start >= quantum else { return }
      pipe.send(LockstepFrame(.slice, value: BusyWait.lengthen(since: start, by: slowdown)))
      // Any other message means that the coordinator has abandoned the work, so the process can
      // end.
      guard let next = pipe.receive(), next.kind == .runQuantum else { _exit(0) }
      quantum = next.value
      beginSlice()
    }
  }
}

/// Simulates a regression by waiting after the work.
enum BusyWait {
  /// Waits for a share of the time since `start`, and returns the nanoseconds since `start`
  /// including the wait.
  static func lengthen(since start: UInt64, by share: Double) -> UInt64 {
    let elapsed = MonotonicClock.now() - start
    guard share > 0 else { return elapsed }
    let end = start + elapsed + UInt64(Double(elapsed) * share)
    var now = MonotonicClock.now()
    while now < end { now = MonotonicClock.now() }
    return now - start
  }
}

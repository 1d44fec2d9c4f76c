import Basics

/// One side of one block: prepares a case, runs it slice by slice as it is told, and checks it.
struct LockstepSession<Kind: Workload> {
  /// The steps of SQLite's virtual machine between two looks at the clock: some ten microseconds.
  private var stepsBetweenLooks: Int32 { 500 }

  let workload: Kind
  let request: LockstepRequest
  let pipe: LockstepPipe

  private var trial: TrialRequest { request.trial }

  /// Returns when the coordinator has its answer, or wants none any more.
  func perform() {
    let cache = PageCache(of: trial.trial.store)
    switch trial.cache {
    case .cold: cache.drop()
    case .warm: cache.warm()
    }
    let session: Kind.Session
    do {
      session = try workload.prepare(trial.trial)
    } catch {
      return answer(TrialResponse(outcome: .failed("preparing: \(error)")))
    }
    // What prepare has read.
    if trial.cache == .cold { cache.drop() }
    pipe.send(LockstepFrame(.ready))
    obey(session)
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
    let start = MonotonicClock.now()
    for _ in 0..<count {
      let recorder = Recorder(now: MonotonicClock.now)
      _ = recorder.begin()
      try workload.run(session, recorder)
    }
    let nanoseconds = BusyWait.lengthen(since: start, by: request.slowdown)
    pipe.send(LockstepFrame(.slice, value: nanoseconds))
  }

  /// Runs once, and returns what `run` threw: a failure may be what the case expects, and is judged
  /// when nothing is timed any more.
  private func runInQuanta(of nanoseconds: UInt64, _ session: Kind.Session) -> (any Error)? {
    let gate = SliceGate(pipe: pipe, slowdown: request.slowdown)
    let recorder = Recorder(now: MonotonicClock.now)
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
    LockstepWorker.answer(response, to: pipe)
  }
}

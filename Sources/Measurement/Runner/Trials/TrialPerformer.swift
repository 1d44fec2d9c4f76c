import Measurement
import PersistentStore
import SQLite

/// One trial of one workload, from its preparation to its verification.
struct TrialPerformer<Kind: Workload> {
  let workload: Kind
  let request: TrialRequest
  let probes: Probes

  private var trial: Trial { request.trial }

  func perform() -> TrialResponse {
    switch request.task {
    case .makeStartingStore: makeStartingStore()
    case .measure, .launch: measure()
    }
  }

  private func makeStartingStore() -> TrialResponse {
    do {
      try workload.makeStartingStore(trial)
      return TrialResponse(outcome: .passed(Verification(digest: "")))
    } catch {
      return TrialResponse(outcome: .failed("making its starting store: \(error)"))
    }
  }

  private func measure() -> TrialResponse {
    // Before the connection opens; what prepare reads goes again after it.
    let cache = PageCache(of: trial.store)
    switch request.cache {
    case .cold: cache.drop()
    case .warm: cache.warm()
    }
    let session: Kind.Session
    do {
      session = try workload.prepare(trial)
    } catch {
      return TrialResponse(outcome: .failed("preparing: \(error)"))
    }
    var response = iterate(session, cache)
    if case .failed = response.outcome { response.iterations = [] }
    response.clockResolution = probes.clockResolution()
    return response
  }

  private func iterate(_ session: Kind.Session, _ cache: PageCache) -> TrialResponse {
    var (iterations, notes): ([[TakenMeasurement]], [String]) = ([], [])
    for index in -request.warmUps..<request.iterations {
      let iteration = Iteration(
        workload: workload,
        request: request,
        probes: probes,
        cache: cache
      ).run(session)
      if index >= 0 { iterations.append(iteration.measurements) }
      notes += iteration.notes.filter { !notes.contains($0) }
      guard let error = iteration.error else { continue }
      return response(session, failure: error, iterations, notes)
    }
    return response(session, failure: nil, iterations, notes)
  }

  /// Judges how the work has ended and checks its outcome.
  func response(
    _ session: Kind.Session,
    failure: (any Error)?,
    _ iterations: [[TakenMeasurement]] = [],
    _ notes: [String] = []
  ) -> TrialResponse {
    // What follows is not the work: no fault belongs to it.
    CountingVFS.installed?.faults?.rest()
    let failed = { (cause: String) in TrialResponse(outcome: .failed(cause), notes: notes) }
    if let failure {
      guard let expected = workload.expectedFailure else { return failed("\(failure)") }
      guard "\(failure)".contains(expected) else {
        return failed("it failed otherwise than with '\(expected)': \(failure)")
      }
    } else if let expected = workload.expectedFailure {
      return failed("it had to fail with '\(expected)', and did not")
    }
    guard request.task != .launch else {
      return TrialResponse(outcome: .passed(Verification(digest: "")), iterations: iterations)
    }
    do {
      let found = try workload.verify(session, trial, failure: failure)
      let outcome: TrialResponse.Outcome =
        failure.map { .failedAsExpected(Self.cause(of: $0), found) } ?? .passed(found)
      return TrialResponse(outcome: outcome, iterations: iterations, notes: notes + found.notes)
    } catch {
      return failed("\(error)")
    }
  }

  /// What a reader has to know of an expected failure: not the statement, which may be long.
  private static func cause(of error: any Error) -> String {
    (error as? SQLiteError).map { "SQLite error \($0.code): \($0.message)" } ?? "\(error)"
  }
}

import Measurement

/// What the trials of a case have given so far.
struct CaseProgress {
  var table = SampleTable()
  /// The samples of the profiled trial.
  private(set) var profile: [Sample] = []
  var failure: String?
  private(set) var expectedFailure: String?
  private(set) var digest: String?
  private(set) var notes: [String] = []
  private(set) var losses: [String] = []
  private(set) var clockResolution = 0.0

  var hasFailed: Bool { failure != nil }

  /// Takes a timed trial's response; a failure names the trial.
  mutating func take(_ response: TrialResponse, trial: Int, of count: Int) {
    let name = count == 1 ? "" : "trial \(trial + 1) of \(count): "
    guard judge(response, name: name) else { return }
    for iteration in response.iterations { table.add(iteration) }
    clockResolution = max(clockResolution, response.clockResolution)
  }

  /// Takes the time inside SQLite from the profiled trial, which was slowed by taking it.
  mutating func takeProfile(_ response: TrialResponse) {
    guard judge(response, name: "the profiled trial: "), let taken = response.iterations.first,
      let inside = taken.first(where: { $0.name == Metric.sqliteTime.name })?.value
    else { return }
    profile = [Sample(metric: .sqliteTime, trials: [[inside]])]
    if let whole = taken.first(where: { $0.name == Metric.wallClock.name })?.value, whole > 0 {
      profile.append(Sample(metric: .sqliteShare, trials: [[min(inside / whole, 1)]]))
    }
  }

  private mutating func judge(_ response: TrialResponse, name: String) -> Bool {
    notes += response.notes.filter { !notes.contains($0) }
    let found: Verification
    switch response.outcome {
    case .failed(let cause):
      failure = name + cause
      return false
    case .passed(let verification):
      found = verification
    case .failedAsExpected(let cause, let verification):
      found = verification
      expectedFailure = cause
    }
    if let digest, digest != found.digest {
      failure = "\(name)it reached the content \(found.digest), the trials before \(digest)"
      return false
    }
    digest = found.digest
    losses = found.losses
    return true
  }
}

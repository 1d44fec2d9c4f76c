import Basics

/// How long a run goes on with comparisons that the trials of its files have not decided.
///
/// A round is one further trial of each case that is still compared. Comparisons are looked at after
/// numbers of rounds that are fixed here; only those that are not decided get the rounds up to the
/// next look, and only where the time is likely to suffice for all of them. A workload whose time
/// suffices for none is looked at once, which is known before anything of it is compared.
package final class FurtherRounds {
  /// After how many rounds comparisons are looked at.
  package static let looks = [3, 5, 8, 12, 20]

  /// A clock in seconds.
  let now: () -> Double
  private var left: Double
  /// The seconds that the workload at work may spend.
  private(set) var share = 0.0

  /// Spends at most so many seconds in a run.
  package init(seconds: Double, now: @escaping () -> Double = MonotonicClock.seconds) {
    left = seconds
    self.now = now
  }

  /// The looks at the cases of a file with so many trials, of which the first one is after them;
  /// none where a single trial compares nothing, or where no later look follows.
  package static func looks(after trials: Int) -> [Int] {
    let later = looks.filter { $0 > trials }
    return trials < 2 || later.isEmpty ? [] : [trials] + later
  }

  /// Gives the first of the remaining workloads its part: what it leaves is for the others.
  func share(among workloads: [TrialPolicy]) {
    let count = workloads.count { !Self.looks(after: $0.trials).isEmpty }
    share = left / Double(max(1, count))
  }

  func spend(_ seconds: Double) { left = max(0, left - seconds) }

  /// The looks at the workload at work: none but the one after its trials where it has no part of
  /// the time, since several looks widen each interval.
  func looks(after trials: Int) -> [Int] { share > 0 ? Self.looks(after: trials) : [] }

  /// Takes the part back where it is too short for any rounds of two cases of one job, given what a
  /// trial of each has taken: how long trials take does not show which alternative is faster.
  func takeBackShare(ifTooShortFor jobs: [[Double]], _ looks: [Int]) {
    guard looks.count > 1 else { return }
    let pairs = jobs.filter { $0.count > 1 }.map { $0.sorted().prefix(2).reduce(0, +) }
    let least = (pairs.min() ?? .infinity) * Double(looks[1] - looks[0])
    if least > share { share = 0 }
  }
}

/// Which cases of a workload are still compared: asked again after each look.
package struct OpenComparisons {
  private let inquiry: Inquiry
  /// The factors of the intervals of each world: those of the first look hold for all.
  private var factors: [Int: [Double]] = [:]

  package init(_ inquiry: Inquiry) {
    self.inquiry = inquiry
  }

  /// The IDs of the cases that may be the fastest of a comparison that is not decided, whatever is
  /// assumed of Apple's code, and that have so many trials.
  ///
  /// Who was left out once has fewer than the others, and is not taken back.
  package mutating func cases(of workload: WorkloadResult, after look: Int) -> Set<String> {
    let worlds = AssumedWorlds(workload.cases.filter { $0.isComparable })
    var open: Set<String> = []
    for (place, cases) in ([worlds.base] + worlds.others.map(\.cases)).enumerated() {
      let contests = MeasuredContests(
        cases,
        inquiry,
        looks: workload.looks,
        factors: factors[place]
      )
      factors[place] = contests.factors
      let having = contests.undecided.filter { cases[$0].trialValues(of: .wallClock).count == look }
      open.formUnion(having.map { cases[$0].id })
    }
    return open
  }
}

extension Run.WorkloadRunner {
  /// A job whose cases have had the trials of their file.
  struct FinishedJob {
    let job: JobOrder.Job
    var runners: [CaseRunner]
    /// What a trial of each of its cases has taken, the copy of its store included.
    let secondsPerTrial: [Double]
  }

  /// Runs the rounds up to the next look for the jobs with comparisons that are not decided, look
  /// after look, until all are decided or the time does not suffice.
  func goOn(
    with finished: [FinishedJob],
    _ outcomes: Run.EndStates,
    _ stores: Run.JobStores,
    save: (WorkloadResult) throws -> Void
  ) throws {
    let looks = emptyResult.looks
    guard let rounds = run.rounds, !looks.isEmpty else { return }
    let start = rounds.now()
    defer {
      rounds.spend(rounds.now() - start)
      stores.remove(Set(finished.flatMap(\.job.startingStores)))
    }
    rounds.takeBackShare(ifTooShortFor: finished.map(\.secondsPerTrial), looks)
    guard rounds.share > 0 else { return try save(result(of: outcomes, isComplete: true)) }
    var (jobs, endStates, open) = (finished, outcomes, OpenComparisons(file.inquiry))
    var isChanged = false
    func keep() throws {
      if isChanged { try save(result(of: endStates, isComplete: true)) }
    }
    do {
      for (look, next) in zip(looks, looks.dropFirst()) {
        let undecided = open.cases(of: result(of: endStates, isComplete: false), after: look)
        var hasRun = false
        for index in jobs.indices {
          let chosen = jobs[index].job.cases.indices.filter { place in
            undecided.contains(jobs[index].job.cases[place].id)
          }
          let seconds =
            chosen.reduce(0) { $0 + jobs[index].secondsPerTrial[$1] } * Double(next - look)
          guard chosen.count > 1, rounds.now() - start + seconds <= rounds.share else { continue }
          try runRounds(look..<next, of: chosen, in: &jobs[index], stores)
          for place in chosen { endStates.replace(jobs[index].runners[place].outcome) }
          (hasRun, isChanged) = (true, true)
        }
        guard hasRun else { break }
      }
    } catch {
      // The looks that were reached are kept, whatever ends the rounds.
      try keep()
      throw error
    }
    try keep()
  }

  private func runRounds(
    _ rounds: Range<Int>,
    of chosen: [Int],
    in finished: inout FinishedJob,
    _ stores: Run.JobStores
  ) throws {
    let cases = finished.job.cases
    for place in chosen { finished.runners[place].goOn(to: rounds.upperBound) }
    finished.runners.first?.order.expect(
      rounds.flatMap { round in
        finished.job.order(ofRound: round, seed: file.trials.seed).filter(chosen.contains)
          .map { TrialOrder.Step(planned: cases[$0], trial: round) }
      }
    )
    for round in rounds {
      for place in finished.job.order(ofRound: round, seed: file.trials.seed)
      where chosen.contains(place) {
        try run.checkStop()
        try stores.use(for: cases[place]) { store, obstacle in
          if let obstacle { return finished.runners[place].fail(obstacle) }
          try finished.runners[place].runTrial(round, on: &store)
        }
      }
    }
    try stores.checkShared(of: chosen.map { cases[$0] }) { changed, change in
      for place in chosen where cases[place].id == changed.id {
        finished.runners[place].fail("a case of its job must only read, but \(change)")
      }
    }
  }
}

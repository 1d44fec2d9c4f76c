import Basics

/// The time limit for extra rounds of comparisons that are undecided after the trials of their
/// workload file.
///
/// A round is one more trial of each case that is still compared. Comparisons are evaluated only at
/// the fixed ``looks``. Undecided comparisons get the rounds up to the next look, if the time is
/// likely to suffice. A workload whose time allows no extra rounds has only one look; this is
/// decided before anything is compared.
package final class FurtherRounds {
  /// The looks: the numbers of rounds after which comparisons are evaluated.
  package static let looks = [3, 5, 8, 12, 20]

  let now: () -> Double
  private var left: Double
  private(set) var share = 0.0

  /// Creates a limit of the given number of seconds for all extra rounds of a run.
  package init(seconds: Double, now: @escaping () -> Double = MonotonicClock.seconds) {
    left = seconds
    self.now = now
  }

  /// Returns the numbers of trials at which cases are evaluated, starting with the given number.
  ///
  /// The list is empty if there is only one trial, which allows no comparison, or if no later look
  /// follows.
  package static func looks(after trials: Int) -> [Int] {
    let later = looks.filter { $0 > trials }
    return trials < 2 || later.isEmpty ? [] : [trials] + later
  }

  /// Gives the first of the remaining workloads an equal share of the time; later workloads can use
  /// the time that it leaves.
  func share(among workloads: [TrialPolicy]) {
    let count = workloads.count { !Self.looks(after: $0.trials).isEmpty }
    share = left / Double(max(1, count))
  }

  func spend(_ seconds: Double) { left = max(0, left - seconds) }

  /// Returns the looks of the current workload; empty if it has no share of the time, because
  /// planning several looks widens each interval.
  func looks(after trials: Int) -> [Int] { share > 0 ? Self.looks(after: trials) : [] }

  /// Withdraws the workload's share of the time if it is too short for extra rounds of any two
  /// alternative cases.
  ///
  /// This causes no bias, because the duration of the trials does not show which alternative is
  /// faster.
  func takeBackShare(ifTooShortFor jobs: [[Double]], _ looks: [Int]) {
    guard looks.count > 1 else { return }
    let pairs = jobs.filter { $0.count > 1 }.map { $0.sorted().prefix(2).reduce(0, +) }
    let least = (pairs.min() ?? .infinity) * Double(looks[1] - looks[0])
    if least > share { share = 0 }
  }
}

/// The cases of a workload that are still compared, updated after each look.
package struct OpenComparisons {
  private let inquiry: Inquiry
  /// The half-widths of intervals in standard deviations, by index in ``AssumedWorlds``, then by
  /// look.
  ///
  /// The half-widths are computed at the first look and then reused.
  private var factors: [Int: [Double]] = [:]

  package init(_ inquiry: Inquiry) {
    self.inquiry = inquiry
  }

  /// Returns the IDs of the cases that need further rounds after the given number of trials.
  ///
  /// These cases may be the fastest in an undecided comparison, under at least one assumption about
  /// Apple's code.
  ///
  /// A case that was left out once has fewer trials than the other cases and is not compared again.
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
  /// A job (a group of alternative cases) whose cases have completed the trials of their file.
  struct FinishedJob {
    let job: JobOrder.Job
    var runners: [CaseRunner]
    /// The seconds per trial of each case, including the copy of its store.
    let secondsPerTrial: [Double]
  }

  /// Runs extra rounds, look by look, for the jobs with undecided comparisons, until all are
  /// decided or the time does not suffice.
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
      // Keep the results of completed looks even if an error ends the rounds.
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
    let turns = finished.job.turns(in: rounds, seed: file.trials.seed)
      .filter { chosen.contains($0.index) }
    finished.runners.first?.order.expect(
      turns.map { TrialOrder.Step(planned: cases[$0.index], trial: $0.round) }
    )
    for (place, round) in turns {
      try run.checkStop()
      try stores.use(for: cases[place]) { store, obstacle in
        if let obstacle { return finished.runners[place].fail(obstacle) }
        try finished.runners[place].runTrial(round, on: &store)
      }
    }
    try stores.checkShared(of: chosen.map { cases[$0] }) { changed, change in
      for place in chosen where cases[place].id == changed.id {
        finished.runners[place].fail("a case of its job must only read, but \(change)")
      }
    }
  }
}

import Basics

/// The order in which a workload's cases are run: job by job, so that the trials of alternatives
/// take turns, and jobs that share starting stores together.
///
/// Machines get slower and faster over seconds. Trials of one case after the other would put that
/// drift into the difference between cases; by turns it goes into the spread of the trials.
struct JobOrder {
  /// Cases that are alternatives to each other, in the plan's order.
  struct Job {
    let name: String
    fileprivate(set) var cases: [Case]
    /// The starting stores that no later job needs.
    fileprivate(set) var lastUses: Set<String> = []

    /// The indices of the cases in the order of a round, which the seed decides: a random one, so
    /// that none is first more often but by chance.
    func order(ofRound round: Int, seed: UInt64) -> [Int] {
      var coins = SeededCoins(seed: seed, name: name, number: round)
      var order = Array(cases.indices)
      for last in order.indices.dropFirst().reversed() {
        order.swapAt(last, coins.number(below: UInt64(last + 1)))
      }
      return order
    }
  }

  /// The jobs of each group share starting stores; those of different groups share none.
  let groups: [[Job]]

  init(_ cases: [Case]) {
    var jobs: [Job] = []
    for planned in cases {
      if let index = jobs.firstIndex(where: { $0.name == planned.traits.job }) {
        jobs[index].cases.append(planned)
      } else {
        jobs.append(Job(name: planned.traits.job, cases: [planned]))
      }
    }
    var groups: [(stores: Set<String>, jobs: [Int])] = []
    for (index, job) in jobs.enumerated() {
      var merged = (stores: job.startingStores, jobs: [index])
      var first = groups.count
      for other in groups.indices.reversed()
      where !groups[other].stores.isDisjoint(with: merged.stores) {
        merged.stores.formUnion(groups[other].stores)
        merged.jobs += groups[other].jobs
        groups.remove(at: other)
        first = other
      }
      groups.insert(merged, at: min(first, groups.count))
    }
    self.groups = groups.map { group in
      var later: Set<String> = []
      var result: [Job] = []
      for index in group.jobs.sorted().reversed() {
        var job = jobs[index]
        job.lastUses = job.startingStores.subtracting(later)
        later.formUnion(job.startingStores)
        result.append(job)
      }
      return result.reversed()
    }
  }

  var jobs: [Job] { groups.flatMap { $0 } }
}

/// The trials of a workload that are still to come, in their order: while the outcome of one is
/// checked, the next one is made ready.
final class TrialOrder {
  /// A trial of a case.
  struct Step {
    let planned: Case
    let trial: Int
  }

  private let ready: (Step) -> NextTrial
  private var coming: ArraySlice<Step> = []

  /// Has `ready` say how a trial is made ready.
  init(ready: @escaping (Step) -> NextTrial) {
    self.ready = ready
  }

  /// Expects these trials in place of others.
  func expect(_ steps: [Step]) { coming = steps[...] }

  /// The trial that follows one.
  ///
  /// Those before it that did not come, because their case had failed, are no longer expected.
  func next(after planned: Case, _ trial: Int) -> NextTrial? {
    guard
      let place = coming.firstIndex(where: { $0.planned.id == planned.id && $0.trial == trial })
    else { return nil }
    coming = coming[(place + 1)...]
    return coming.first.map(ready)
  }
}

extension JobOrder.Job {
  /// The names of the starting stores that are not the workload's own.
  var startingStores: Set<String> { Set(cases.compactMap(\.traits.startingStore)) }
}

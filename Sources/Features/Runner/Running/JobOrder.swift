import Basics

/// The order in which a workload's cases run: job (group of alternative cases) by job.
///
/// The trials of alternative cases alternate, and jobs that share starting stores are adjacent.
///
/// The speed of a machine drifts over seconds. If all trials of one case ran before the trials of
/// the next case, the drift would bias the difference between the cases. Alternating trials turn
/// the drift into random scatter.
struct JobOrder {
  struct Job {
    let name: String
    fileprivate(set) var cases: [Case]
    fileprivate(set) var lastUses: Set<String> = []

    /// Returns the indices of the cases in a random order that depends on the seed and the round,
    /// so that no case systematically runs first.
    func order(ofRound round: Int, seed: UInt64) -> [Int] {
      var coins = SeededCoins(seed: seed, name: name, number: round)
      var order = Array(cases.indices)
      for last in order.indices.dropFirst().reversed() {
        order.swapAt(last, coins.number(below: UInt64(last + 1)))
      }
      return order
    }

    func turns(in rounds: Range<Int>, seed: UInt64) -> [(index: Int, round: Int)] {
      rounds.flatMap { round in order(ofRound: round, seed: seed).map { ($0, round) } }
    }
  }

  /// Groups of jobs that share starting stores; jobs of different groups share no starting stores.
  let groups: [[Job]]

  init(_ cases: [Case]) {
    var jobs: [Job] = []
    for planned in cases {
      if let index = jobs.firstIndex(where: { $0.name == planned.traits.goal }) {
        jobs[index].cases.append(planned)
      } else {
        jobs.append(Job(name: planned.traits.goal, cases: [planned]))
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

/// The remaining trials of a workload in order, used to prepare the next trial while the current
/// outcome is checked.
final class TrialOrder {
  struct Step {
    let planned: Case
    let trial: Int
  }

  private let ready: (Step) -> NextTrial
  private var coming: ArraySlice<Step> = []

  init(ready: @escaping (Step) -> NextTrial) {
    self.ready = ready
  }

  func expect(_ steps: [Step]) { coming = steps[...] }

  /// Returns the trial that follows the given trial, or `nil` if there is none.
  ///
  /// Earlier trials that were skipped because their case failed are dropped.
  func next(after planned: Case, _ trial: Int) -> NextTrial? {
    guard
      let place = coming.firstIndex(where: { $0.planned.id == planned.id && $0.trial == trial })
    else { return nil }
    coming = coming[(place + 1)...]
    return coming.first.map(ready)
  }
}

extension JobOrder.Job {
  var startingStores: Set<String> { Set(cases.compactMap(\.traits.startingStore)) }
}

import Basics

/// A part of a plan: the third of sixteen.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  package static let most = 10_000

  /// From 1.
  package let index: Int
  package let count: Int

  /// A shard; `nil` where there is no such part.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(index) else { return nil }
    (self.index, self.count) = (index, count)
  }

  /// A shard from `3/16`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }
}

extension PlanDocument {
  /// The tasks of each of some parts, in the order of the plan.
  ///
  /// By predicted cost, the largest first, each to the part that is done soonest with it; a part
  /// makes each of its stores once. In whole milliseconds: the same split on every machine.
  package func split(into count: Int) -> [[Task]] {
    let stores = Dictionary(
      keepingFirst: workloads.map {
        ($0.workload, (digest: $0.store.digest, cost: $0.store.milliseconds))
      }
    )
    var loads = [Int](repeating: 0, count: count)
    var made = [Set<String>](repeating: [], count: count)
    var parts = [[Task]](repeating: [], count: count)
    let largestFirst = tasks.sorted { ($1.milliseconds, $0.number) < ($0.milliseconds, $1.number) }
    for task in largestFirst {
      let store = stores[task.workload]
      func load(with task: Task, of part: Int) -> Int {
        let isMade = store.map { made[part].contains($0.digest) } ?? true
        return loads[part] + task.milliseconds + (isMade ? 0 : store?.cost ?? 0)
      }
      let part = loads.indices.min { load(with: task, of: $0) < load(with: task, of: $1) } ?? 0
      loads[part] = load(with: task, of: part)
      if let store { made[part].insert(store.digest) }
      parts[part].append(task)
    }
    return parts.map { $0.sorted { $0.number < $1.number } }
  }
}

extension PlanDocument.Task {
  fileprivate var milliseconds: Int { Int((seconds * 1000).rounded()) }
}

extension PlanDocument.Store {
  fileprivate var milliseconds: Int { Int((seconds * 1000).rounded()) }
}

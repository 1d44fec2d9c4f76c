import SQLLog

/// Finds the statements that an app's loop over a fetched list has caused.
///
/// These are faults, to-many faults and batches that follow a fetch on its connection. Their number
/// follows the number of its rows.
struct ReplayBursts {
  enum Role {
    case single
    /// The place of the fetch, and the number among its dependents.
    case dependent(source: Int, number: Int)
  }

  private(set) var roles: [Role]
  /// By the place of the fetch, the places of those that depend on it, in order.
  private(set) var dependents: [Int: [Int]] = [:]
  /// The same of all fetches, those included whose statements a person may have caused.
  private(set) var windows: [Int: [Int]] = [:]

  var sources: Set<Int> { Set(dependents.keys) }

  /// Fewer are what a person has opened one by one.
  static let fewest = 5
  static let fewestShare = 0.1

  init(_ script: ReplayScript) {
    roles = Array(repeating: .single, count: script.steps.count)
    var sources: [Int: Int] = [:]
    var found: [Int: [Int]] = [:]
    var isInBatch: Set<Int> = []
    for (place, step) in script.steps.enumerated() {
      let shape = script.statements[step.statement].shape
      guard shape.isRead else {
        if shape.kind == .begin { sources[step.connection] = nil }
        continue
      }
      let isPrefetch: Bool =
        if case .prefetch = step.purpose { true } else { shape.kind == .prefetch }
      switch shape.kind {
      case _ where isPrefetch:
        // The fetch's own prefetches come once; those of its batches come with each batch.
        if let source = sources[step.connection], isInBatch.contains(step.connection) {
          found[source, default: []].append(place)
        }
      case .fault, .toManyFault, .batch:
        guard let source = sources[step.connection] else { continue }
        found[source, default: []].append(place)
        if shape.kind == .batch { isInBatch.insert(step.connection) }
      case .fetch, .keyFetch:
        isInBatch.remove(step.connection)
        sources[step.connection] = step.rows > 1 ? place : nil
      default: continue
      }
    }
    windows = found
    for (source, places) in found {
      let batches = places.map { script.steps[$0] }
        .filter { script.statements[$0.statement].shape.kind == .batch }
      // A person scrolls through a part of a list, a loop reads it to its end.
      let batchRows = batches.reduce(0) { $0 + max($1.rows, 0) }
      let isBatched = !batches.isEmpty
      guard !isBatched || Double(batchRows) >= 0.9 * Double(script.steps[source].rows) else {
        continue
      }
      let share = Double(places.count) / Double(max(script.steps[source].rows, 1))
      guard isBatched || (places.count >= Self.fewest && share >= Self.fewestShare) else {
        continue
      }
      dependents[source] = places
      for (number, place) in places.enumerated() {
        roles[place] = .dependent(source: source, number: number)
      }
    }
  }
}

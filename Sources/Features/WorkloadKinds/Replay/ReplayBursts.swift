import SQLLog

/// Finds bursts: the statements that an app's loop over a fetched list causes.
///
/// These are faults, to-many faults and batches after a fetch on the same connection. Their number
/// grows with the number of fetched rows.
struct ReplayBursts {
  enum Role {
    case single
    /// A statement caused by the fetch at the index `source`; `number` counts the statements that
    /// the fetch causes.
    case dependent(source: Int, number: Int)
    /// A fault on a row that the preceding to-many fault returned, in a loop that reads every row.
    case member
  }

  private(set) var roles: [Role]
  /// The indices of the dependent statements, in order, by the index of the fetch that causes them.
  private(set) var dependents: [Int: [Int]] = [:]
  /// The indices of the statements after each fetch, by the index of the fetch; a user may have
  /// caused some of them.
  private(set) var windows: [Int: [Int]] = [:]

  /// For each to-many fault, the index of a fault that stands for the faults on the returned rows.
  private(set) var members: [Int: Int] = [:]

  var sources: Set<Int> { Set(dependents.keys) }

  /// The minimum number of dependent statements, and their minimum share of the fetched rows.
  ///
  /// A user who opens single objects may cause fewer statements.
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
        // Count a prefetch only if it belongs to a batch, because it then runs with every batch. A
        // prefetch of the fetch itself runs once.
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
      // Skip lists whose batches were not read to the end: a user may have scrolled through them,
      // whereas a loop reads all rows.
      let batchRows = batches.reduce(0) { $0 + max($1.rows, 0) }
      let isBatched = !batches.isEmpty
      guard !isBatched || Double(batchRows) >= 0.9 * Double(script.steps[source].rows) else {
        continue
      }
      let share = Double(places.count) / Double(max(script.steps[source].rows, 1))
      guard isBatched || (places.count >= Self.fewest && share >= Self.fewestShare) else {
        continue
      }
      let inner = markMembers(of: places, script)
      let outer = inner.isEmpty ? places : places.filter { !inner.contains($0) }
      dependents[source] = outer
      for (number, place) in outer.enumerated() {
        roles[place] = .dependent(source: source, number: number)
      }
    }
  }
  /// Finds inner loops: faults on nearly all rows that the burst's to-many faults returned.
  private mutating func markMembers(of places: [Int], _ script: ReplayScript) -> Set<Int> {
    func shape(_ place: Int) -> StatementShape {
      script.statements[script.steps[place].statement].shape
    }
    var found: Set<Int> = []
    let outer = places.filter { shape($0).kind == .toManyFault }
    for (table, steps) in Dictionary(grouping: outer, by: { shape($0).table }) {
      let faults = places.filter { shape($0).kind == .fault && shape($0).table == table }
      let rows = steps.reduce(0) { $0 + max(script.steps[$1].rows, 0) }
      guard let first = faults.first, faults.count >= Self.fewest,
        Double(faults.count) >= 0.9 * Double(rows)
      else { continue }
      for step in steps { members[script.steps[step].statement] = first }
      for fault in faults { roles[fault] = .member }
      found.formUnion(faults)
    }
    return found
  }
}

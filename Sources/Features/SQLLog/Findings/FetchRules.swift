import Basics

/// Finds fetches that are repeated or follow every save, and fetches of whole tables.
struct FetchRules {
  static let fewestRepeats = 5
  /// The maximum number of statements and the maximum pause in microseconds between two repeats.
  ///
  /// Beyond these limits, the user may have opened the screen again.
  static let repeatDistance = 20
  static let repeatPause = 2_000_000
  static let fewestSaves = 5
  /// The minimum share of saves that must be followed by the same fetch.
  static let followingShare = 0.8
  /// The minimum number of consecutive saves followed by the same fetch, in a log that also covers
  /// other work.
  static let fewestInARow = 8
  static let wholeTableRows = 500

  private struct Key: Hashable {
    var entry: Int
    var values: UInt64
  }

  private struct Repeats {
    var evidence = Evidence()
    var generation = 0
    var line = 0
    var last = 0
    var clock = -1
  }

  private struct Whole {
    var evidence = Evidence()
    var fetches = 0
    var rows = 0
  }

  /// A fetch of a whole table; later statements may show that its objects are used.
  private struct Candidate {
    var statement: LoggedStatement
    var table: String
    var hasKeysOnly: Bool
  }

  private var repeats: [Key: Repeats] = [:]
  private var longest: [Int: Repeats] = [:]
  private var generations: [String: Int] = [:]
  private var generation = 0
  private var count = 0
  /// For each table, the index of its last batch among all statements.
  private var batches: [String: Int] = [:]
  private var isAfterSave: [Int: Bool] = [:]
  private var followers: [Int: Evidence] = [:]
  /// For each thread, the current run of saves followed by the same fetch; for each fetch, its
  /// longest run.
  private var runs: [Int: (entry: Int, evidence: Evidence)] = [:]
  private var longestRuns: [Int: Evidence] = [:]
  private(set) var saves = 0
  private var candidates: [Int: Candidate] = [:]
  private var whole: [Int: Whole] = [:]

  private static let mostKeys = 50_000

  mutating func add(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ step: LogDigest.SaveStep
  ) {
    let thread = statement.threadKey
    if case .ended(let record) = step {
      saves += 1
      if isAfterSave[thread] == true { runs[thread] = nil }
      isAfterSave[thread] = true
      generation += 1
      for write in record.writes { generations[write.table] = generation }
    }
    // An insert does not use the fetched objects, but an update or a deletion does.
    if shape.kind == .update || shape.kind == .delete,
      candidates[thread]?.table == shape.table
    {
      candidates[thread] = nil
    }
    guard shape.isRead else { return }
    addWhole(statement, shape, thread)
    guard !statement.isNested else { return }
    addRepeat(statement, shape)
    let isFetch = [.fetch, .keyFetch, .count, .aggregate].contains(shape.kind)
    if isFetch, statement.purpose == .unknown, isAfterSave[thread] == true {
      isAfterSave[thread] = false
      followers[statement.entry, default: Evidence()].add(statement)
      addRun(statement, thread)
    }
  }

  private mutating func addRun(_ statement: LoggedStatement, _ thread: Int) {
    let entry = statement.entry
    if runs[thread]?.entry != entry { runs[thread] = (entry, Evidence()) }
    runs[thread]?.evidence.add(statement)
    guard let run = runs[thread]?.evidence, run.calls >= Self.fewestInARow,
      run.calls > longestRuns[entry]?.calls ?? 0
    else { return }
    longestRuns[entry] = run
  }

  private mutating func addRepeat(_ statement: LoggedStatement, _ shape: StatementShape) {
    if shape.kind == .batch { batches[shape.table] = count }
    // Skip statements with parameters whose values are not logged, because the values may differ
    // each time. The keys of batches and prefetches are never logged.
    guard ![.batch, .prefetch].contains(shape.kind) else { return }
    var values = statement.values
    switch statement.purpose {
    case .fault(_, let key), .toManyFault(_, _, let key): values = UInt64(truncatingIfNeeded: key)
    default: guard shape.parameters == 0 || statement.valueCount > 0 else { return }
    }
    let key = Key(entry: statement.entry, values: values)
    guard repeats[key] != nil || repeats.count < Self.mostKeys else { return }
    let changed = ([shape.table] + shape.joins).map { generations[$0] ?? 0 }.max() ?? 0
    var run = repeats[key] ?? Repeats()
    count += 1
    let isLate =
      count - run.last > Self.repeatDistance
      || (run.clock >= 0 && statement.clock - run.clock > Self.repeatPause)
      // Without timestamps in the log, assume that a list was reopened if its batches were read.
      || (run.clock < 0 && shape.kind == .keyFetch && batches[shape.table] ?? -1 >= run.last)
    (run.last, run.clock) = (count, statement.clock)
    if run.evidence.calls == 0 || run.generation < changed || isLate {
      keep(run, of: statement.entry)
      run = Repeats(
        generation: generation,
        line: statement.line,
        last: count,
        clock: statement.clock
      )
      // Count the first of the repeated fetches but not its time, because the first fetch is
      // needed.
      run.evidence.calls = 1
    } else {
      run.evidence.add(statement)
    }
    repeats[key] = run
  }

  private mutating func keep(_ run: Repeats, of entry: Int) {
    guard run.evidence.calls >= Self.fewestRepeats else { return }
    if let known = longest[entry], known.evidence.calls >= run.evidence.calls { return }
    longest[entry] = run
  }

  private mutating func addWhole(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ thread: Int
  ) {
    // Faults, batches and prefetches that follow use the fetched objects.
    if let candidate = candidates[thread] {
      let isUse =
        switch shape.kind {
        case .batch: shape.table == candidate.table
        // A fetch of whole rows leaves no faults to fire, so a fault that fires belongs to another
        // object.
        case .fault: shape.table == candidate.table && candidate.hasKeysOnly
        case .toManyFault: true
        // A nested prefetch belongs to a later fetch, which is logged after its prefetches.
        case .prefetch: !statement.isNested
        default: statement.purpose != .unknown && !statement.isNested
        }
      if isUse {
        candidates[thread] = nil
      } else if [.fetch, .keyFetch].contains(shape.kind)
        || (shape.kind == .fault && shape.table == candidate.table)
      {
        endWhole(candidate)
        candidates[thread] = nil
      }
    }
    guard [.fetch, .keyFetch].contains(shape.kind), !shape.hasPredicate, !shape.hasLimit,
      shape.joins.isEmpty, !statement.isNested, statement.rows >= Self.wholeTableRows,
      // Fetches that prefetch relationships are excluded, because the app intends to use their
      // objects.
      statement.nested == 0
    else { return }
    candidates[thread] = Candidate(
      statement: statement,
      table: shape.table,
      hasKeysOnly: shape.kind == .keyFetch
    )
  }

  private mutating func endWhole(_ candidate: Candidate) {
    var total = whole[candidate.statement.entry] ?? Whole()
    total.evidence.add(candidate.statement)
    total.fetches += 1
    total.rows = max(total.rows, candidate.statement.rows)
    whole[candidate.statement.entry] = total
  }

  mutating func finish() {
    for (key, run) in repeats.sorted(by: { $0.value.line < $1.value.line }) {
      keep(run, of: key.entry)
    }
    for (_, candidate) in candidates.sorted(by: { $0.key < $1.key }) { endWhole(candidate) }
    (repeats, candidates) = ([:], [:])
  }
}

extension FetchRules {
  func findings(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    repeated(statements, vocabulary) + afterSaves(statements, vocabulary)
      + wholeTables(statements, vocabulary)
  }

  private func repeated(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    longest.map { entry, run in
      var evidence = run.evidence
      evidence.lines.insert(run.line, at: 0)
      evidence.lines = Array(evidence.lines.prefix(Finding.mostLines))
      let operation = vocabulary.operation(statements[entry].shape)
      return evidence.finding(
        .repeatedFetch,
        "\(run.evidence.calls) times the same \(operation) without a save of its objects between",
        run.clock >= 0 ? .high : .medium,
        doubt: run.clock >= 0
          ? "" : "the log has no times of day: perhaps a person opened a screen again"
      ).about(.reuse(entry))
    }
  }

  private func afterSaves(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    guard saves >= Self.fewestSaves else { return [] }
    return followers.compactMap { entry, all in
      let isUsual = Double(all.calls) >= Self.followingShare * Double(saves)
      guard let evidence = isUsual ? all : longestRuns[entry] else { return nil }
      return evidence.finding(
        .fetchAfterEverySave,
        "\(evidence.calls) \(isUsual ? "of \(saves) saves" : "saves in a row") are followed by the "
          + vocabulary.operation(statements[entry].shape),
        evidence.calls >= 10 ? .medium : .low,
        doubt: "the log does not show who asked for the fetch"
      ).about(.reuse(entry))
    }
  }

  private func wholeTables(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    whole.map { entry, total in
      let shape = statements[entry].shape
      let hasKeysOnly = shape.kind == .keyFetch
      let confidence: Confidence = hasKeysOnly ? .high : total.fetches >= 3 ? .medium : .low
      return total.evidence.finding(
        .wholeTableFetch,
        "\(vocabulary.operation(shape)): the whole table, \(total.rows) rows, "
          + "\(total.fetches == 1 ? "once" : "\(total.fetches) times"), and no fault or save of "
          + "its objects follows",
        confidence,
        doubt: hasKeysOnly ? "" : "the log does not show which of the objects the app reads"
      ).about(.request(entry))
    }
  }
}

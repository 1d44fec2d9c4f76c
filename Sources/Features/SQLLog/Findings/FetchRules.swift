import Basics

/// Finds fetches that are repeated, that follow every save, that read whole tables, and prefetches
/// whose objects nothing else in the log touches.
struct FetchRules {
  static let fewestRepeats = 5
  /// Statements, and microseconds, between two of them; beyond, a screen was opened again.
  static let repeatDistance = 20
  static let repeatPause = 2_000_000
  static let fewestSaves = 5
  /// Of the saves, those that the same fetch follows.
  static let followingShare = 0.8
  /// Saves in a row that the same fetch follows, in a log that covers other work as well.
  static let fewestInARow = 8
  static let wholeTableRows = 500
  static let fewestPrefetched = 100
  static let fewestEmptyPrefetches = 3

  private struct Key: Hashable {
    var entry: Int
    var values: UInt64
  }

  private struct Repeats {
    var evidence = Evidence()
    var generation = 0
    var line = 0
    /// The number of the last statement of the run among all, and its time of day.
    var last = 0
    var clock = -1
  }

  private struct Whole {
    var evidence = Evidence()
    var fetches = 0
    var rows = 0
  }

  /// A fetch of a whole table whose use the following lines may show.
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
  /// The number of the last batch of each table.
  private var batches: [String: Int] = [:]
  private var isAfterSave: [Int: Bool] = [:]
  private var followers: [Int: Evidence] = [:]
  /// The present run of saves of each thread that one fetch follows, and the longest of each fetch.
  private var runs: [Int: (entry: Int, evidence: Evidence)] = [:]
  private var longestRuns: [Int: Evidence] = [:]
  private(set) var saves = 0
  private var candidates: [Int: Candidate] = [:]
  private var whole: [Int: Whole] = [:]
  private var prefetches: [Int: (evidence: Evidence, rows: Int, name: Int)] = [:]
  /// The fetch or batch that asked for each prefetch, and the last prefetches of each thread, whose
  /// fetch ends after them.
  private(set) var prefetchers: [Int: Int] = [:]
  private var asked: [Int: Set<Int>] = [:]

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
    // A new object is none of those that were fetched.
    if shape.kind == .update || shape.kind == .delete,
      candidates[thread]?.table == shape.table
    {
      candidates[thread] = nil
    }
    guard shape.isRead else { return }
    if !asked.isEmpty, !statement.isNested, let entries = asked.removeValue(forKey: thread) {
      for entry in entries { prefetchers[entry] = statement.entry }
    }
    addPrefetch(statement, shape)
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
    // Without its values a statement with parameters may be another one each time; keys of an
    // integer array are never logged.
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
      // Without times of day, a list whose batches were read is taken for one that is opened again.
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
      // The first fetch is needed.
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
    // Faults, batches and prefetches that follow use what was fetched.
    if let candidate = candidates[thread] {
      let isUse =
        switch shape.kind {
        case .batch: shape.table == candidate.table
        // A fetch of whole rows leaves no fault to fire: one that fires shows another object.
        case .fault: shape.table == candidate.table && candidate.hasKeysOnly
        case .toManyFault: true
        // A nested one is of a fetch that started later, and comes before it.
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
      // What it prefetches is meant to be used.
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

  private mutating func addPrefetch(_ statement: LoggedStatement, _ shape: StatementShape) {
    guard case .prefetch(let relationship) = statement.purpose else { return }
    var total = prefetches[statement.entry] ?? (Evidence(), 0, relationship)
    total.evidence.add(statement)
    total.rows += max(statement.rows, 0)
    prefetches[statement.entry] = total
    if statement.isNested { asked[statement.threadKey, default: []].insert(statement.entry) }
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
  /// `faulting` has the fetches whose relationships are read one by one, and `lists` the fetch of
  /// keys of each batch.
  func findings(
    _ statements: StatementTable,
    _ vocabulary: Vocabulary,
    _ digest: LogDigest,
    faulting: Set<Int>,
    lists: [Int: Int]
  ) -> [Finding] {
    repeated(statements, vocabulary) + afterSaves(statements, vocabulary)
      + wholeTables(statements, vocabulary)
      + unread(statements, vocabulary, digest, faulting: faulting, lists: lists)
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

  private func unread(
    _ statements: StatementTable,
    _ vocabulary: Vocabulary,
    _ digest: LogDigest,
    faulting: Set<Int>,
    lists: [Int: Int]
  ) -> [Finding] {
    prefetches.compactMap { entry, total in
      let table = statements[entry].shape.table
      let name = vocabulary.name(total.name)
      let asker = prefetchers[entry].map { lists[$0] ?? $0 }
      let subject = Finding.Subject.request(asker ?? entry)
      if total.rows == 0, total.evidence.calls >= Self.fewestEmptyPrefetches {
        return total.evidence.finding(
          .unreadPrefetch,
          "\(total.evidence.calls) prefetches of \(name) found no object",
          .medium,
          doubt: "with other data it may find objects"
        ).about(subject, without: name)
      }
      let others = (digest.tables[table]?.calls ?? 0) - total.evidence.calls
      guard others == 0, total.rows >= Self.fewestPrefetched else { return nil }
      // Where other relationships of the same fetch are read one by one, the wrong one was named.
      let isWrong = asker.map { faulting.contains($0) } ?? false
      return total.evidence.finding(
        .unreadPrefetch,
        "\(total.rows) objects of \(vocabulary.entity(of: table)) are prefetched for \(name), and "
          + "no other statement touches them"
          + (isWrong ? "; other relationships of the same fetch are read one by one" : ""),
        isWrong ? .medium : .low,
        doubt: "reading prefetched objects in memory leaves no line in the log"
      ).about(subject, without: name)
    }
  }
}

/// Finds consecutive saves of single objects, maintenance after saves, and work on the main thread.
struct SaveRules {
  static let fewestSaves = 10
  /// The minimum pause in microseconds between saves that a user may have caused.
  static let pause = 1_000_000
  static let fewestMaintenance = 3
  /// The minimum number of maintenance operations as a share of the saves.
  static let maintenanceShare = 0.3
  /// The minimum time of a slow statement, in microseconds.
  ///
  /// ``longSecond`` is the minimum total of all statements that start within one second.
  static let slowStatement = 16_000
  /// The minimum number of pauses before work for a log's only thread to count as the main thread.
  static let fewestPauses = 3
  static let longSecond = 100_000

  private struct Run {
    var key = SaveRecord.Write(change: .inserted, table: "", count: 0)
    var evidence = Evidence()
    var lastClock = -1
    var hasClock = false
    /// The lookup of one object before each save, as in a find-or-create loop; -1 if there is no
    /// lookup yet.
    var lookUp = -1
  }

  private struct ThreadTotal {
    var evidence = Evidence()
    var slow = 0
    var longest = (time: -1, entry: -1)
    /// The number of pauses of at least one second before work, as between a user's actions.
    var pauses = 0
    private var last = -1
    /// The longest total time of the statements within one second, in microseconds.
    var most = 0
    private var second = (start: -1, time: 0)

    mutating func add(_ statement: LoggedStatement) {
      evidence.calls += 1
      if last >= 0, statement.clock - last >= SaveRules.pause { pauses += 1 }
      last = statement.clock
      guard let own = statement.ownTime else { return }
      evidence.time += own
      evidence.timed += 1
      if own > longest.time { longest = (own, statement.entry) }
      if statement.clock >= 0 {
        if abs(statement.clock - second.start) >= 1_000_000 { second = (statement.clock, 0) }
        second.time += own
        if second.time >= SaveRules.longSecond, second.time - own < SaveRules.longSecond {
          evidence.add(line: statement.line)
        }
        most = max(most, second.time)
      }
      guard own >= SaveRules.slowStatement else { return }
      slow += 1
      if evidence.lines.last != statement.line { evidence.add(line: statement.line) }
    }
  }

  private var runs: [Int: Run] = [:]
  private var longest: [SaveRecord.Write: Run] = [:]
  private var totals: [Int: [Int: ThreadTotal]] = [:]
  private var threadCount = 0

  private static let mostThreads = 4_096

  mutating func add(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ step: LogDigest.SaveStep
  ) {
    let thread = statement.threadKey
    if case .ended(let record) = step {
      add(record, statement, thread)
    } else if [.fetch, .keyFetch, .count].contains(shape.kind), !statement.isNested,
      case .none = step
    {
      // A fetch between two saves may come from a screen that the user opened, unless it is the
      // same lookup of one object each time.
      if var run = runs[thread], 0...1 ~= statement.rows,
        run.lookUp < 0 || run.lookUp == statement.entry
      {
        run.lookUp = statement.entry
        runs[thread] = run
      } else {
        end(thread)
      }
    }
    guard statement.thread != 0,
      totals[statement.process]?[statement.thread] != nil || threadCount < Self.mostThreads
    else { return }
    if totals[statement.process]?[statement.thread] == nil { threadCount += 1 }
    totals[statement.process, default: [:]][statement.thread, default: ThreadTotal()]
      .add(statement)
  }

  private mutating func add(_ record: SaveRecord, _ statement: LoggedStatement, _ thread: Int) {
    guard record.writes.count == 1, record.writes[0].count == 1,
      !record.writes[0].isBatchRequest, !record.writes[0].table.hasPrefix("Z_")
    else { return end(thread) }
    var run = runs[thread] ?? Run()
    let isLate =
      statement.clock >= 0 && run.lastClock >= 0 && statement.clock - run.lastClock > Self.pause
    if run.key != record.writes[0] || isLate {
      end(thread)
      run = Run(key: record.writes[0])
    }
    run.evidence.add(line: record.line, time: record.time)
    run.hasClock = run.lastClock >= 0
    run.lastClock = statement.clock
    runs[thread] = run
  }

  private mutating func end(_ thread: Int) {
    guard let run = runs.removeValue(forKey: thread), run.evidence.calls >= Self.fewestSaves else {
      return
    }
    longest[run.key, default: Run(key: run.key, hasClock: run.hasClock)].evidence
      .add(run.evidence)
  }

  mutating func finish() {
    for thread in runs.keys.sorted() { end(thread) }
  }
}

extension SaveRules {
  func findings(
    _ statements: StatementTable,
    _ vocabulary: Vocabulary,
    _ digest: LogDigest,
    _ report: ParsingReport
  ) -> [Finding] {
    let single = longest.values.map { run in
      run.evidence.finding(
        .oneSavePerObject,
        "\(run.evidence.calls) saves in a row of 1 \(vocabulary.entity(of: run.key.table)) each "
          + "(\(run.key.change))",
        run.hasClock ? .high : .medium,
        doubt: run.hasClock ? "" : "without times of day in the log, slow typing looks the same"
      ).about(.saves(table: run.key.table))
    }
    return single + maintenance(digest, report) + mainThreads(statements, vocabulary)
  }

  private func maintenance(_ digest: LogDigest, _ report: ParsingReport) -> [Finding] {
    let count = report.maintenanceCount
    guard count >= Self.fewestMaintenance,
      Double(count) >= Self.maintenanceShare * Double(digest.saves)
    else { return [] }
    var evidence = Evidence()
    for line in report.maintenance { evidence.add(line: line) }
    evidence.calls = count
    return [
      evidence.finding(
        .maintenanceAfterSaves,
        "\(count) checkpoints and vacuums for \(digest.saves) saves",
        digest.saves > 0 ? .medium : .low,
        doubt: "the lines show sizes, but no times"
      )
    ]
  }

  /// The thread with the lowest number in a process is its first thread, which is the main thread.
  private func mainThreads(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    totals.keys.sorted().compactMap { process in
      guard let threads = totals[process], let main = threads.keys.min(), let total = threads[main],
        total.most >= Self.longSecond || total.slow > 0, total.longest.entry >= 0
      else { return nil }
      let follows = total.pauses >= Self.fewestPauses
      return total.evidence.finding(
        .mainThread,
        "\(total.evidence.calls) statements on the thread that is probably the main one, "
          + "\(total.slow) of them longer than \(Self.slowStatement / 1000) ms, up to "
          + "\(total.most / 1000) ms within a second, the longest a "
          + vocabulary.operation(statements[total.longest.entry].shape),
        threads.count > 1 || follows ? .medium : .low,
        doubt: threads.count > 1
          ? "it is the lowest of \(threads.count) thread numbers"
          : follows
            ? "the log shows one thread only, whose work follows pauses as a person makes them"
            : "the log shows one thread only"
      )
    }
  }
}

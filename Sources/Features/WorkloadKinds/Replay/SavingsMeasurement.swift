import Basics
import Foundation
import PersistentStore
import Runner
import SQLLog
import SQLite

/// Replays a log on copies of a store, alternating between the unchanged log and the log with a
/// finding fixed.
package struct SavingsMeasurement {
  let script: ReplayScript
  private let findings: [SQLLog.Finding]
  let settings: ConnectionSettings
  private let folder: String
  let progress: (String) -> Void
  let isStopped: () -> Bool

  /// The number of replays per side: the second smallest and the second largest of nine differences
  /// enclose the median with 96 % confidence.
  private static let turns = 9
  /// The minimum number of replays per side, for long logs: the smallest and the largest of six
  /// differences enclose the median with 97 % confidence.
  private static let fewestTurns = 6
  /// The time limit in seconds per fix, after which only the minimum number of replays is made.
  private static let timeBudget = 30.0

  /// Reads the logs.
  ///
  /// Replays use a folder of their own, which must exist.
  ///
  /// `isStopped` ends the measurement between replays.
  ///
  /// - Throws: ``Refusal`` if the logs have no statement that can be replayed.
  package init(
    logs: [String],
    lines: ClosedRange<Int> = 1...Int.max,
    findings: [SQLLog.Finding],
    settings: ConnectionSettings = ConnectionSettings(),
    folder: String,
    isStopped: @escaping () -> Bool = { false },
    progress: @escaping (String) -> Void = { _ in }
  ) throws {
    script = try ReplayScript(logs: logs, lines: lines)
    guard !script.steps.isEmpty else {
      throw Refusal(
        .badInput,
        "'\(logs.first ?? "")' has no statement that can be replayed"
      )
    }
    (self.findings, self.settings, self.folder) = (findings, settings, folder)
    (self.isStopped, self.progress) = (isStopped, progress)
  }

  private init(_ script: ReplayScript, folder: String) {
    (self.script, self.folder) = (script, folder)
    (findings, settings) = ([], ConnectionSettings())
    (isStopped, progress) = ({ false }, { _ in })
  }

  /// Whether the log contains no values, in which case a replay chooses them.
  package var hasGuessedValues: Bool { !script.hasValues && script.unknownValues > 0 }

  struct Side {
    var start: StoreFile
    var session: ReplaySession
    var times: [Double] = []
    /// The total time of the saves in each replay, in seconds.
    var saveTimes: [Double] = []
    var counters = ReplayReport.Counters()
  }

  /// Replays the logs on copies of one store.
  ///
  /// `scale` is the ratio of the store's number of objects to the log's.
  package func measure(_ store: StoreFile, named name: String, scale: Double) throws
    -> ReplayReport.Size
  {
    let start = try copy(store, "start")
    let schema = try ReplaySchema(of: start, settings: settings, isPlain: script.isPlain)
    var base = try side(script, start, scale)
    let groups = FindingGroup.groups(of: findings)
    let places = groups.map { ($0, $0.findings.compactMap(ReplayFix.init)) }
    var repairs = places.filter(\.1.isEmpty).map { group, _ in
      var repair = repair(of: group.findings, [])
      repair.obstacle =
        ReplayFix.obstacle(of: group.findings[0].rule) ?? "the log shows no line of it"
      return repair
    }
    let measured = places.filter { !$0.1.isEmpty }
    if measured.isEmpty { for _ in 0..<Self.fewestTurns { try run(&base) } }
    for (number, (group, fixes)) in measured.enumerated() {
      if isStopped() { throw Refusal.interrupted }
      progress("replaying \(name): fix \(number + 1) of \(measured.count), \(fixes[0].name)")
      repairs.append(try measure(group.findings, fixes, &base, schema, scale))
    }
    // Measure all fixes together, because their savings do not add up: fixes may exclude each
    // other.
    var together: ReplayReport.Repair?
    let helpful = measured.filter { group, _ in
      repairs.contains {
        $0.summary == group.findings[0].summary && $0.rule == group.findings[0].rule.rawValue
          && $0.rank(from: base.counters) > .useless
      }
    }
    if helpful.count > 1 {
      progress("replaying \(name): all fixes together")
      together = try measure(
        helpful.flatMap(\.0.findings),
        helpful.flatMap(\.1),
        &base,
        schema,
        scale
      )
    }
    let replay = base.session.replay
    return ReplayReport.Size(
      scale: scale,
      store: name,
      objects: try objects(of: start, schema),
      isMapped: replay.isMapped,
      divergence: replay.divergence,
      counters: base.counters,
      time: Self.median(base.times),
      saves: script.steps.count { script.statements[$0.statement].shape.kind == .commit },
      notes: base.session.gaps,
      repairs: repairs.sorted { $0.rank(from: base.counters) > $1.rank(from: base.counters) },
      together: together
    )
  }

  /// The number of pages that a replay of some log lines reads, starting with an empty page cache;
  /// 0 for lines without a statement.
  package static func pages(
    of lines: ClosedRange<Int>,
    in logs: [String],
    on store: StoreFile,
    folder: String
  ) throws -> ActionCheck.PageCount {
    let script = try ReplayScript(logs: logs, lines: lines)
    guard !script.steps.isEmpty else { return ActionCheck.PageCount(pages: 0) }
    let replay = SavingsMeasurement(script, folder: folder)
    let start = try replay.copy(store, "start")
    defer { try? start.remove() }
    var side = try replay.side(replay.script, start, 1)
    defer { try? side.session.rehearsalStore.remove() }
    try replay.run(&side)
    let divergence = side.session.replay.divergence
    let size = try start.plainConnection().integer("PRAGMA page_size") ?? 0
    return ActionCheck.PageCount(
      pages: side.counters.pagesRead,
      bytes: side.counters.pagesRead * Int(size),
      doubt: divergence.doubt
    )
  }

  private func repair(
    of findings: [SQLLog.Finding],
    _ fixes: [ReplayFix]
  ) -> ReplayReport.Repair {
    var comparisons: [String] = []
    for fix in fixes where !comparisons.contains(fix.comparison) {
      comparisons.append(fix.comparison)
    }
    return ReplayReport.Repair(
      rule: findings[0].rule.rawValue,
      fix: fixes.first?.name ?? "",
      summary: findings[0].summary,
      comparison: comparisons.joined(separator: ", "),
      summaries: findings.map(\.summary)
    )
  }

  private func measure(
    _ findings: [SQLLog.Finding],
    _ fixes: [ReplayFix],
    _ base: inout Side,
    _ schema: ReplaySchema,
    _ scale: Double
  ) throws -> ReplayReport.Repair {
    var repair = repair(of: findings, fixes)
    let fixed: FixedScript
    do {
      fixed = try ReplayFix.applied(fixes, to: script, schema)
    } catch {
      repair.obstacle = "\(error)"
      return repair
    }
    do {
      var start = base.start
      if !fixed.storeChanges.isEmpty {
        start = try copy(base.start, "changed")
        try change(start, fixed.storeChanges)
      }
      var side = try side(fixed.script, start, scale)
      repair.storeChanges = fixed.storeChanges
      let difference = try compare(&base, &side)
      repair.saved = difference.saved
      if !fixed.storeChanges.isEmpty { repair.saveCost = difference.saveCost }
      (repair.counters, repair.time) = (side.counters, Self.median(side.times))
      repair.divergence = side.session.replay.divergence
      repair.caveat = caveat(
        findings,
        base.session.replay.divergence,
        side.session.replay.divergence
      )
      if start.path != base.start.path { try start.remove() }
      try side.session.rehearsalStore.remove()
    } catch let error as SQLiteError {
      repair.obstacle = "SQLite refuses it: \(error.message)"
    }
    return repair
  }

  private func caveat(
    _ findings: [SQLLog.Finding],
    _ before: ReplayDivergence,
    _ after: ReplayDivergence
  ) -> String {
    if !before.isEvidence || after.errors > before.errors {
      return "the replay differs too much from the log"
    }
    let isPredicate = findings.contains {
      [.unindexedPredicate, .wrongIndex, .textSearch].contains($0.rule)
    }
    if hasGuessedValues, isPredicate {
      return "the log shows no values, so the values in comparisons are guessed"
    }
    return ""
  }

  /// Replays both sides alternately, starting with a different side each time.
  ///
  /// - Returns: The seconds that `other` saves compared with `base`, and the extra seconds of each
  ///   save.
  func compare(
    _ base: inout Side,
    _ other: inout Side
  ) throws -> (saved: ReplayReport.Saving?, saveCost: ReplayReport.Saving?) {
    var (differences, costs): ([Double], [Double]) = ([], [])
    let started = MonotonicClock.seconds()
    for turn in 0...Self.turns {
      if isStopped() { throw Refusal.interrupted }
      if turn % 2 == 0 {
        try run(&base)
        try run(&other)
      } else {
        try run(&other)
        try run(&base)
      }
      // Ignore the first replays, which warm up the system's page cache.
      if turn == 0 {
        base.times.removeLast()
        other.times.removeLast()
        base.saveTimes.removeLast()
        other.saveTimes.removeLast()
        continue
      }
      differences.append((base.times.last ?? 0) - (other.times.last ?? 0))
      if base.session.saves.count > 0 {
        let cost = (other.saveTimes.last ?? 0) - (base.saveTimes.last ?? 0)
        costs.append(cost / Double(base.session.saves.count))
      }
      if turn >= Self.fewestTurns, MonotonicClock.seconds() - started > Self.timeBudget { break }
    }
    return (ReplayReport.Saving(differences), ReplayReport.Saving(costs))
  }

  func side(_ script: ReplayScript, _ start: StoreFile, _ scale: Double) throws -> Side {
    let copy = try copy(start, "rehearsal")
    let session = try ReplaySession(
      rehearsing: script,
      on: copy,
      settings: settings,
      values: scale == 1 ? .auto : .mapped,
      scale: scale
    )
    return Side(start: start, session: session)
  }

  func run(_ side: inout Side) throws {
    let store = try copy(side.start, "run")
    defer { try? store.remove() }
    try side.session.open(store)
    defer { side.session.close() }
    let connections = side.session.connections.map(\.connection)
    let before = connections.map(\.counters)
    let start = MonotonicClock.now()
    try side.session.run()
    let end = MonotonicClock.now()
    side.times.append(Double(end - start) / 1e9)
    side.saveTimes.append(Double(side.session.saves.nanoseconds) / 1e9)
    var counters = ReplayReport.Counters()
    for (connection, earlier) in zip(connections, before) {
      let work = connection.counters - earlier
      counters.vmSteps += Int(work.vmSteps)
      counters.pagesRead += Int(work.cacheMisses)
      counters.pageLookUps += Int(work.cacheMisses + work.cacheHits)
      counters.pagesWritten += Int(work.cacheWrites)
    }
    counters.statements = side.session.replay.steps.count
    side.session.close()
    counters.storeBytes = Int(store.storeBytes + store.walBytes)
    side.counters = counters
  }

  /// Runs statements that change the indexes of a copy; a copy of an app's own database keeps its
  /// settings.
  func change(_ store: StoreFile, _ statements: [String]) throws {
    try ReplaySession.change(store, statements, settings: script.isPlain ? nil : settings)
  }

  func copy(_ store: StoreFile, _ name: String) throws -> StoreFile {
    let target = "\(folder)/\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    return try StoreCopier.copy(store, into: target)
  }

  private func objects(of store: StoreFile, _ schema: ReplaySchema) throws -> Int {
    let connection = try store.plainConnection()
    return try schema.columns.keys.reduce(0) { sum, table in
      sum + Int(try connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
    }
  }

  private static func median(_ times: [Double]) -> Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}

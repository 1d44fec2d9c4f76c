/// Finds faults and relationships that are fetched one object at a time, and fetches whose batches
/// are all read at once.
struct FaultRules {
  /// The minimum number of similar faults after a fetch for a finding.
  static let fewestFaults = 5
  /// The minimum number of faults if other statements lie between the faults and the log has no
  /// timestamps.
  static let fewestScattered = 8
  /// The divisor of a fetch's row count that gives the minimum number of faults, up to a cap.
  static let fewestShare = 10
  static let screenFaults = 10
  /// The minimum total time of the faults in microseconds, unless there are at least
  /// ``manyFaults``.
  static let shortestTime = 500
  /// The minimum number of faults if a user's actions may lie between the faults.
  static let manyFaults = 20
  /// The maximum number of other statements and the maximum pause in microseconds between two
  /// faults of a burst (a run of similar faults).
  static let faultDistance = 10
  static let faultPause = 1_000_000
  static let fewestBatches = 5
  /// The minimum mean time between batches fetched while a user scrolls, in microseconds.
  static let scrollingPause = 50_000

  struct Pattern: Hashable {
    var source: Int
    var fault: Int
    var purpose: Int
  }

  struct Found {
    var evidence = Evidence()
    var bursts = 0
    var largest = 0
    var sourceRows = -1
    var sourceLine = 0
    var purpose: LoggedStatement.Purpose
    var hasKeys = true
    var isConfirmed = true
  }

  private struct Burst {
    var evidence = Evidence()
    var purpose: LoggedStatement.Purpose
    var keys: Set<UInt64> = []
    var unknownKeys = 0
    var last = 0
    var clock = -1
    /// Whether, in a log without timestamps, other statements lie between the faults.
    var isScattered = false
    /// Whether a statement between the faults writes or fetches a single object, as a user's next
    /// action may.
    var spansActions = false

    func isFar(from statement: LoggedStatement, _ number: Int) -> Bool {
      number - last > FaultRules.faultDistance + 1
        || (clock >= 0 && statement.clock - clock > FaultRules.faultPause)
    }

    /// Whether another fault would raise the minimum number of faults for reporting the burst.
    func wouldWeaken(_ number: Int, action: Int) -> Bool {
      clock < 0 && number > last + 1 && (!isScattered || (action > last && !spansActions))
    }

    mutating func add(_ statement: LoggedStatement, _ number: Int, action: Int) {
      if clock < 0, evidence.calls > 0, number > last + 1 {
        isScattered = true
        if action > last { spansActions = true }
      }
      (last, clock) = (number, statement.clock)
      evidence.add(statement)
      if statement.purpose != .unknown { purpose = statement.purpose }
      if let key = FaultRules.key(statement) {
        if keys.count < FaultRules.mostKeys { keys.insert(key) }
      } else {
        unknownKeys += 1
      }
    }
  }

  private struct Window {
    var source: LoggedStatement?
    var bursts: [Int: Burst] = [:]
    /// The index of the last statement that may belong to a new action of the user.
    var action = 0
    var batches = Evidence()
    var batchRows = 0
    var batchEntry = -1
    var firstClock = -1
    var lastClock = -1
    /// Whether faults occurred between the batches.
    var isBroken = false

    mutating func addBatch(_ statement: LoggedStatement) {
      if batchEntry < 0 { (batchEntry, firstClock) = (statement.entry, statement.clock) }
      guard batchEntry == statement.entry else { return }
      batches.add(statement)
      batchRows += max(statement.rows, 0)
      lastClock = statement.clock
    }
  }

  private(set) var found: [Pattern: Found] = [:]
  private(set) var wholeBatches: [Int: (evidence: Evidence, fetches: Int, rows: Int, paced: Bool)] =
    [:]
  /// For each batch statement, the fetch that read the primary keys of its objects.
  private(set) var listOfBatch: [Int: Int] = [:]
  private var windows: [Int: Window] = [:]
  private var number = 0

  private static let mostPatterns = 10_000
  fileprivate static let mostKeys = 512

  mutating func add(_ statement: LoggedStatement, _ shape: StatementShape) {
    number += 1
    let thread = statement.threadKey
    guard shape.isRead else {
      windows[thread]?.action = number
      return
    }
    if isFault(statement, shape) {
      count(statement, thread)
      return
    }
    switch shape.kind {
    case .batch: countBatch(statement, thread)
    case .fetch, .keyFetch, .toManyFault:
      // A fetch of at most one object, such as by an identifier, cannot cause one fault per object.
      guard statement.rows != 0, statement.rows != 1, !statement.isNested else {
        if shape.kind != .toManyFault, !statement.isNested { windows[thread]?.action = number }
        return
      }
      close(thread)
      windows[thread] = Window(source: statement)
    default: return
    }
  }

  private func isFault(_ statement: LoggedStatement, _ shape: StatementShape) -> Bool {
    switch statement.purpose {
    case .fault, .toManyFault: true
    case .prefetch: false
    case .unknown: shape.kind == .fault || shape.kind == .toManyFault
    }
  }

  private mutating func count(_ statement: LoggedStatement, _ thread: Int) {
    let entry = statement.entry
    // Close a burst that already qualifies, so that the faults of a later action do not weaken it.
    if let window = windows[thread], let burst = window.bursts[entry],
      burst.isFar(from: statement, number)
        || (burst.wouldWeaken(number, action: window.action) && isEnough(burst, in: window))
    {
      windows[thread]?.bursts[entry] = nil
      close(burst, of: entry, in: window)
    }
    // Change the thread's window (its last fetch with later faults and batches) in place, because
    // copying it takes time in proportion to its faults.
    windows[thread, default: Window()].isBroken = true
    let action = windows[thread]?.action ?? 0
    windows[thread]?.bursts[entry, default: Burst(purpose: statement.purpose)]
      .add(statement, number, action: action)
  }

  static func key(_ statement: LoggedStatement) -> UInt64? {
    switch statement.purpose {
    case .fault(_, let key), .toManyFault(_, _, let key): UInt64(truncatingIfNeeded: key)
    default: statement.valueCount > 0 ? statement.values : nil
    }
  }

  private mutating func countBatch(_ statement: LoggedStatement, _ thread: Int) {
    if let list = windows[thread]?.source?.entry { listOfBatch[statement.entry] = list }
    guard windows[thread]?.isBroken == false else { return }
    windows[thread]?.addBatch(statement)
  }

  private mutating func close(_ thread: Int) {
    guard let window = windows.removeValue(forKey: thread) else { return }
    for (entry, burst) in window.bursts.sorted(by: { $0.key < $1.key }) {
      close(burst, of: entry, in: window)
    }
    guard let source = window.source, window.batches.calls >= Self.fewestBatches, source.rows > 0,
      window.batchRows >= source.rows
    else { return }
    let isPaced =
      window.firstClock >= 0
      && window.lastClock - window.firstClock > Self.scrollingPause * window.batches.calls
    if isPaced { return }
    var whole = wholeBatches[window.batchEntry] ?? (Evidence(), 0, 0, window.firstClock >= 0)
    whole.evidence.add(window.batches)
    whole.fetches += 1
    whole.rows += window.batchRows
    wholeBatches[window.batchEntry] = whole
  }

  /// Whether a burst has so many faults that only a loop explains the number.
  private func isEnough(_ burst: Burst, in window: Window) -> Bool {
    let calls = burst.evidence.calls
    let distinct = burst.unknownKeys > 0 ? calls : burst.keys.count
    let sourceRows = window.source?.rows ?? -1
    // The minimum grows with the rows of the fetch up to a cap, because a screen shows only a few
    // rows of a long list; the cap is higher if user actions could explain the faults.
    let (fewest, most) =
      burst.spansActions
      ? (Self.manyFaults, Self.manyFaults * 2)
      : burst.isScattered
        ? (Self.fewestScattered, Self.manyFaults) : (Self.fewestFaults, Self.screenFaults)
    let needed = max(fewest, min(sourceRows / Self.fewestShare, most))
    let isFast = burst.evidence.timed == calls && burst.evidence.time < Self.shortestTime
    return distinct >= Self.fewestFaults && calls >= needed
      && (!isFast || calls >= Self.manyFaults)
  }

  private mutating func close(_ burst: Burst, of entry: Int, in window: Window) {
    guard isEnough(burst, in: window) else { return }
    let calls = burst.evidence.calls
    let sourceRows = window.source?.rows ?? -1
    let place =
      if case .toManyFault(_, let relationship, _) = burst.purpose { relationship } else {
        -1
      }
    let pattern = Pattern(source: window.source?.entry ?? -1, fault: entry, purpose: place)
    guard found.count < Self.mostPatterns || found[pattern] != nil else { return }
    var total = found[pattern] ?? Found(purpose: burst.purpose)
    total.evidence.add(burst.evidence)
    total.bursts += 1
    if calls > total.largest {
      (total.largest, total.sourceRows) = (calls, sourceRows)
      total.sourceLine = window.source?.line ?? 0
    }
    if burst.unknownKeys > 0 { total.hasKeys = false }
    if burst.purpose == .unknown { total.isConfirmed = false }
    found[pattern] = total
  }

  mutating func finish() {
    for thread in windows.keys.sorted() { close(thread) }
  }
}

extension FaultRules {
  func findings(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    found.map { finding($0, $1, statements, vocabulary) }
      + wholeBatches.map { entry, whole in
        whole.evidence.finding(
          .batchSizeWithoutEffect,
          "\(whole.evidence.calls) batches of "
            + "\(vocabulary.entity(of: statements[entry].shape.table)) read all \(whole.rows) "
            + "objects without a pause",
          whole.paced ? .medium : .low,
          doubt: whole.paced
            ? "a loop that needs every object looks the same"
            : "without times of day in the log, slow scrolling looks the same"
        ).about(.request(listOfBatch[entry] ?? entry))
      }
  }

  private func finding(
    _ pattern: Pattern,
    _ found: Found,
    _ statements: StatementTable,
    _ vocabulary: Vocabulary
  ) -> Finding {
    let shape = statements[pattern.fault].shape
    let isToMany = if case .toManyFault = found.purpose { true } else { shape.kind == .toManyFault }
    var subject = vocabulary.operation(shape, purpose: found.purpose)
    var origin = ""
    if pattern.source >= 0 {
      let source = statements[pattern.source].shape
      if !isToMany, let relationship = vocabulary.toOne(from: source.table, to: shape.table) {
        subject = "fault on \(relationship)"
      }
      let rows = found.sourceRows >= 0 ? ", \(found.sourceRows) rows" : ""
      origin = " after the \(vocabulary.operation(source)) (line \(found.sourceLine)\(rows))"
    }
    let times = found.bursts > 1 ? ", up to \(found.largest) in a row" : ""
    let confidence: Confidence
    let doubt: String
    switch (pattern.source >= 0, found.hasKeys, found.isConfirmed) {
    case (true, true, false) where isToMany && shape.joins.isEmpty:
      (confidence, doubt) = (.medium, "a fetch of object IDs by one attribute looks the same")
    case (true, true, _): (confidence, doubt) = (.high, "")
    case (true, false, true): (confidence, doubt) = (.high, "")
    case (true, false, false):
      (confidence, doubt) = (
        .medium,
        "the log shows no keys: perhaps one object was read again and again"
      )
    default:
      (confidence, doubt) = (.low, "the log shows no fetch before them")
    }
    let finding = found.evidence.finding(
      isToMany ? .toManyFaultsOneByOne : .faultsOneByOne,
      "\(found.evidence.calls) times \(subject)\(origin)\(times)",
      confidence,
      doubt: doubt
    )
    let source = pattern.source >= 0 ? statements[pattern.source].shape : nil
    return finding.about(
      .request(pattern.source >= 0 ? pattern.source : pattern.fault),
      keyPath: source?.table == shape.table && !isToMany
        ? Finding.ownRows : keyPath(pattern, found, statements, vocabulary)
    )
  }

  /// Returns the relationship to prefetch; empty if it is unknown.
  ///
  /// If neither the log nor the model names it, other faults on the same table after the same fetch
  /// may name it.
  private func keyPath(
    _ pattern: Pattern,
    _ found: Found,
    _ statements: StatementTable,
    _ vocabulary: Vocabulary
  ) -> String {
    let shape = statements[pattern.fault].shape
    let source = pattern.source >= 0 ? statements[pattern.source].shape.table : nil
    let own = vocabulary.keyPath(shape, purpose: found.purpose, from: source)
    guard own.isEmpty else { return own }
    let others = self.found.filter { other, _ in
      other.source == pattern.source && other.fault != pattern.fault
        && statements[other.fault].shape.table == shape.table
    }
    return others.map { other, burst in
      vocabulary.keyPath(statements[other.fault].shape, purpose: burst.purpose, from: source)
    }
    .filter { !$0.isEmpty }.min() ?? ""
  }
}

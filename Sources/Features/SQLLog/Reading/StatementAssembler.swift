import Basics

/// Assembles messages into statements, each with the values, times, rows and purpose from the lines
/// after it.
final class StatementAssembler {
  private final class ThreadState {
    /// The fetches whose end the log has not shown yet; the innermost fetch is last.
    @exclusivity(unchecked) var open: [LoggedStatement] = []
    /// The statement that ended last, to which further lines may belong.
    @exclusivity(unchecked) var recent: LoggedStatement?
    /// Whether the statement that started last is the innermost open fetch.
    @exclusivity(unchecked) var startedRead = false
    /// Whether a checkpoint has started, so that its end does not count as another checkpoint.
    var isCheckpointing = false

    static let deepest = 16
  }

  @exclusivity(unchecked) var report = ParsingReport()
  let statements = StatementTable()
  private(set) var names = LogNames()
  /// The text and the values, by line, of the statements not passed on yet; `nil` unless the caller
  /// requests them.
  @exclusivity(unchecked) var texts: [Int: LoggedText]?
  /// The statement's position among those of all connections in SQLite's statement logs; -1 for
  /// other logs.
  var sequence = -1
  /// The line of the statement that returned the rows in the list of values being read.
  private var listing = -1

  var figures: ((Message, Int) -> Void)?

  private let take: (LoggedStatement) -> Void
  private var threads: [Int: ThreadState] = [:]
  @exclusivity(unchecked) private var current = ThreadState()
  private var currentThread = -1

  init(_ take: @escaping (LoggedStatement) -> Void) {
    self.take = take
  }

  /// Reads a message and returns whether a list of values follows on separate lines.
  func read(
    _ body: UnsafeRawBufferPointer,
    _ head: LineHead,
    line: Int,
    clock: Int,
    time: Int = -1
  ) -> Bool {
    enter(head.thread &+ head.process &<< 40)
    if head.level == .sql {
      start(body, head, line: line, clock: clock, time: time)
      return false
    }
    let message = Message(body, level: head.level)
    figures?(message, line)
    switch message {
    case .bind(let index, let value): bind(index, body.part(value))
    case .connectionTime(let time):
      if isOtherQueryRecent {
        current.recent?.time = time
        break
      }
      guard let last = current.open.indices.last, current.open[last].time < 0 else {
        orphan()
        break
      }
      current.open[last].time = time
    case .fetchTime(let time, let rows): end(time: time, rows: rows)
    case .countTime(let time, let count): end(time: time, rows: 1, counted: count)
    case .executionTime(let time):
      if current.recent?.time == -1 { current.recent?.time = time } else { orphan() }
    case .returned(let entity, let rows, let listsValues):
      returned(body.part(entity).text, rows: rows)
      if listsValues {
        report.hasRowValues = true
        readRow(body)
        return body.last != 41
      }
    case .counted(let entity, let count): returned(body.part(entity).text, rows: 1, counted: count)
    case .fault(let entity, let key):
      let entity = names.place(of: body.part(entity).text)
      annotate(.fault(entity: entity, key: key), entity: names[entity])
    case .toManyFault(let relationship, let entity, let key, let rows):
      let purpose = LoggedStatement.Purpose.toManyFault(
        entity: names.place(of: body.part(entity).text),
        relationship: names.place(of: body.part(relationship).text),
        key: key
      )
      annotate(purpose, rows: rows)
    case .prefetch(let relationship, let rows):
      annotate(.prefetch(relationship: names.place(of: body.part(relationship).text)), rows: rows)
    case .plan: report.hasPlans = true
    case .connecting: report.connections += 1
    case .maintenance: report.countMaintenance(line: line)
    case .checkpointStart:
      report.countMaintenance(line: line)
      current.isCheckpointing = true
    case .checkpointEnd:
      if !current.isCheckpointing { report.countMaintenance(line: line) }
      current.isCheckpointing = false
    case .note: if head.level == .error || head.level == .fault { report.errors += 1 }
    case .unknown:
      if head.level == .details, plan(of: body) != nil { break }
      report.countUnknown(body, line: line)
    }
    return false
  }

  private func enter(_ thread: Int) {
    guard thread != currentThread else { return }
    if currentThread >= 0 { threads[currentThread] = current }
    current = threads[thread] ?? ThreadState()
    currentThread = thread
  }

  private func start(
    _ sql: UnsafeRawBufferPointer,
    _ head: LineHead,
    line: Int,
    clock: Int,
    time: Int
  ) {
    report.statements += 1
    let reference = statements.reference(to: sql)
    let traits = statements.traits(of: reference.entry)
    if let recent = current.recent {
      current.recent = nil
      emit(recent)
    }
    var statement = LoggedStatement(line: line, entry: reference.entry)
    (statement.process, statement.thread) = (head.process, head.thread)
    (statement.limit, statement.clock) = (reference.limit, clock)
    (statement.values, statement.valueCount) = (reference.literalHash, reference.literals)
    statement.time = time
    current.startedRead = traits.isRead && head.form != .trace
    texts?[line] = LoggedText(
      sql: sql,
      literals: report.isStatementLog,
      isPlain: statements.isPlain,
      sequence: sequence
    )
    guard current.startedRead else {
      // A fetch does not span the start or the end of a transaction.
      if traits.kind == .begin || traits.kind == .commit { closeAll() }
      current.recent = statement
      return
    }
    // A fetch without a logged time ends when the next one starts; a fetch with a time may still
    // run its prefetches.
    while let last = current.open.last, last.time < 0 { emit(current.open.removeLast()) }
    if current.open.count >= ThreadState.deepest { emit(current.open.removeFirst()) }
    statement.isNested = !current.open.isEmpty
    current.open.append(statement)
  }

  private func bind(_ index: Int, _ value: UnsafeRawBufferPointer) {
    // A value that the unified log hides is treated as distinct from all others.
    let isHidden = value.has("<private>")
    let mixed = isHidden ? nil : value.hash64 &+ UInt64(truncatingIfNeeded: index)
    let line: Int? =
      if current.startedRead, let last = current.open.indices.last {
        current.open[last].add(mixed, size: value.count)
      } else {
        current.recent?.add(mixed, size: value.count)
      }
    guard let line else { return orphan() }
    if texts != nil, !isHidden { texts?[line]?.bind(LoggedValue(bound: value), at: index) }
  }

  /// Whether the last statement queried Core Data's own tables.
  ///
  /// Such a query is not a fetch, but the log may show its times.
  private var isOtherQueryRecent: Bool {
    guard let recent = current.recent, recent.line > current.open.last?.line ?? 0 else {
      return false
    }
    return statements.traits(of: recent.entry).isOtherQuery
  }

  private func end(time: Int, rows: Int, counted: Int = -1) {
    if isOtherQueryRecent {
      current.recent?.time = time
      current.recent?.rows = rows
      return
    }
    guard var statement = current.open.popLast() else { return orphan() }
    if let recent = current.recent {
      current.recent = nil
      emit(recent)
    }
    statement.time = time
    if statement.rows < 0 { statement.rows = rows }
    if counted >= 0 { statement.counted = counted }
    statement.isNested = !current.open.isEmpty
    if let outer = current.open.indices.last { current.open[outer].nested += time }
    current.recent = statement
  }

  private func returned(_ entity: String, rows: Int, counted: Int = -1) {
    func add(to statement: inout LoggedStatement) {
      statement.rows = rows
      if counted >= 0 { statement.counted = counted }
      names.note(entity: entity, of: statements[statement.entry].shape.table)
      listing = statement.line
    }
    if !isOtherQueryRecent, let last = current.open.indices.last {
      add(to: &current.open[last])
    } else if var recent = current.recent {
      add(to: &recent)
      current.recent = recent
    } else {
      orphan()
    }
  }

  /// Records the object IDs in a line of a list of values.
  func readRow(_ line: UnsafeRawBufferPointer) {
    guard texts != nil else { return }
    var start = 0
    while let (entity, key) = Message.objectID(in: line, from: start) {
      texts?[listing]?.keys.append(Int64(key))
      start = entity.upperBound
    }
  }

  private func annotate(_ purpose: LoggedStatement.Purpose, rows: Int? = nil, entity: String = "") {
    // Old systems print no total time for a fetch, so the message may be about an open fetch.
    if current.recent.map({ !statements.traits(of: $0.entry).isRead }) ?? true,
      let last = current.open.popLast()
    {
      if let recent = current.recent { emit(recent) }
      current.recent = last
    }
    guard var recent = current.recent, recent.purpose == .unknown,
      statements.traits(of: recent.entry).isRead
    else { return orphan() }
    recent.purpose = purpose
    if let rows { recent.rows = rows } else if recent.rows < 0 { recent.rows = 1 }
    current.recent = recent
    if !entity.isEmpty { names.note(entity: entity, of: statements[recent.entry].shape.table) }
  }

  private func orphan() { report.orphans += 1 }

  private func closeAll() {
    for statement in current.open { emit(statement) }
    current.open = []
  }

  private func flush(_ state: ThreadState) {
    if let recent = state.recent { state.open.append(recent) }
    for statement in state.open.sorted(by: { $0.line < $1.line }) { emit(statement) }
    (state.open, state.recent) = ([], nil)
  }

  private func emit(_ statement: LoggedStatement) {
    let traits = statements.traits(of: statement.entry)
    if traits.isRead, traits.hasParameters, traits.kind != .batch, traits.kind != .prefetch,
      !report.isStatementLog
    {
      if statement.valueCount > 0 {
        if report.boundReads == 0 { report.firstBound = statement.line }
        report.boundReads += 1
      } else {
        if report.unboundReads == 0 { report.firstUnbound = statement.line }
        report.unboundReads += 1
      }
    }
    take(statement)
    if texts != nil { texts?[statement.line] = nil }
  }

  /// Reads a line of a query plan, which a log at SQLDebug level 4 prints after the statement; the
  /// format is assumed.
  func plan(of line: UnsafeRawBufferPointer) -> LoggedStatement.Plan? {
    guard report.hasPlans, let plan = LoggedStatement.Plan(line) else { return nil }
    if current.recent?.plan == nil { current.recent?.plan = plan }
    return plan
  }

  func finish() {
    if currentThread >= 0 { threads[currentThread] = current }
    for (_, state) in threads.sorted(by: { $0.key < $1.key }) { flush(state) }
    threads = [:]
    current = ThreadState()
    currentThread = -1
  }
}

extension LoggedStatement {
  /// Adds a bound value's hash, or `nil` for a value that the log hides, and returns the
  /// statement's line.
  fileprivate mutating func add(_ value: UInt64?, size: Int) -> Int {
    values = SplitMix64.mix(values ^ (value ?? UInt64(line)))
    guard value != nil else { return line }
    valueCount += 1
    longestValue = max(longestValue, size)
    return line
  }
}

extension LoggedStatement.Plan {
  /// Parses `SCAN t0`, `0 0 0 SEARCH TABLE ZTASK AS t0 USING INDEX NAME (…)` and similar lines.
  init?(_ line: UnsafeRawBufferPointer) {
    // Search for the words of a query plan before splitting the line: most lines do not contain
    // these words, and splitting is slow.
    let sample = line.part(0..<min(line.count, 400))
    guard Self.marks.contains(where: { sample.place(of: $0) != nil }) else { return nil }
    let words = sample.text.split { $0 == " " || $0 == "|" }.map(String.init)
    guard let verb = words.prefix(6).firstIndex(where: { ["SCAN", "SEARCH"].contains($0) }) else {
      let isStep = words.prefix(6).contains { ["USE", "TEMP", "CO-ROUTINE", "LIST"].contains($0) }
      guard isStep else { return nil }
      self = .other
      return
    }
    var rest = words[(verb + 1)...]
    if rest.first == "TABLE" { rest = rest.dropFirst() }
    let table = rest.first ?? ""
    if let index = words.firstIndex(of: "INDEX"), index + 1 < words.count {
      self = .index(table: table, name: words[index + 1])
    } else {
      self = words[verb] == "SCAN" ? .scan(table: table) : .other
    }
  }

  private static let marks: [StaticString] = [
    "SCAN", "SEARCH", "USE", "TEMP", "CO-ROUTINE", "LIST",
  ]
}

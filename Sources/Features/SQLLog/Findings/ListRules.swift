/// Finds lists that are loaded completely, and loops that run one fetch per object.
struct ListRules {
  /// The minimum number of rows of a list that is too long for a screen.
  static let longList = 500
  /// A list counts as a work list if a save changes at least this fraction (1/10) of its rows.
  static let workedShare = 10
  static let fewestInALoop = 10
  /// The maximum number of other statements and the maximum pause in microseconds between two
  /// iterations of a loop.
  ///
  /// Without timestamps, only other lookups of the same loop may lie between two iterations.
  static let loopDistance = 4
  static let loopPause = 200_000

  private struct List {
    var evidence = Evidence()
    var rows = 0
  }

  private struct Loop {
    var entry: Int
    var evidence = Evidence()
    var values: Set<UInt64> = []
    var unknown = 0
    /// The last iteration: its index among the thread's statements, the statements before it that
    /// are not lookups, and its timestamp in microseconds.
    var last = 0
    var others = 0
    var clock = -1

    var turns: Int { unknown > 0 ? evidence.calls : values.count }
  }

  private var lists: [Int: List] = [:]
  /// The last long list by thread, until a save shows whether it is a work list.
  private var open: [Int: (statement: LoggedStatement, table: String)] = [:]
  private var loops: [Int: [Int: Loop]] = [:]
  private var longest: [Int: Loop] = [:]
  private var numbers: [Int: (all: Int, others: Int)] = [:]

  private static let mostValues = 512

  mutating func add(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ step: LogDigest.SaveStep
  ) {
    let thread = statement.threadKey
    if case .ended(let record) = step, let list = open[thread] {
      let written = record.writes.filter { $0.table == list.table && $0.change != .inserted }
        .reduce(0) { $0 + $1.count }
      if written * Self.workedShare >= list.statement.rows { open[thread] = nil }
    }
    guard !statement.isNested else { return }
    if shape.kind == .fetch, statement.purpose == .unknown, !shape.hasLimit,
      statement.rows >= Self.longList
    {
      close(thread)
      open[thread] = (statement, shape.table)
    }
    addTurn(statement, shape, thread)
  }

  private mutating func close(_ thread: Int) {
    guard let (statement, _) = open.removeValue(forKey: thread) else { return }
    var list = lists[statement.entry] ?? List()
    list.evidence.add(statement)
    list.rows = max(list.rows, statement.rows)
    lists[statement.entry] = list
  }

  /// Whether a statement is a lookup, which fetches the objects whose column equals a given value.
  ///
  /// Searches are excluded, because a user types their values.
  private static func isLookUp(_ shape: StatementShape) -> Bool {
    guard [.fetch, .keyFetch, .count, .aggregate].contains(shape.kind), shape.parameters > 0 else {
      return false
    }
    return shape.conditions.contains { $0.operation == .equals && $0.column != "Z_ENT" }
      && !shape.conditions.contains { [.search, .range].contains($0.operation) }
  }

  private mutating func addTurn(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ thread: Int
  ) {
    // Do not count pragmas and transactions, because GRDB adds them to each read.
    guard ![.pragma, .begin, .commit, .rollback].contains(shape.kind) else { return }
    var number = numbers[thread] ?? (0, 0)
    number.all += 1
    let isTurn = statement.purpose == .unknown && Self.isLookUp(shape)
    if !isTurn { number.others += 1 }
    numbers[thread] = number
    guard isTurn else { return }
    for (entry, loop) in loops[thread] ?? [:] {
      let isTimed = loop.clock >= 0 && statement.clock >= 0
      let isOver =
        number.all - loop.last > Self.loopDistance + 1
        || (isTimed
          ? statement.clock - loop.clock > Self.loopPause : number.others > loop.others)
      if isOver { end(entry, thread) }
    }
    var loop =
      loops[thread, default: [:]].removeValue(forKey: statement.entry)
      ?? Loop(entry: statement.entry)
    loop.evidence.add(statement)
    (loop.last, loop.others, loop.clock) = (number.all, number.others, statement.clock)
    if statement.valueCount == 0 {
      loop.unknown += 1
    } else if loop.values.count < Self.mostValues {
      loop.values.insert(statement.values)
    }
    loops[thread]?[statement.entry] = loop
  }

  private mutating func end(_ entry: Int, _ thread: Int) {
    guard let loop = loops[thread]?.removeValue(forKey: entry),
      loop.turns >= Self.fewestInALoop
    else { return }
    longest[loop.entry, default: Loop(entry: loop.entry)].evidence.add(loop.evidence)
    longest[loop.entry]?.unknown += loop.unknown
  }

  mutating func finish() {
    for thread in open.keys.sorted() { close(thread) }
    for thread in loops.keys.sorted() {
      for entry in loops[thread]?.keys.sorted() ?? [] { end(entry, thread) }
    }
  }
}

extension ListRules {
  func findings(_ statements: StatementTable, _ vocabulary: Vocabulary) -> [Finding] {
    lists.map { longList($0, $1, statements, vocabulary) }
      + longest.map { loop($1, statements, vocabulary) }
  }

  private func longList(
    _ entry: Int,
    _ list: List,
    _ statements: StatementTable,
    _ vocabulary: Vocabulary
  ) -> Finding {
    let shape = statements[entry].shape
    let calls = list.evidence.calls
    let isSorted = !shape.sorts.isEmpty
    return list.evidence.finding(
      .fetchWithoutLimit,
      "\(vocabulary.operation(shape)): \(list.rows) complete rows at once, without a limit or a "
        + "batch size" + (calls == 1 ? "" : ", \(calls) times"),
      isSorted ? .medium : .low,
      doubt: isSorted
        ? "the log does not show how many of the objects the app reads"
        : "it has no order, as an export that reads every object"
    ).about(.request(entry))
  }

  private func loop(
    _ loop: Loop,
    _ statements: StatementTable,
    _ vocabulary: Vocabulary
  ) -> Finding {
    loop.evidence.finding(
      .fetchesOneByOne,
      "\(loop.evidence.calls) times \(vocabulary.operation(statements[loop.entry].shape)), for one "
        + "value each",
      loop.unknown > 0 ? .medium : .high,
      doubt: loop.unknown > 0
        ? "the log shows no values: perhaps one value was asked for again and again" : ""
    ).about(.request(loop.entry))
  }
}

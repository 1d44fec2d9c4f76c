/// Finds lists that are loaded whole, and fetches that a loop runs for one object each.
struct ListRules {
  /// Rows beyond which no screen shows them all.
  static let longList = 500
  /// Of the rows of a list, the share that a save changes if the list is work to do.
  static let workedShare = 10
  static let fewestInALoop = 10
  /// Other statements, and microseconds, between two turns of a loop where lines have times of day;
  /// without times nothing may lie between.
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
    /// The number of the last turn among the thread's statements, and its time of day.
    var last = 0
    var clock = -1

    var turns: Int { unknown > 0 ? evidence.calls : values.count }
  }

  private var lists: [Int: List] = [:]
  /// The last long list of each thread, until a save shows whether its objects are work.
  private var open: [Int: (statement: LoggedStatement, table: String)] = [:]
  private var loops: [Int: Loop] = [:]
  private var longest: [Int: Loop] = [:]
  private var numbers: [Int: Int] = [:]

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
    numbers[thread, default: 0] += 1
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

  /// Whether a statement asks for the objects of one value: not a search, whose value a person types.
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
    guard statement.purpose == .unknown, Self.isLookUp(shape) else { return }
    let number = numbers[thread] ?? 0
    if let loop = loops[thread], loop.entry == statement.entry {
      let isTimed = loop.clock >= 0 && statement.clock >= 0
      let isFar =
        isTimed
        ? number - loop.last > Self.loopDistance || statement.clock - loop.clock > Self.loopPause
        : number - loop.last > 1
      if isFar { end(thread) }
    } else {
      end(thread)
    }
    var loop = loops.removeValue(forKey: thread) ?? Loop(entry: statement.entry)
    loop.evidence.add(statement)
    (loop.last, loop.clock) = (number, statement.clock)
    if statement.valueCount == 0 {
      loop.unknown += 1
    } else if loop.values.count < Self.mostValues {
      loop.values.insert(statement.values)
    }
    loops[thread] = loop
  }

  private mutating func end(_ thread: Int) {
    guard let loop = loops.removeValue(forKey: thread), loop.turns >= Self.fewestInALoop else {
      return
    }
    longest[loop.entry, default: Loop(entry: loop.entry)].evidence.add(loop.evidence)
    longest[loop.entry]?.unknown += loop.unknown
  }

  mutating func finish() {
    for thread in open.keys.sorted() { close(thread) }
    for thread in loops.keys.sorted() { end(thread) }
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

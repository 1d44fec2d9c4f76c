import Basics

/// The totals of the statements with one fingerprint (the text without values), or of all
/// statements on one table.
package struct CallFigures: Equatable, Sendable {
  package var calls = 0
  /// The total time in microseconds of the calls whose time is logged, without nested statements.
  package var time = 0
  package var times = Histogram()
  /// The row counts of the calls whose rows are logged.
  package var rows = Histogram()
  package var insideSave = 0
  package var firstLine = 0
  package var lastLine = 0
  /// The largest batch size or fetch limit; -1 if there is none.
  package var limit = -1
  /// The size of the batches that follow a fetch of keys; -1 if there are no batches.
  package var batchSize = -1
  /// The size of the largest bound value in bytes.
  package var longestValue = 0
  package var counted = -1
  /// The purpose according to the annotation of the last call that has one.
  package var purpose = LoggedStatement.Purpose.unknown
  package var plan: LoggedStatement.Plan?

  /// The number of calls whose time is not logged.
  package var untimed: Int { calls - times.count }

  mutating func add(_ statement: LoggedStatement, isInSave: Bool) {
    if calls == 0 { firstLine = statement.line }
    calls += 1
    lastLine = max(lastLine, statement.line)
    if let time = statement.ownTime {
      self.time += time
      times.add(time)
    }
    if statement.rows >= 0 { rows.add(statement.rows) }
    if isInSave { insideSave += 1 }
    limit = max(limit, statement.limit)
    longestValue = max(longestValue, statement.longestValue)
    counted = max(counted, statement.counted)
    if statement.purpose != .unknown { purpose = statement.purpose }
    if let plan = statement.plan { self.plan = plan }
  }
}

/// The writes between BEGIN and COMMIT.
package struct SaveRecord: Equatable, Sendable {
  package enum Change: String, Hashable, Sendable {
    case inserted, updated, deleted
  }

  package struct Write: Hashable, Sendable {
    package var change: Change
    package var table: String
    package var count: Int
    /// Whether the statements are batch requests; the log does not show how many objects batch
    /// requests changed.
    package var isBatchRequest = false
  }

  package var line: Int
  package var endLine: Int
  package var writes: [Write] = []
  package var reads = 0
  /// The number of statements that write to Core Data's own tables, for example to reserve keys.
  package var systemWrites = 0
  /// Whether the log contains the save's COMMIT.
  package var isComplete = false
  /// The time from BEGIN to COMMIT in microseconds, according to their timestamps; -1 if the lines
  /// have no timestamps.
  package var elapsed = -1
  /// The total time of the save's statements in microseconds; `nil` if the time of the COMMIT is
  /// not logged.
  package var time: Int?
  package var isRolledBack = false
  fileprivate var spent = 0

  fileprivate mutating func add(_ shape: StatementShape) {
    let change: Change =
      shape.kind == .insert ? .inserted : shape.kind == .update ? .updated : .deleted
    var write = Write(change: change, table: shape.table, count: 1)
    write.isBatchRequest = shape.isBatchRequest
    if let place = writes.firstIndex(where: {
      $0.change == change && $0.table == write.table && $0.isBatchRequest == write.isBatchRequest
    }) {
      writes[place].count += 1
    } else if writes.count < 200 {
      writes.append(write)
    }
  }
}

/// A group of saves with the same writes, and the number of these saves.
package struct SaveGroup: Equatable, Sendable {
  package var writes: [SaveRecord.Write]
  package var count = 0
  package var firstLine: Int
  package var elapsed = Histogram()
}

/// The totals of a log by statement, entity and save, in bounded memory.
package struct LogDigest: Sendable {
  /// The totals of each statement, by its index in the ``StatementTable``.
  package private(set) var statements: [CallFigures] = []
  package private(set) var tables: [String: CallFigures] = [:]
  package private(set) var saves = 0
  package private(set) var rollbacks = 0
  /// The number of transactions that wrote no objects.
  package private(set) var upkeep = 0
  /// The first saves, up to a maximum number.
  package private(set) var firstSaves: [SaveRecord] = []
  package private(set) var saveGroups: [[SaveRecord.Write]: SaveGroup] = [:]
  /// The number of saves that belong to no group in ``saveGroups``, which holds at most
  /// ``mostGroups`` groups.
  package private(set) var otherSaves = 0
  /// The total time of all statements in microseconds, with nested statements counted once.
  package private(set) var time = 0
  package private(set) var calls = 0
  package private(set) var untimed = 0

  /// For each thread, the last fetch that read only keys, and the table; batches may follow the
  /// fetch.
  private var keyFetches: [Int: (entry: Int, table: String)] = [:]
  private var open: [Int: (record: SaveRecord, clock: Int)] = [:]

  package static let mostSaves = 1_000
  package static let mostGroups = 2_000

  package init() {}

  enum SaveStep {
    case none
    case inside
    case ended(SaveRecord)
  }

  mutating func add(_ statement: LoggedStatement, _ shape: StatementShape) -> SaveStep {
    let thread = statement.threadKey
    let step = advance(statement, shape, thread)
    let isInSave = if case .none = step { false } else { true }
    if statement.entry >= statements.count {
      let missing = statement.entry + 1 - statements.count
      statements.append(contentsOf: repeatElement(CallFigures(), count: missing))
    }
    statements[statement.entry].add(statement, isInSave: isInSave)
    if shape.kind == .keyFetch { keyFetches[thread] = (statement.entry, shape.table) }
    if shape.kind == .batch, let keys = keyFetches[thread], keys.table == shape.table {
      statements[keys.entry].batchSize = max(statements[keys.entry].batchSize, statement.limit)
    }
    if !shape.table.isEmpty, shape.kind != .system, shape.kind != .schema {
      tables[shape.table, default: CallFigures()].add(statement, isInSave: isInSave)
    }
    calls += 1
    if let own = statement.ownTime { time += own } else { untimed += 1 }
    return step
  }

  private mutating func advance(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ thread: Int
  ) -> SaveStep {
    switch shape.kind {
    case .begin:
      if let left = open[thread] { keep(left.record) }
      open[thread] = (
        SaveRecord(line: statement.line, endLine: statement.line), statement.clock
      )
      open[thread]?.record.spent = statement.ownTime ?? 0
      return .inside
    case .commit, .rollback:
      guard let (begun, clock) = open.removeValue(forKey: thread) else { return .none }
      var record = begun
      record.endLine = statement.line
      record.isComplete = shape.kind == .commit
      record.isRolledBack = shape.kind == .rollback
      // Times in whole seconds, as syslog prints them, are too coarse for a save.
      let isCoarse = clock % 1_000_000 == 0 && statement.clock % 1_000_000 == 0
      if clock >= 0, statement.clock >= clock, !isCoarse {
        record.elapsed = statement.clock - clock
      }
      record.time = statement.ownTime.map { $0 + record.spent }
      keep(record)
      return record.isComplete && !record.writes.isEmpty ? .ended(record) : .inside
    case .insert, .update, .delete:
      if shape.isPlain, open[thread] == nil {
        // Without a transaction, SQLite commits each statement on its own.
        var record = SaveRecord(line: statement.line, endLine: statement.line)
        record.add(shape)
        record.isComplete = true
        record.time = statement.ownTime
        keep(record)
        return .ended(record)
      }
      // If the log starts within a save, the BEGIN is missing.
      open[thread, default: (SaveRecord(line: statement.line, endLine: statement.line), -1)]
        .record.add(shape)
      open[thread]?.record.endLine = statement.line
      open[thread]?.record.spent += statement.ownTime ?? 0
      return .inside
    default:
      guard open[thread] != nil else { return .none }
      open[thread]?.record.spent += statement.ownTime ?? 0
      if shape.isRead { open[thread]?.record.reads += 1 }
      if shape.kind == .system { open[thread]?.record.systemWrites += 1 }
      return .inside
    }
  }

  private mutating func keep(_ record: SaveRecord) {
    if record.isRolledBack {
      rollbacks += 1
      return
    }
    guard !record.writes.isEmpty else {
      upkeep += 1
      return
    }
    saves += 1
    if firstSaves.count < Self.mostSaves { firstSaves.append(record) }
    if saveGroups[record.writes] == nil {
      guard saveGroups.count < Self.mostGroups else {
        otherSaves += 1
        return
      }
      saveGroups[record.writes] = SaveGroup(writes: record.writes, firstLine: record.line)
    }
    saveGroups[record.writes]?.count += 1
    if record.elapsed >= 0 { saveGroups[record.writes]?.elapsed.add(record.elapsed) }
  }

  mutating func finish() {
    for (_, left) in open.sorted(by: { $0.key < $1.key }) { keep(left.record) }
    open = [:]
  }
}

extension Vocabulary {
  /// Describes a save, such as `save of 12 Tasks` or `save of 1 Project (updated), 3 Tasks
  /// (inserted)`.
  package func save(of writes: [SaveRecord.Write]) -> String {
    let parts = writes.map { write in
      let noun =
        write.table.hasPrefix("Z_") ? "link" : entity(of: write.table)
      let counted =
        write.isBatchRequest
        ? "\(noun) by \(Figures.counted(write.count, "batch request"))"
        : Figures.counted(write.count, noun)
      return writes.count == 1 && write.change == .inserted
        ? counted : "\(counted) (\(write.change))"
    }
    return "save of " + parts.joined(separator: ", ")
  }
}

/// Counts integers in bins, so that percentiles of any number of values need little memory.
///
/// Values below 32 have separate bins. The width of a larger bin is at most 1/16 of its values, so
/// a percentile is at most 6.3 % too high.
package struct Histogram: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var sum = 0
  package private(set) var smallest = 0
  package private(set) var largest = 0
  private var bins: [UInt32] = []

  private static let exact = 32
  private static let perOctave = 16

  package init() {}

  /// Counts a value; negative values count as 0.
  package mutating func add(_ value: Int) {
    let value = max(value, 0)
    smallest = count == 0 ? value : min(smallest, value)
    largest = max(largest, value)
    count += 1
    sum += value
    let bin = Self.bin(of: value)
    if bin >= bins.count { bins.append(contentsOf: repeatElement(0, count: bin + 1 - bins.count)) }
    bins[bin] &+= 1
  }

  /// Returns the upper bound of the bin that contains the percentile for a share of 0 to 1.
  package func percentile(_ share: Double) -> Int {
    guard count > 0 else { return 0 }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (bin, number) in bins.enumerated() {
      seen += Int(number)
      if seen >= rank { return min(largest, Self.upperBound(of: bin)) }
    }
    return largest
  }

  package var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

  private static func bin(of value: Int) -> Int {
    guard value >= exact else { return value }
    let octave = Int.bitWidth - 1 - value.leadingZeroBitCount
    let part = (value >> (octave - 4)) & (perOctave - 1)
    return exact + (octave - 5) * perOctave + part
  }

  private static func upperBound(of bin: Int) -> Int {
    guard bin >= exact else { return bin }
    let octave = (bin - exact) / perOctave + 5
    let part = (bin - exact) % perOctave
    return (1 << octave) + ((part + 1) << (octave - 4)) - 1
  }
}

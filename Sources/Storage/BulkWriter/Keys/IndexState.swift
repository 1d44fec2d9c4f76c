/// An index while it is written: its runs, then the parts they are merged in.
final class IndexState: @unchecked Sendable {
  let plan: IndexPlan
  let columns: [KeyColumn]
  let words: KeyWords?
  let order: RecordOrder
  let tree: Tree
  /// The parts, once all runs are there.
  private(set) var parts: [MergePart] = []
  private(set) var runs: [Run] = []

  private let monitor = Monitor()
  // By chunk; belongs to the monitor.
  private var made: [Int: Run] = [:]
  // The end of the part placed last; belongs to the thread whose turn it is.
  private var lastRecord: [UInt8]?

  init(plan: IndexPlan, table: TablePlan, tree: Tree) {
    self.plan = plan
    self.tree = tree
    columns = plan.columns.map { KeyColumn($0, of: table) }
    words = KeyWords(columns)
    order = RecordOrder(columns)
  }

  func add(_ run: Run, chunk: Int) {
    monitor.locked { made[chunk] = run }
  }

  /// Cuts the merge of all runs into parts that can be made alone.
  func planMerge(storage: RunStorage) throws {
    runs = made.sorted { $0.key < $1.key }.map(\.value)
    made = [:]
    if let words, runs.contains(where: { !$0.isWords }) {
      runs = try runs.map { try $0.isWords ? $0.asRecords(words, order, storage) : $0 }
    }
    parts = MergePlan(runs: runs, words: isWords ? words : nil, order: order).parts()
  }

  /// Whether the entries of all runs are words.
  var isWords: Bool { runs.allSatisfy(\.isWords) }

  func forgetRuns() {
    (runs, parts) = ([], [])
  }

  /// Refuses a key that ends one part of a unique index and begins the next.
  func check(first: [UInt8], last: [UInt8]) throws {
    if let lastRecord, haveEqualKeys(lastRecord, first) { throw duplicate(lastRecord, first) }
    lastRecord = last
  }

  private func haveEqualKeys(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        return order.haveEqualKeys(left, right)
      }
    }
  }

  /// The error for two records with the same key.
  func duplicate(_ left: [UInt8], _ right: [UInt8]) -> BulkWriterError {
    let rowids = [left, right].map { record in
      record.withUnsafeBytes { bytes in bytes.baseAddress.map(order.rowid) ?? 0 }
    }
    return .duplicateKey(index: plan.name, rowids: rowids)
  }
}

extension Run {
  /// The same entries as records.
  fileprivate func asRecords(
    _ words: KeyWords,
    _ order: RecordOrder,
    _ storage: RunStorage
  ) throws -> Run {
    var (entries, records, spare) = (ByteArena(), ByteArena(), ByteArena())
    defer { for arena in [entries, records, spare] { arena.deallocate() } }
    let bytes = entries.reserve(byteCount)
    try storage.read(place, count: byteCount, into: bytes)
    words.expand(bytes, count: byteCount / (words.stride * 8), into: &records)
    let list = RecordList(records)
    defer { list.deallocate() }
    let sort = RecordSort(order: order, memory: records.memory, spare: list.spare)
    return try Run(records: list.entries, of: sort, arena: &spare, in: storage)
  }
}

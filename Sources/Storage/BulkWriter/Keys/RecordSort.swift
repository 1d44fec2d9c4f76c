/// Sorts the records of an index: by eight bytes of a column at a time, as long as many are alike.
struct RecordSort {
  /// Groups that comparing sorts as fast.
  private static let fewEntries = 24
  /// Words of one column after which long equal beginnings are left to comparing.
  private static let depthLimit = 32

  let order: RecordOrder
  /// Where records lie, each behind its length.
  let memory: UnsafeRawPointer
  private let spare: UnsafeMutablePointer<WordEntry1>

  /// Sorts with room for as many entries at `spare`.
  init(
    order: RecordOrder,
    memory: UnsafeRawPointer,
    spare: UnsafeMutablePointer<WordEntry1>
  ) {
    self.order = order
    self.memory = memory
    self.spare = spare
  }

  /// Sorts entries that hold the places of their records and ascend by rowid.
  func sort(_ entries: UnsafeMutableBufferPointer<WordEntry1>) {
    sort(entries, column: 0, depth: 0)
  }

  private func sort(
    _ entries: UnsafeMutableBufferPointer<WordEntry1>,
    column: Int,
    depth: Int
  ) {
    guard let start = entries.baseAddress, entries.count > 1 else { return }
    if entries.count <= Self.fewEntries || depth == Self.depthLimit {
      var entries = entries
      return entries.sort { order.precedes(record($0), record($1)) }
    }
    for index in 0..<entries.count {
      start[index].first = ColumnWord(
        record(entries[index]),
        column: column,
        isDescending: order.isDescending(column)
      ).word(depth)
    }
    RadixSort.sort(start, count: entries.count, spare: spare)
    var group = 0
    for end in 1...entries.count
    where end == entries.count || start[end].first != start[group].first {
      if end - group > 1 {
        let members = UnsafeMutableBufferPointer(rebasing: entries[group..<end])
        sortEqual(members, column: column, depth: depth)
      }
      group = end
    }
  }

  /// Sorts entries whose words up to a depth are equal.
  private func sortEqual(
    _ entries: UnsafeMutableBufferPointer<WordEntry1>,
    column: Int,
    depth: Int
  ) {
    let first = ColumnWord(record(entries[0]), column: column, isDescending: false).count
    let covered = 8 * (depth + 1)
    let areEqual =
      first <= covered
      && entries.allSatisfy {
        ColumnWord(record($0), column: column, isDescending: false).count == first
      }
    if !areEqual {
      sort(entries, column: column, depth: depth + 1)
    } else if column + 1 < order.columnCount {
      sort(entries, column: column + 1, depth: 0)
    }
  }

  /// The record of an entry.
  func record(_ entry: WordEntry1) -> UnsafeRawPointer {
    let length = memory + Int(entry.rest)
    return length + Varint.get(length).length
  }

  /// The record of an entry with its length before it.
  func sizedRecord(_ entry: WordEntry1) -> UnsafeRawBufferPointer {
    let start = memory + Int(entry.rest)
    let (count, length) = Varint.get(start)
    return UnsafeRawBufferPointer(start: start, count: Int(count) + length)
  }
}

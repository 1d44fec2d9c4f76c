import Synchronization

/// The last numbers of the attributes that others are made from, such as the date of creation that
/// the date of completion follows: each is made once a row.
struct RowMemory: Sendable {
  /// The name of a source, never given twice: a cell may outlive a dataset.
  struct Source: Hashable, Sendable {
    private static let last = Atomic<Int>(0)

    fileprivate let number: Int

    init() {
      number = Self.last.add(1, ordering: .relaxed).newValue
    }
  }

  /// What one source made for a row.
  struct Entry: Sendable {
    let source: Source
    let row: Int
    let kind: Cell.Kind
    let integer: Int64
    let real: Double
  }

  private static let places = 8

  private var entries: [Entry?] = []

  @inline(__always)
  func entry(of source: Source, row: Int) -> Entry? {
    guard !entries.isEmpty, let entry = entries[source.number % Self.places],
      entry.source.number == source.number, entry.row == row
    else { return nil }
    return entry
  }

  @inline(__always)
  mutating func keep(_ entry: Entry) {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.places) }
    entries[entry.source.number % Self.places] = entry
  }
}

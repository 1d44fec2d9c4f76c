import DataModel
import Synchronization

/// A reusable buffer for one generated value, so that values need no allocations.
package struct Cell: Sendable {
  /// The storage class of a value.
  package enum Kind: Sendable {
    case null
    case integer
    case real
    case text
    case blob
  }

  package private(set) var kind = Kind.null
  /// The value if the kind is `integer`.
  package private(set) var integer: Int64 = 0
  /// The value if the kind is `real`.
  package private(set) var real = 0.0
  /// The UTF-8 bytes if the kind is `text`, or the contents if it is `blob`.
  package private(set) var bytes: [UInt8] = []

  private var memory = RowMemory()

  package init() {}

  package mutating func setNull() { kind = .null }

  package mutating func set(_ integer: Int64) {
    kind = .integer
    self.integer = integer
  }

  /// Sets a number for a column that stores all numbers as reals (FLOAT).
  package mutating func set(_ real: Double) {
    kind = .real
    // SQLite stores negative zero as positive zero.
    self.real = real == 0 ? 0 : real
  }

  /// Sets a number for a column with NUMERIC affinity (TIMESTAMP, DECIMAL), which stores whole
  /// numbers as integers.
  package mutating func setNumeric(_ number: Double) {
    guard let whole = Int64(exactly: number) else { return set(number) }
    set(whole)
  }

  static func numeric(_ number: Double) -> Value {
    Int64(exactly: number).map { .integer($0) } ?? .real(number == 0 ? 0 : number)
  }

  /// Sets the cell to text whose bytes the closure appends to an empty buffer.
  @inline(__always)
  package mutating func setText(_ body: (inout [UInt8]) -> Void) {
    kind = .text
    bytes.removeAll(keepingCapacity: true)
    body(&bytes)
  }

  /// Sets the cell to a blob whose bytes the closure appends to an empty buffer.
  @inline(__always)
  package mutating func setBlob(_ body: (inout [UInt8]) -> Void) {
    kind = .blob
    bytes.removeAll(keepingCapacity: true)
    body(&bytes)
  }

  /// Copies a value unchanged into the cell.
  package mutating func set(_ value: Value) {
    switch value {
    case .null: setNull()
    case .integer(let integer): set(integer)
    case .real(let real): set(real)
    case .text(let text): setText { $0.append(contentsOf: text.utf8) }
    case .blob(let blob): setBlob { $0.append(contentsOf: blob) }
    }
  }

  /// Sets the cell to the latest number of a source, if the source generated it for the given row.
  ///
  /// - Returns: Whether the cell was set.
  @inline(__always)
  mutating func recall(_ source: RowMemory.Source, row: Int) -> Bool {
    guard let entry = memory.entry(of: source, row: row) else { return false }
    (kind, integer, real) = (entry.kind, entry.integer, entry.real)
    return true
  }

  @inline(__always)
  mutating func remember(_ source: RowMemory.Source, row: Int) {
    guard kind != .text, kind != .blob else { return }
    memory.keep(RowMemory.Entry(source: source, row: row, kind: kind, integer: integer, real: real))
  }

  /// A copy of the value.
  package var value: Value {
    switch kind {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(String(decoding: bytes, as: UTF8.self))
    case .blob: .blob(bytes)
    }
  }

  /// The latest numbers from sources on which other attributes depend, such as a creation date.
  ///
  /// Keeping them avoids generating a number several times per row.
  struct RowMemory: Sendable {
    /// The identity of a source.
    ///
    /// It is never reused, because a cell may exist longer than a dataset.
    struct Source: Hashable, Sendable {
      private static let last = Atomic<Int>(0)

      fileprivate let number: Int

      init() {
        number = Self.last.add(1, ordering: .relaxed).newValue
      }
    }

    /// The number that a source generated for a row.
    struct Entry: Sendable {
      let source: Source
      let row: Int
      let kind: Cell.Kind
      let integer: Int64
      let real: Double
    }

    private static let places = 32

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
}

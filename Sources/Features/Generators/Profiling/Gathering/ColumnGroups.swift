import DataModel
import Foundation
import PersistentStore
import SQLite

/// The distinct values of a column with their numbers of objects, collected in one pass over the
/// rows.
///
/// With GROUP BY, SQLite would sort all rows again for every query.
final class ColumnGroups {
  /// The maximum number of distinct values, which take about 100 MB of memory.
  ///
  /// If a column has more values, SQLite groups them in temporary files.
  private static let mostValues = 1 << 20
  private static let mostBytes = 64 << 20

  /// The number of objects with a value, including values whose type differs from the attribute's
  /// type.
  private(set) var objects = 0
  private let isText: Bool
  private var numbers: [Double] = []
  /// The concatenated strings, and the end offset of each.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var counts: [Int] = []
  /// A hash table with indices into `counts` plus 1; 0 marks a free slot.
  private var slots = [Int32](repeating: 0, count: 64)

  /// Fails if there are too many values, or if only SQLite can compare some of them.
  init?(_ rows: Statement, isText: Bool) throws {
    self.isText = isText
    while try rows.step() {
      objects += 1
      switch rows.storageClass(at: 0) {
      case .text where isText: rows.withBytes(at: 0, add)
      case _ where isText: return nil
      case .integer:
        let integer = rows.integer(at: 0)
        // Above 2^53, several integers convert to the same double, so leave the comparison to
        // SQLite.
        guard integer.magnitude <= 1 << 53 else { return nil }
        add(Double(integer))
      case .real: add(rows.real(at: 0))
      case .null, .text, .blob: continue
      }
      guard counts.count <= Self.mostValues, bytes.count <= Self.mostBytes else { return nil }
    }
    slots = []
  }

  private func add(_ number: Double) {
    guard number.magnitude <= 1e300 else { return }
    // Adding zero turns -0.0 into 0.0.
    let number = number + 0.0
    let slot = slot(Mixing.spread(number.bitPattern)) { numbers[$0] == number }
    if addsToCount(slot) { numbers.append(number) }
  }

  private func add(_ text: UnsafeRawBufferPointer) {
    let slot = slot(ByteDigest.of(text)) { isEqual($0, text) }
    guard addsToCount(slot) else { return }
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
  }

  private func addsToCount(_ slot: Int) -> Bool {
    guard slots[slot] == 0 else {
      counts[Int(slots[slot]) - 1] += 1
      return false
    }
    counts.append(1)
    slots[slot] = Int32(counts.count)
    return true
  }

  @inline(__always)
  private func slot(_ hash: UInt64, _ isValue: (Int) -> Bool) -> Int {
    if counts.count * 2 >= slots.count { grow() }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0, !isValue(Int(slots[slot]) - 1) { slot = (slot + 1) & mask }
    return slot
  }

  private func grow() {
    slots = [Int32](repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for index in counts.indices {
      let hash =
        isText
        ? withBytes(of: index, ByteDigest.of) : Mixing.spread(numbers[index].bitPattern)
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = Int32(index + 1)
    }
  }

  private func size(_ index: Int) -> Int { ends[index] - start(index) }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

  @inline(__always)
  private func withBytes<Result>(
    of index: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let range = start(index)..<ends[index]
    return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private func isEqual(_ index: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    guard size(index) == text.count, let start = text.baseAddress else {
      return size(index) == text.count
    }
    return withBytes(of: index) {
      $0.baseAddress.map { memcmp($0, start, text.count) == 0 } ?? true
    }
  }

  /// The indices of the values, in SQLite's order.
  private lazy var order: [Int] = {
    guard isText else { return numbers.indices.sorted { numbers[$0] < numbers[$1] } }
    return bytes.withUnsafeBytes { all in
      counts.indices.sorted { left, right in
        let shorter = min(size(left), size(right))
        let (first, second) = (start(left), start(right))
        let comparison = all.baseAddress.map { memcmp($0 + first, $0 + second, shorter) } ?? 0
        return comparison == 0 ? size(left) < size(right) : comparison < 0
      }
    }
  }()

  /// Each distinct number or string size, in ascending order.
  private(set) lazy var ofNumbers: [(number: Double, count: Int)] = {
    guard isText else { return order.map { (numbers[$0], counts[$0]) } }
    var sizes: [Int: Int] = [:]
    for index in counts.indices { sizes[size(index), default: 0] += counts[index] }
    return sizes.sorted { $0.key < $1.key }.map { (Double($0.key), $0.value) }
  }()

  func visit(_ body: (Int, Double) -> Void) {
    for index in order { body(counts[index], isText ? Double(size(index)) : numbers[index]) }
  }

  func texts(most: Int) -> [KeptText] {
    // `sorted` is stable: strings with equal counts keep their order.
    order.sorted { counts[$0] > counts[$1] }.prefix(most).map { index in
      KeptText(
        text: withBytes(of: index) { String(decoding: $0, as: UTF8.self) },
        count: counts[index]
      )
    }
  }
}

extension ColumnGroups {
  /// The groups of the most recently queried column, which a profile queries several times.
  final class Last {
    private var key: String?
    private var groups: ColumnGroups?

    func groups(_ key: String, _ make: () throws -> ColumnGroups?) throws -> ColumnGroups? {
      if self.key != key {
        groups = nil
        (groups, self.key) = (try make(), key)
      }
      return groups
    }
  }
}

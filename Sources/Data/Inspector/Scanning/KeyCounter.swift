import DataModel
import PersistentStore
import SQLite

/// Counts the values that several objects share, by their 64-bit hashes.
///
/// A hash is eight bytes an object; two differing values collide by accident once in about 2^64
/// pairs. Beyond the limit nothing is counted.
struct KeyCounter {
  /// The most objects of a table, all its keys together: 128 MB of hashes.
  static let limit = 16_000_000

  let properties: [String]
  let isConstraint: Bool
  /// Where each property's value stands in a row; of blobs the small value.
  var positions: [Int] = []
  private let capacity: Int
  private var hashes: [UInt64] = []
  private var isOverflown = false

  init(_ properties: [String], isConstraint: Bool, capacity: Int) {
    self.properties = properties
    self.isConstraint = isConstraint
    self.capacity = capacity
  }

  /// Takes the value of the current row; one with a NULL is no duplicate of any other.
  mutating func add(_ row: Statement) {
    guard !isOverflown else { return }
    var hash: UInt64 = 0
    for position in positions {
      let part: UInt64
      switch row.storageClass(at: position) {
      case .null: return
      case .integer: part = UInt64(bitPattern: row.integer(at: position))
      case .real: part = row.real(at: position).bitPattern ^ 0x5555_5555_5555_5555
      case .text: part = row.withBytes(at: position) { ByteDigest.of($0) } ^ 1
      case .blob: part = row.withBytes(at: position) { ByteDigest.of($0) }
      }
      hash = Mixing.spread(hash ^ part)
    }
    hashes.append(hash)
    if hashes.count > capacity {
      isOverflown = true
      hashes = []
    }
  }

  /// `nil` where there were more values than could be kept.
  mutating func survey() -> KeySurvey? {
    guard !isOverflown else { return nil }
    var survey = KeySurvey(properties: properties, isConstraint: isConstraint)
    survey.count = Int64(hashes.count)
    hashes.sort()
    var start = 0
    while start < hashes.count {
      var end = start + 1
      while end < hashes.count, hashes[end] == hashes[start] { end += 1 }
      let size = Int64(end - start)
      if size > 1 {
        survey.duplicatedValues += 1
        survey.surplus += size - 1
      }
      survey.largestGroup = max(survey.largestGroup, size)
      start = end
    }
    hashes = []
    return survey
  }
}

/// The distribution of numbers, summarized in bounded memory for quantiles and histograms.
///
/// Values whose leading bits agree share a bucket. As few trailing bits as possible are dropped to
/// keep at most ``largestSize`` buckets. A few distinct values therefore stay exact, and many
/// values have a bounded relative error. The result does not depend on the order of the values.
package struct QuantileSketch: Equatable, Sendable {
  /// The maximum number of buckets.
  package static let largestSize = 1024

  /// A range of neighboring values that are counted together.
  package struct Bucket: Equatable, Sendable {
    /// The smallest and the largest value of the bucket.
    package let range: ClosedRange<Double>
    package let count: Int
  }

  /// The number of values.
  package private(set) var count = 0
  package private(set) var minimum: Double?
  package private(set) var maximum: Double?
  private var table = CountTable()
  private var shift: Int64 = 0

  package init() {}

  /// Whether no bits are dropped, so that quantiles are values that were added.
  package var isExact: Bool { shift == 0 }

  /// Adds a value; NaN is skipped.
  package mutating func add(_ value: Double) {
    guard !value.isNaN else { return }
    count += 1
    minimum = min(minimum ?? value, value)
    maximum = max(maximum ?? value, value)
    table.add(Self.order(of: value) >> shift)
    if table.count > Self.largestSize { coarsen() }
  }

  /// The buckets in the order of their values.
  package var buckets: [Bucket] {
    table.sorted.map { key, count in
      // `shift` is less than 64, and each key was shifted right by it, so shifting the key back
      // cannot overflow.
      let low = Self.value(of: key << shift)
      let high = Self.value(of: key << shift | ((1 << shift) - 1))
      let clampedLow = max(low.isNaN ? -.infinity : low, minimum ?? low)
      let clampedHigh = min(high.isNaN ? .infinity : high, maximum ?? high)
      return Bucket(range: clampedLow...max(clampedLow, clampedHigh), count: count)
    }
  }

  /// Returns the quantile for a share from 0 to 1; `nil` if there are no values.
  package func quantile(_ share: Double) -> Double? {
    guard let minimum, let maximum else { return nil }
    if share <= 0 { return minimum }
    if share >= 1 { return maximum }
    let rank = Int((share * Double(count)).rounded(.up))
    var seen = 0
    for bucket in buckets {
      seen += bucket.count
      guard seen >= rank else { continue }
      guard bucket.range.lowerBound < bucket.range.upperBound else {
        return bucket.range.lowerBound
      }
      let middle = bucket.range.lowerBound / 2 + bucket.range.upperBound / 2
      return middle.isFinite ? middle : bucket.range.lowerBound
    }
    return maximum
  }

  /// Counts the values in bins of equal width between two bounds.
  ///
  /// A bucket that crosses a boundary is counted in the bin that contains its middle.
  package func histogram(bins: Int, from low: Double, to high: Double) -> [Int] {
    var result = Array(repeating: 0, count: max(1, bins))
    let width = high - low
    guard width > 0, width.isFinite else {
      result[0] = count
      return result
    }
    for bucket in buckets {
      let middle = bucket.range.lowerBound / 2 + bucket.range.upperBound / 2
      let share = (middle - low) / width
      let place = share.isFinite ? min(max(share, 0), 1) * Double(result.count) : 0
      result[min(Int(place), result.count - 1)] += bucket.count
    }
    return result
  }

  private mutating func coarsen() {
    var next = shift
    var coarse = table
    // Drop no more bits than needed; otherwise the result would depend on the order of the values.
    while coarse.count > Self.largestSize, next < 62 {
      next += 1
      coarse = Self.shifted(table, by: next - shift)
    }
    table = coarse
    shift = next
  }

  private static func shifted(_ table: CountTable, by shift: Int64) -> CountTable {
    var result = CountTable()
    for (key, amount) in table.sorted { result.add(key >> shift, amount) }
    return result
  }

  /// Returns the bits of a double as an integer with the same order.
  private static func order(of value: Double) -> Int64 {
    // Adding zero turns -0.0 into 0.0.
    let bits = Int64(bitPattern: (value + 0.0).bitPattern)
    return bits ^ ((bits >> 63) & Int64.max)
  }

  private static func value(of order: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: order ^ ((order >> 63) & Int64.max)))
  }
}

/// Counts of whole numbers in bins, so that percentiles of any number of values fit in little memory.
///
/// Values below 32 have bins of their own; above, a bin is at most 1/16 of its values wide, so a
/// percentile is at most 6.3 % too high.
package struct Histogram: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var sum = 0
  package private(set) var smallest = 0
  package private(set) var largest = 0
  private var bins: [UInt32] = []

  private static let exact = 32
  private static let perOctave = 16

  package init() {}

  /// Counts a value; negative ones count as 0.
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

  /// The smallest upper bound of a bin below which at least this share of the values lies.
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

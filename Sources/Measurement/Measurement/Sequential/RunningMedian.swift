/// The median of the values so far, the mean of the middle two where their number is even.
struct RunningMedian: Sendable {
  private var sorted: [Double] = []

  /// The median; 0 before the first value.
  var value: Double {
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  mutating func add(_ value: Double) {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    sorted.insert(value, at: low)
  }
}

extension RunningMedian {
  init(of values: [Double]) {
    sorted = values.sorted()
  }
}

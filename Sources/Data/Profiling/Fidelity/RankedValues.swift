import DataModel

/// How many objects have the commonest values of a column, and how many values the others have.
struct RankedValues {
  let objects: Int
  /// The shares of the commonest values among all objects.
  let shares: [Double]
  /// Objects whose value is none of the commonest, and their values.
  let otherObjects: Int
  private let otherValues: Int

  /// Counts the values that are none of the numbers with a bin of their own.
  init(
    _ columns: EntityColumns,
    _ attribute: Attribute,
    ranks: Int,
    points: Set<Double>
  ) throws {
    var sizes: [Int: Int] = [:]
    try columns.forEachValue(attribute) { count, number in
      if !points.contains(number) { sizes[count, default: 0] += 1 }
    }
    let sorted = sizes.sorted { $0.key > $1.key }
    let objects = sorted.reduce(0) { $0 + $1.key * $1.value }
    var top: [Int] = []
    for (size, values) in sorted {
      top += Array(repeating: size, count: min(values, ranks - top.count))
    }
    self.objects = objects
    shares = top.map { Double($0) / Double(max(objects, 1)) }
    otherObjects = objects - top.reduce(0, +)
    otherValues = sorted.reduce(0) { $0 + $1.value } - top.count
  }

  var valuesPerObject: Double { Double(otherValues) / Double(max(otherObjects, 1)) }
}

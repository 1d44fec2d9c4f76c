/// What has to be known of a column's numbers before bins can be chosen.
struct ValueSummary {
  /// Objects with a number, and different numbers.
  private(set) var objects = 0
  private(set) var values = 0
  /// The k-th smallest and the k-th largest number, objects of one number counted each.
  private(set) var low = 0.0
  private(set) var high = 0.0
  private(set) var wholeObjects = 0
  private(set) var dayObjects = 0
  /// Numbers that k objects have and that tell nothing of any of them: 0, and small whole ones.
  private(set) var points: [(number: Double, count: Int)] = []

  /// Whole numbers of counts, codes and short lengths.
  private static let smallNumbers = -1.0...127.0

  init(of counts: ValueCounts, k: Int, isWhole: Bool, hasPoints: Bool) throws {
    var before = 0
    var tail: [(number: Double, count: Int)] = []
    var tailCount = 0
    try counts.visit { number, count in
      values += 1
      objects += count
      if number == number.rounded() { wholeObjects += count }
      if number / 86_400 == (number / 86_400).rounded() { dayObjects += count }
      let isSmall =
        isWhole ? Self.smallNumbers.contains(number) && number == number.rounded() : number == 0
      if hasPoints, isSmall, count >= k {
        points.append((number, count))
        return
      }
      if before < k { low = number }
      before += count
      tail.append((number, count))
      tailCount += count
      while let first = tail.first, tailCount - first.count >= k {
        tail.removeFirst()
        tailCount -= first.count
      }
    }
    high = max(low, tail.first?.number ?? low)
  }

  /// Objects whose number is no point of its own.
  var spreadObjects: Int { objects - points.reduce(0) { $0 + $1.count } }
  var spreadValues: Int { values - points.count }
}

import Runner

/// The times of one case compared with itself, block by block, for rules that want samples.
struct TraceRecord: LedgerRecord {
  static let columns =
    Conditions.columns + ["case", "layout", "seconds", "headFirst", "base", "head"]

  var conditions: Conditions
  var id: String
  var layout: TraceRunner.Layout
  var seconds: Double
  var isHeadFirst: [Bool]
  /// Nanoseconds of a side in each block.
  var base: [Double]
  var head: [Double]

  var fields: [String] {
    let times = [base, head].map { $0.map { Decimals.text($0, 0) }.joined(separator: " ") }
    let coins = isHeadFirst.map { $0 ? "1" : "0" }.joined()
    return conditions.fields + [id, layout.rawValue, Decimals.text(seconds, 2), coins] + times
  }

  /// All times of both sides as they followed each other; of blocks that are not interleaved.
  var inTime: [Double] {
    zip(isHeadFirst, zip(base, head)).flatMap { $0 ? [$1.1, $1.0] : [$1.0, $1.1] }
  }
}

extension TraceRecord {
  init?(fields: [String]) {
    guard let conditions = Conditions(fields: fields) else { return nil }
    let own = Array(fields.dropFirst(Conditions.columns.count))
    guard own.count == 6, let layout = TraceRunner.Layout(rawValue: own[1]),
      let seconds = Double(own[2])
    else { return nil }
    let times = own[4...5].map { $0.split(separator: " ").compactMap { Double($0) } }
    let coins = own[3].map { $0 == "1" }
    guard times[0].count == coins.count, times[1].count == coins.count,
      times.allSatisfy({ $0.allSatisfy { $0 > 0 } })
    else { return nil }
    self.init(
      conditions: conditions,
      id: own[0],
      layout: layout,
      seconds: seconds,
      isHeadFirst: coins,
      base: times[0],
      head: times[1]
    )
  }
}

/// Under which conditions a record was taken: the columns that all ledgers begin with.
struct Conditions: Equatable {
  static let columns = ["commit", "load", "loadAverage", "seed"]

  /// Of the measured build; `+changes` behind it where its sources had some.
  var commit: String
  /// Whether the bench kept the machine busy besides.
  var hasOtherLoad: Bool
  /// Of the last minute before, which also sees what others do on the machine.
  var loadAverage: Double
  /// Decided the coins.
  var seed: UInt64

  /// For a line of progress, behind what was done.
  var note: String { hasOtherLoad ? ", other load" : "" }

  var fields: [String] {
    [
      commit, hasOtherLoad ? "other" : "quiet", Decimals.text(loadAverage, 2), String(seed),
    ]
  }

  init(commit: String, hasOtherLoad: Bool, loadAverage: Double, seed: UInt64) {
    self.commit = commit
    self.hasOtherLoad = hasOtherLoad
    self.loadAverage = loadAverage
    self.seed = seed
  }

  init?(fields: [String]) {
    guard fields.count >= Self.columns.count, let average = Double(fields[2]),
      let seed = UInt64(fields[3]), ["other", "quiet"].contains(fields[1])
    else { return nil }
    self.init(
      commit: fields[0],
      hasOtherLoad: fields[1] == "other",
      loadAverage: average,
      seed: seed
    )
  }
}

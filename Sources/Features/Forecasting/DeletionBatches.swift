import Runner

/// Duplicates that are merged object by object and saved batch by batch.
///
/// Each further batch reads the keys again of all objects that the deleted ones lead to, so that the
/// cost is the product of the objects and the batches. A ladder with a single batch shows nothing of it.
struct DeletionBatches {
  static let counter = "objects.deleted"

  /// The objects of a store whose duplicates fill one batch.
  let size: Double

  /// Reads the share of the objects that are deleted off the largest rung; `nil` if none are, or
  /// nothing is done in batches.
  init?(_ rungs: [Rung], batchSize: Int?) {
    guard let batchSize, batchSize > 0, let top = rungs.last,
      let deleted = top.counters[Self.counter], deleted > 0
    else { return nil }
    size = Double(batchSize) / deleted * top.size
  }

  /// Where the second batch begins.
  var bend: Forecast.Bend {
    Forecast.Bend(name: "duplicates are merged in several batches", size: size)
  }

  /// The size, where the ladder has several batches to learn from.
  func seen(to top: Double) -> Double? { size < top * Forecast.Bend.seen ? size : nil }
}

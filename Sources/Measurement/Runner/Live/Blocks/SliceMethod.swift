import Measurement

/// How one case is cut into slices, found once and the same on both sides.
enum SliceMethod: Hashable, Sendable {
  /// A slice is so many iterations of work that leaves the store as it is.
  case iterations(Int)
  /// A slice is a length of time of one long `run`, in nanoseconds.
  case quanta(UInt64)

  var statistic: BlockStatistic {
    switch self {
    case .iterations: .lowerFifths
    case .quanta: .ratioOfSums
    }
  }
}

/// Finds how a case is cut, from what the base does.
struct SliceCalibration {
  let arm: LiveArm
  let slicing: Slicing
  let isStopped: @Sendable () -> Bool

  private static let mostIterations = 1 << 20

  /// Runs the base alone until a slice takes half the target or more.
  func method(on trial: Trial) throws -> SliceMethod {
    let quanta = SliceMethod.quanta(UInt64(slicing.target * 1e9))
    // One run changes the store, or warms it: there is no second one to slice between.
    guard arm.planned.traits.onlyReads, arm.file.trials.cache == .warm else { return quanta }
    let process = try LockstepProcess(arm, trial: trial, padding: 0, isStopped: isStopped)
    try process.awaitReady()
    // The first iteration fills the page cache.
    _ = try process.run(iterations: 1)
    var count = 1
    while true {
      let seconds = Double(try process.run(iterations: count)) / 1e9
      if count == 1, seconds > Slicing.coarse / 2 { return quanta }
      if seconds >= slicing.target / 2 || count >= Self.mostIterations {
        return .iterations(max(1, Int((slicing.target / seconds * Double(count)).rounded())))
      }
      count *= 2
    }
  }
}

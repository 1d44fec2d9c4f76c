import Measurement

/// What a clock is too coarse for: below 100 times its resolution no time is reported.
struct ClockFloor {
  /// Seconds.
  let wallClock: Double
  // getrusage counts whole microseconds.
  private let processor = 100e-6

  init(resolution: Double) {
    wallClock = 100 * resolution
  }

  /// Splits samples into those to report and the names of the times that are too short.
  func split(_ samples: [Sample]) -> (reported: [Sample], tooShort: [String]) {
    var (reported, tooShort): ([Sample], [String]) = ([], [])
    for sample in samples {
      let isProcessor = [Metric.userCPU, .systemCPU].map(\.name).contains(sample.metric.name)
      let floor = isProcessor ? processor : wallClock
      if sample.metric.unit == .seconds, let median = sample.median, median < floor {
        // Processor times this short say nothing; that the wall clock's is missing does.
        if !isProcessor { tooShort.append(sample.metric.name) }
      } else {
        reported.append(sample)
      }
    }
    return (reported, tooShort)
  }
}

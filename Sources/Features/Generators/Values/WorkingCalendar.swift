import DataModel

/// The distribution of activity over the hours of a week.
///
/// It converts between times and shares of the activity, and preserves their order. Times are in
/// seconds since 2001-01-01, a Monday.
struct WorkingCalendar: Sendable {
  private let before: [Double]

  init(_ pattern: Pattern) {
    var before: [Double] = [0]
    for hour in 0..<168 {
      before.append(before[hour] + Self.weight(pattern, isWeekend: hour >= 120, hour: hour % 24))
    }
    self.before = before
  }

  private static func weight(_ pattern: Pattern, isWeekend: Bool, hour: Int) -> Double {
    switch (pattern, isWeekend, hour) {
    case (.any, _, _): 1
    case (_, _, 0..<6): 1
    case (.working, true, _): 4
    case (.working, false, 12): 30
    case (.working, false, 8..<18): 64
    case (.working, false, _): 8
    case (.leisure, true, 9..<23): 48
    case (.leisure, false, 18..<23): 64
    case (.leisure, _, _): 10
    }
  }

  private static let week = 604_800.0

  /// Whether a time falls on Monday to Friday, 8:00 to 18:00.
  static func isWorkingHour(_ time: Double) -> Bool {
    let inWeek = time - (time / week).rounded(.down) * week
    let hour = Int(inWeek / 3_600)
    return hour < 120 && (8..<18).contains(hour % 24)
  }

  func activity(until time: Double) -> Double {
    let weeks = (time / Self.week).rounded(.down)
    let hours = (time - weeks * Self.week) / 3_600
    let hour = min(max(Int(hours), 0), 167)
    let inHour = (before[hour + 1] - before[hour]) * (hours - Double(hour))
    return weeks * before[168] + before[hour] + inHour
  }

  func time(at activity: Double) -> Double {
    let weeks = (activity / before[168]).rounded(.down)
    let rest = activity - weeks * before[168]
    var (low, high) = (0, 168)
    while high - low > 1 {
      let middle = (low + high) / 2
      if before[middle] <= rest { low = middle } else { high = middle }
    }
    let fraction = (rest - before[low]) / (before[low + 1] - before[low])
    return weeks * Self.week + (Double(low) + fraction) * 3_600
  }

  enum Pattern: String, CaseIterable, Hashable, Sendable {
    case any
    /// Activity from Monday to Friday, 8:00 to 18:00, with a dip at noon.
    case working
    /// Activity in the evenings and on weekends.
    case leisure
  }
}

import DataModel

/// Reads the bins of a profile.
struct ProfileBinsReader {
  private static let mostBins = 1_000
  private static let mostObjects = 1_000_000_000

  let k: Int

  /// Bins in rising order; what is no bin is reported.
  func bins(_ value: YAMLValue, isDate: Bool = false) -> [Bin] {
    guard let items = value.items() else { return [] }
    guard items.count <= Self.mostBins else {
      value.report("\(value.name) has \(items.count) bins, and may have \(Self.mostBins)")
      return []
    }
    return items.compactMap { bin($0, isDate: isDate) }
  }

  /// A number of objects that is at least k.
  func count(_ value: YAMLValue) -> Int? { value.integer(in: k...Self.mostObjects) }

  private func bin(_ value: YAMLValue, isDate: Bool) -> Bin? {
    guard let items = value.items() else { return nil }
    guard (2...3).contains(items.count), let last = items.last else {
      value.report("\(value.name) must be [from, to, objects] or [number, objects]")
      return nil
    }
    let ends = items.dropLast().compactMap { isDate ? month($0) : number($0) }
    guard ends.count == items.count - 1, let count = count(last) else { return nil }
    guard ends.count == 1 || ends[0] < ends[1] else {
      value.report("\(value.name) must begin below its end")
      return nil
    }
    return Bin(from: ends[0], to: ends[ends.count - 1], count: count)
  }

  private func number(_ value: YAMLValue) -> Double? {
    guard let number = value.number() else { return nil }
    guard abs(number) <= 1e300 else {
      value.report("\(value.name) is out of range")
      return nil
    }
    return number
  }

  private func month(_ value: YAMLValue) -> Double? {
    guard let text = value.string() else { return nil }
    guard let month = CalendarMonth(iso8601: text) else {
      value.report("\(value.name) must be a month such as 2026-04, not '\(text.prefix(20))'")
      return nil
    }
    return month.seconds
  }
}

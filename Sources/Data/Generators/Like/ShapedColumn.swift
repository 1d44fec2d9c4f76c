import DataModel
import Profiling

/// The values of an attribute as a profile describes them.
package struct ShapedColumn: Hashable, Sendable {
  package var profile: ColumnProfile
  /// Whether no two objects may have the same value, whatever the profile says.
  package var isUnique: Bool
  /// Which of how many series the values are one of, so that those of two entities differ.
  package var series: Int
  package var seriesCount: Int

  package init(_ profile: ColumnProfile, isUnique: Bool, series: Int, seriesCount: Int) {
    self.profile = profile
    self.isUnique = isUnique
    self.series = series
    self.seriesCount = seriesCount
  }
}

extension ColumnProfile {
  /// A profile for an attribute of which nothing is known.
  static func unknown(_ attribute: Attribute) -> ColumnProfile {
    var profile = ColumnProfile(name: attribute.name, measure: attribute.type.measure)
    switch (profile.measure, attribute.type) {
    case (_, .boolean): profile.bins = [Bin(from: 0, to: 2, count: 1)]
    case (.numbers, _): profile.bins = [Bin(from: 0, to: 100, count: 1)]
    case (.dates, _):
      let (first, last) = (CalendarMonth(index: 24 * 12), CalendarMonth(index: 25 * 12))
      profile.bins = [Bin(from: first.seconds, to: last.seconds, count: 1)]
    case (.lengths, _): profile.bins = [Bin(from: 8, to: 17, count: 1)]
    case (.sizes, _): profile.bins = [Bin(from: 16, to: 65, count: 1)]
    case (.none, _): break
    }
    return profile
  }
}

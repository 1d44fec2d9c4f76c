import DataModel
import SQLite

extension ConnectionSettings {
  private static let changeable = [
    "busy_timeout", "cache_size", "foreign_keys", "journal_mode", "synchronous",
    "wal_autocheckpoint",
  ]

  /// Sets what a pragma sets; returns what is wrong with it, or `nil`.
  mutating func set(_ pragma: SideText.Pragma) -> String? {
    let value = pragma.value.lowercased()
    switch pragma.name.lowercased() {
    case "busy_timeout":
      return set(\.busyTimeout, value, in: 0...3_600_000)
    case "cache_size":
      // A negative size is one in KiB, whose pages depend on the build (sqlite.md, section 1).
      return set(\.cachePages, value, in: 1...100_000_000)
    case "foreign_keys":
      guard let isOn = ["on": true, "1": true, "off": false, "0": false][value] else {
        return "is on or off"
      }
      usesForeignKeys = isOn
    case "journal_mode":
      guard let mode = JournalMode(rawValue: value) else {
        return "is one of \(JournalMode.allCases.map(\.rawValue).joined(separator: ", "))"
      }
      journalMode = mode
    case "synchronous":
      guard let mode = Synchronous(rawValue: value) else {
        return "is one of \(Synchronous.allCases.map(\.rawValue).joined(separator: ", "))"
      }
      synchronous = mode
    case "wal_autocheckpoint":
      return set(\.walAutocheckpoint, value, in: 0...1_000_000_000)
    case "page_size", "auto_vacuum":
      return "belongs to the store's file: compare two workload files with stores of their own"
    default:
      return "is none that can be set: \(Self.changeable.joined(separator: ", "))"
        + didYouMean(pragma.name, among: Self.changeable)
    }
    return nil
  }

  private mutating func set(
    _ setting: WritableKeyPath<ConnectionSettings, Int>,
    _ text: String,
    in range: ClosedRange<Int>
  ) -> String? {
    guard let number = Int(text), range.contains(number) else {
      return "is a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    self[keyPath: setting] = number
    return nil
  }
}

import Basics
import DataModel
import SQLite

extension PlannedWorkload {
  /// Refuses settings of the file that no case feels: a change to one would pass unseen.
  func reportIdleSettings(in planned: [Case], to diagnostics: Diagnostics) {
    guard !planned.isEmpty else { return }
    for (name, place) in file.settingPlaces.sorted(by: { $0.key < $1.key }) {
      guard let reason = reason(againstSetting: name, in: planned) else { continue }
      diagnostics.report(
        "'\(name)' has no effect on any case of this file: \(reason); leave it out",
        at: place
      )
    }
  }

  /// Why a setting changes nothing; `nil` where it may.
  private func reason(againstSetting name: String, in planned: [Case]) -> String? {
    let onlyRead = planned.allSatisfy(\.traits.onlyReads)
    switch name {
    case "synchronous", "journalMode":
      // A connection that only reads leaves the file's journal as it is, and syncs nothing.
      return onlyRead ? "they only read" : nil
    case "walAutocheckpoint":
      if onlyRead { return "they only read" }
      return file.settings.journalMode == .wal
        ? nil
        : "a store in journal mode '\(file.settings.journalMode.rawValue)' has no write-ahead log"
    case "foreignKeys":
      // The strategy of a deletion that needs them sets them itself.
      guard case .recipe = file.store else { return nil }
      return "stores of Core Data and SwiftData have no foreign keys"
    case "busyTimeout":
      return planned.contains(where: \.traits.isConcurrent)
        ? nil : "nothing else has the store open, so no lock is waited for"
    default: return nil
    }
  }
}

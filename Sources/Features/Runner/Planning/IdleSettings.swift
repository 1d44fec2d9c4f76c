import Basics
import DataModel
import SQLite

extension PlannedWorkload {
  /// Reports settings of the workload file that affect no case, because a change to them would go
  /// unnoticed.
  func reportIdleSettings(to diagnostics: Diagnostics) {
    guard !cases.isEmpty else { return }
    for (name, place) in file.settingPlaces.sorted(by: { $0.key < $1.key }) {
      guard let reason = reason(againstSetting: name) else { continue }
      diagnostics.report(
        "'\(name)' has no effect on any case of this file: \(reason); leave it out",
        at: place
      )
    }
  }

  private func reason(againstSetting name: String) -> String? {
    let onlyRead = cases.allSatisfy(\.traits.onlyReads)
    switch name {
    case "synchronous":
      if file.kind.axes.contains(where: { $0.name == "durability" }) {
        return "the parameter 'durability' decides it"
      }
      return onlyRead ? "they only read" : nil
    case "walAutocheckpoint":
      if onlyRead { return "they only read" }
      return file.settings.journalMode == .wal
        ? nil
        : "a store in journal mode '\(file.settings.journalMode.rawValue)' has no write-ahead log"
    case "busyTimeout":
      return cases.contains(where: \.traits.isConcurrent)
        ? nil : "nothing else has the store open, so no lock is waited for"
    default: return nil
    }
  }
}

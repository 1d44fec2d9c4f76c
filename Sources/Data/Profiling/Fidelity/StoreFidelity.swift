import DataModel
import PersistentStore
import SQLite

/// Compares the shape of a store with that of the one it was made after.
package struct StoreFidelity {
  private let profile: StoreProfile
  private let original: StoreContent
  private let made: StoreContent
  /// How many times the original's objects are expected; `nil` for any number.
  private let scale: Double?
  /// Told the name of each entity before it is compared.
  package var progress: (String) -> Void = { _ in }

  /// Compares by the original's profile, whose bins say what was to be reproduced.
  package init(
    profile: StoreProfile,
    original: StoreContent,
    made: StoreContent,
    scale: Double?
  ) {
    self.profile = profile
    self.original = original
    self.made = made
    self.scale = scale
  }

  package func report() throws -> FidelityReport {
    var report = FidelityReport()
    for entity in profile.entities {
      guard let objects = entity.objects else {
        report.unknown.append(entity.name)
        continue
      }
      guard let first = EntityColumns(entity.name, in: original),
        let second = EntityColumns(entity.name, in: made)
      else {
        report.missing.append(entity.name)
        continue
      }
      progress(entity.name)
      let count = try second.objectCount()
      if let scale {
        let wanted = Double(objects) * scale
        report.add(
          .objects,
          abs(Double(count) - wanted) / max(wanted, 1),
          limit: 1 / max(wanted, 1),
          of: entity.name
        )
      }
      let comparison = EntityFidelity(
        profile: entity,
        k: profile.k,
        first: first,
        second: second,
        objects: (objects, count)
      )
      try comparison.compare(into: &report)
    }
    if let history = profile.history {
      try HistoryFidelity(profile: history, k: profile.k, original: original, made: made)
        .compare(into: &report)
    }
    return report
  }
}

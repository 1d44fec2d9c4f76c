import DataModel

/// The forms of statements that a range of framework versions wrote (coredata-format.md, sections
/// 4 to 6 and 15).
package enum LayoutGeneration: Int, CaseIterable, Comparable, Hashable, Sendable {
  /// Below 847, up to iOS 10: other names of indexes, unique constraints inside the tables.
  case legacyIndexes
  /// 847 to 865, iOS 11: fetch indexes, but unique constraints inside the tables.
  case constraintsInTables
  /// 866 to 1029, iOS 12 and 13: as today, but for the order of the Z_FOK columns.
  case unorderedKeys
  /// From 1030 on, iOS 14.
  case current

  /// The generation of a framework version; of version 0, which no store has, the current one.
  package init(framework: Int) {
    switch framework {
    case 1..<847: self = .legacyIndexes
    case 847..<866: self = .constraintsInTables
    case 866..<1030: self = .unorderedKeys
    default: self = .current
    }
  }

  package static func < (first: LayoutGeneration, second: LayoutGeneration) -> Bool {
    first.rawValue < second.rawValue
  }

  /// Whether unique constraints are part of the table's statement, not indexes of their own.
  var keepsConstraintsInTables: Bool { self <= .constraintsInTables }

  /// Checks that stores of a framework version can be written.
  ///
  /// Throws ``PersistentStoreError/unwritableLayout(framework:reason:)``.
  package static func checkWritable(framework: Int, keepsHistory: Bool) throws {
    guard let obstacle = obstacle(framework: framework, keepsHistory: keepsHistory) else { return }
    throw PersistentStoreError.unwritableLayout(framework: framework, reason: obstacle)
  }

  /// Why no store of a framework version can be written, or `nil` where it can.
  package static func obstacle(framework: Int, keepsHistory: Bool) -> String? {
    if LayoutGeneration(framework: framework) == .legacyIndexes {
      return "layouts before 847 (iOS 11) are read, not written"
    }
    // The history tables of iOS 11 and 12 were seen in one store, their text in none.
    return keepsHistory && framework < 973
      ? "the history tables before 973 (iOS 13) are not known to the letter" : nil
  }
}

extension StoreLayout {
  /// The layout that a framework version gives a model, in a file that has some tables.
  ///
  /// The tables say whether history is kept, and which name a join table has where either would do.
  package init(model: Model, framework: Int, tables: Set<String>) {
    self.init(
      model: model,
      keepsHistory: tables.contains("ATRANSACTION"),
      generation: LayoutGeneration(framework: framework),
      existing: tables
    )
  }

  /// The layout in which a framework version writes new stores.
  ///
  /// Throws ``PersistentStoreError/unwritableLayout(framework:reason:)``.
  package init(model: Model, keepsHistory: Bool, writableBy framework: Int) throws {
    try LayoutGeneration.checkWritable(framework: framework, keepsHistory: keepsHistory)
    self.init(
      model: model,
      keepsHistory: keepsHistory,
      generation: LayoutGeneration(framework: framework)
    )
  }
}

import PersistentStore

/// How far a store's tables and indexes are those of a fresh store of its model.
package struct LayoutSurvey: Encodable, Equatable, Sendable {
  /// How many of one kind of thing are the same to the character as the model's.
  package struct Share: Encodable, Equatable, Sendable {
    package var same: Int
    package var all: Int
  }

  /// The range of frameworks whose forms of statements the store is compared with.
  package var generation: String
  package var tables: Share
  package var indexes: Share
  /// Whether every statement of the file is one that its own framework writes for the model.
  package var isFresh: Bool
  /// What is not the same to the character as today's frameworks write it, in the file's order.
  package var differences: [LayoutEntry]

  init(_ comparison: LayoutComparison) {
    func share(_ kind: LayoutEntry.Kind) -> Share {
      let entries = comparison.entries.filter { $0.kind == kind }
      return Share(same: entries.count { $0.state == .same }, all: entries.count)
    }
    generation = comparison.generation.words
    tables = share(.table)
    indexes = share(.index)
    isFresh = comparison.entries.allSatisfy {
      [.same, .olderLayout, .notWritten].contains($0.state)
    }
    differences = comparison.entries.filter { $0.state != .same }
  }

  func differences(in state: LayoutEntry.State) -> [LayoutEntry] {
    differences.filter { $0.state == state }
  }
}

extension LayoutGeneration {
  /// The frameworks of the generation, in a few words.
  fileprivate var words: String {
    switch self {
    case .legacyIndexes: "before 847 (up to iOS 10)"
    case .constraintsInTables: "847 to 865 (iOS 11)"
    case .unorderedKeys: "866 to 1029 (iOS 12 and 13)"
    case .current: "1030 or later (iOS 14 on)"
    }
  }
}

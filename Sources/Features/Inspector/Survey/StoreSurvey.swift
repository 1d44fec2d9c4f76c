import DataModel
import PersistentStore

/// The result of inspecting one store.
package struct StoreSurvey: Encodable, Equatable, Sendable {
  package var path: String
  /// Bytes of the main file.
  package var bytes: Int64
  package var file: FileHeader
  package var wal: WriteAheadLog?
  package var metadata: Metadata
  /// How the tables and indexes are those of the model; `nil` without a model.
  package var layout: LayoutSurvey?
  package var entities: [EntitySurvey] = []
  package var history: History?
  package var externalData: ExternalData?
  package var space: Space
  /// The unknown parts of the model's archive, by name.
  package var unknownInModel: [String] = []
  package var findings: [Finding] = []

  /// Objects of all entities.
  package var objectCount: Int64 { entities.reduce(0) { $0 &+ $1.count } }

  /// The rules by which a part of the store was not read; none where all of it was.
  var gaps: [String] {
    let rules = ["changedMeanwhile", "gaveUp", "noModel", "oversizedValue", "unreadable"]
    return rules.filter { rule in findings.contains { $0.rule == rule } }
  }

  /// A store's Z_METADATA and model cache, and what the frameworks would miss there.
  package struct Metadata: Encodable, Equatable, Sendable {
    package var uuid: String
    package var frameworkVersion: Int
    /// The systems that came with the framework, by what real stores show.
    package var systems: String?
    package var flavour: Flavour
    /// Why the flavour is thought to be so.
    package var flavourEvidence: [String]
    package var versionIdentifiers: [String]
    /// The entities' version hashes, base64.
    package var versionHashes: [String: String]
    /// The store's digest of them.
    package var hashesDigest: String?
    package var modelChecksum: String?
    /// What it lacks compared with stores of Apple's frameworks; empty if it is complete.
    package var missingForOpening: [String]
    /// An app's own keys.
    package var otherKeys: [String]

    /// Whether no model can be compatible with the store: it is found by the hashes of its entities
    /// (`NSManagedObjectModel.isConfiguration(withName:compatibleWithStoreMetadata:)`).
    package var fitsNoModel: Bool { versionHashes.isEmpty }
  }

  /// The persistent history of a store.
  package struct History: Encodable, Equatable, Sendable {
    package struct Count: Encodable, Equatable, Sendable {
      package var name: String
      package var count: Int64
    }

    package var transactions: Int64 = 0
    package var changes: Int64 = 0
    package var insertions: Int64 = 0
    package var updates: Int64 = 0
    package var deletions: Int64 = 0
    /// Deletions that keep a value of the object.
    package var tombstones: Int64 = 0
    /// Seconds since 2001-01-01 00:00:00 UTC of the first and the last transaction.
    package var first: Double?
    package var last: Double?
    /// Transactions by author, context, process and bundle: `author Sync`, the most frequent first.
    package var authors: [Count] = []
    /// Changes by entity, the most frequent first.
    package var changesByEntity: [Count] = []
    /// Bytes of the history's tables and indexes; `nil` if SQLite cannot say.
    package var bytes: Int64?
  }

  /// The folder of a store's external storage.
  package struct ExternalData: Encodable, Equatable, Sendable {
    package var references = 0
    package var missing = 0
    package var malformed = 0
    package var orphaned = 0
    package var orphanedBytes: Int64 = 0
    package var bytes: Int64 = 0
  }

  /// How a file's pages are used.
  package struct Space: Encodable, Equatable, Sendable {
    /// A table or an index.
    package struct Part: Encodable, Equatable, Sendable {
      package var name: String
      /// The table of an index; `nil` for a table.
      package var table: String?
      package var bytes: Int64 = 0
      /// Unused bytes within its pages.
      package var unusedBytes: Int64 = 0
      package var pages: Int64 = 0
      /// Pages that do not follow the one before them in the file: what a full scan has to jump.
      package var jumps: Int64 = 0
    }

    package var freeBytes: Int64 = 0
    /// The largest first; empty if this SQLite is built without dbstat.
    package var parts: [Part] = []
    /// Why ``parts`` is empty or not whole.
    package var limitation: String?
  }
}

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

  package func differences(in state: LayoutEntry.State) -> [LayoutEntry] {
    differences.filter { $0.state == state }
  }
}

extension LayoutGeneration {
  /// The frameworks of the generation, in a few words.
  fileprivate var words: String {
    switch self {
    case .tableByTable: "up to 519 (iOS 8)"
    case .legacyIndexes: "520 to 846 (iOS 9 and 10)"
    case .constraintsInTables: "847 to 865 (iOS 11)"
    case .unorderedKeys: "866 to 1029 (iOS 12 and 13)"
    case .current: "1030 or later (iOS 14 on)"
    }
  }
}

/// Something wrong or risky in a store, why it matters, and what to do.
package struct Finding: Encodable, Equatable, Sendable {
  /// How much it matters.
  package enum Severity: String, CaseIterable, Encodable, Comparable, Sendable {
    /// Data is lost, or an app will fail over it.
    case wrong
    /// It works, and may not always.
    case risk
    /// Worth knowing.
    case note

    package static func < (left: Severity, right: Severity) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// The rule's name, such as `danglingReference`.
  package var rule: String
  package var severity: Severity
  /// A table, a column, an attribute or a file.
  package var place: String
  package var count: Int64
  /// What was found, one sentence.
  package var message: String
  /// What to do, one sentence.
  package var remedy: String

  package init(
    _ rule: String,
    _ severity: Severity,
    place: String,
    count: Int64 = 1,
    message: String,
    remedy: String
  ) {
    (self.rule, self.severity, self.place, self.count) = (rule, severity, place, count)
    (self.message, self.remedy) = (message, remedy)
  }
}

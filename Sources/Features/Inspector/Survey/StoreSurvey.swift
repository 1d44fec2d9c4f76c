import DataModel
import PersistentStore

/// The result of inspecting one store.
package struct StoreSurvey: Encodable, Equatable, Sendable {
  package var path: String
  /// The size of the main file in bytes.
  package var bytes: Int64
  package var file: FileHeader
  package var wal: WriteAheadLog?
  package var metadata: Metadata
  /// The comparison of the tables and indexes with the model; `nil` if there is no model.
  package var layout: LayoutSurvey?
  package var entities: [EntitySurvey] = []
  package var history: History?
  package var externalData: ExternalData?
  package var space: Space
  /// The unknown parts of the model's archive, by name.
  package var unknownInModel: [String] = []
  package var findings: [Finding] = []

  /// The number of objects of all entities.
  package var objectCount: Int64 { entities.reduce(0) { $0 &+ $1.count } }

  /// The size of all pages, including those only in the `-wal`; shares are fractions of this size.
  var pageBytes: Int64 { max(bytes, space.parts.reduce(space.freeBytes) { $0 &+ $1.bytes }) }

  /// The share of all pages that a number of bytes takes, such as `75 %`, rounded down.
  func share(of bytes: Int64) -> String { "\(bytes * 100 / max(1, pageBytes)) %" }

  /// The rules that report unread parts of the store; empty if everything was read.
  var gaps: [String] {
    let rules = ["changedMeanwhile", "gaveUp", "noModel", "oversizedValue", "unreadable"]
    return rules.filter { rule in findings.contains { $0.rule == rule } }
  }

  /// The contents of a store's Z_METADATA and model cache, and the missing parts that Core Data
  /// needs.
  package struct Metadata: Encodable, Equatable, Sendable {
    package var uuid: String
    package var frameworkVersion: Int
    /// The systems that contain the store's framework version, as inferred from real stores.
    package var systems: String?
    package var flavour: Flavour
    /// The evidence for the value of ``flavour``.
    package var flavourEvidence: [String]
    package var versionIdentifiers: [String]
    /// The version hashes by entity, encoded in base64.
    package var versionHashes: [String: String]
    /// The digest of the version hashes, as recorded in the store.
    package var hashesDigest: String?
    package var modelChecksum: String?
    /// The parts that Core Data's stores have and this store lacks; empty if the metadata is
    /// complete.
    package var missingForOpening: [String]
    /// The metadata keys that the app added.
    package var otherKeys: [String]

    /// Whether no model can be compatible with the store, because Core Data matches models by the
    /// hashes of entities
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
    /// The number of deletions that preserve a value of the object.
    package var tombstones: Int64 = 0
    /// The time of the first transaction, in seconds since 2001-01-01 00:00:00 UTC; ``last`` is the
    /// time of the last transaction.
    package var first: Double?
    package var last: Double?
    /// The number of transactions by author, context, process and bundle, such as `author Sync`,
    /// the most frequent first.
    package var authors: [Count] = []
    /// The number of changes by entity, the most frequent first.
    package var changesByEntity: [Count] = []
    /// The size of the history's tables and indexes in bytes; `nil` if SQLite cannot determine it.
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

  /// The use of a file's pages.
  package struct Space: Encodable, Equatable, Sendable {
    /// A table or an index, with the pages that it uses.
    package struct Part: Encodable, Equatable, Sendable {
      package var name: String
      /// The table of an index; `nil` for a table.
      package var table: String?
      package var bytes: Int64 = 0
      /// The number of unused bytes in the part's pages.
      package var unusedBytes: Int64 = 0
      package var pages: Int64 = 0
      /// The number of pages that do not follow the previous page in the file, so that a full scan
      /// has to jump.
      package var jumps: Int64 = 0
    }

    package var freeBytes: Int64 = 0
    /// The tables and indexes, the largest first; empty if SQLite is built without dbstat.
    package var parts: [Part] = []
    /// The reason why ``parts`` is empty or incomplete; `nil` if it is complete.
    package var limitation: String?
  }
}

/// The comparison of a store's tables and indexes with those of a new store of its model.
package struct LayoutSurvey: Encodable, Equatable, Sendable {
  /// The number of tables or indexes with the same definition as in a new store, and their total
  /// number.
  package struct Share: Encodable, Equatable, Sendable {
    package var same: Int
    package var all: Int
  }

  /// The framework versions whose SQL statements the store is compared with.
  package var generation: String
  package var tables: Share
  package var indexes: Share
  /// Whether the file has exactly the definitions that its framework version writes for the model.
  package var isFresh: Bool
  /// The definitions that differ from a new store's or are missing, in the file's order.
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
  /// The framework versions that write this layout, in words, with their iOS versions.
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

/// A problem or risk in a store, with its meaning and the recommended action.
package struct Finding: Encodable, Equatable, Sendable {
  /// The severity of a finding.
  package enum Severity: String, CaseIterable, Encodable, Comparable, Sendable {
    /// Data is lost, or an app will fail.
    case wrong
    /// The store works now but may fail later.
    case risk
    /// The finding is for information only.
    case note

    package static func < (left: Severity, right: Severity) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// The rule's name, such as `danglingReference`.
  package var rule: String
  package var severity: Severity
  /// The table, column, attribute or file concerned.
  package var place: String
  package var count: Int64
  /// The problem in one sentence.
  package var message: String
  /// The recommended action in one sentence.
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

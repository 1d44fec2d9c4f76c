import SwiftModels

/// A cause of slow storage work that can be found in a log.
package enum FindingRule: String, CaseIterable, Sendable {
  case faultsOneByOne = "faults-one-by-one"
  case toManyFaultsOneByOne = "to-many-faults-one-by-one"
  case batchSizeWithoutEffect = "batch-size-without-effect"
  case unreadPrefetch = "unread-prefetch"
  case wholeTableFetch = "whole-table-fetch"
  case fetchWithoutLimit = "fetch-without-limit"
  case fetchesOneByOne = "fetches-one-by-one"
  case repeatedFetch = "repeated-fetch"
  case fetchAfterEverySave = "fetch-after-every-save"
  case unindexedSort = "unindexed-sort"
  case unindexedPredicate = "unindexed-predicate"
  case wrongIndex = "wrong-index"
  case unusedIndex = "unused-index"
  case textSearch = "text-search"
  case oneSavePerObject = "one-save-per-object"
  case blobsWithRows = "blobs-with-rows"
  case maintenanceAfterSaves = "maintenance-after-saves"
  case mainThread = "main-thread"
}

/// The advice for a finding and the cases in which no change is needed.
package struct Remedy: Sendable {
  package let coreData: String
  package let swiftData: String
  /// The conditions under which the finding is a false positive.
  package let unless: String
  /// The advice for an app that uses SQLite directly or with GRDB; empty for rules that do not
  /// apply to it.
  package var sqlite = ""
}

extension FindingRule {
  package var remedy: Remedy {
    switch self {
    case .faultsOneByOne:
      Remedy(
        coreData: "name the relationship in relationshipKeyPathsForPrefetching of the fetch",
        swiftData: "name the key path in relationshipKeyPathsForPrefetching of the FetchDescriptor",
        unless: "a person opened the objects one after another, or few of the fetched objects need "
          + "the relationship"
      )
    case .toManyFaultsOneByOne:
      Remedy(
        coreData: "name the relationship in relationshipKeyPathsForPrefetching; if the app shows "
          + "only the count, add a derived attribute with count:",
        swiftData: "name the key path in relationshipKeyPathsForPrefetching; if the app shows only "
          + "the count, store the count as a property",
        unless: "a person opened the objects one after another, or few of the fetched objects need "
          + "the relationship"
      )
    case .batchSizeWithoutEffect:
      Remedy(
        coreData: "do not walk the whole result (map, filter, a loop over it); or drop "
          + "fetchBatchSize and fetch only the properties that are needed",
        swiftData: "fetch(_:batchSize:) only where a part of the result is read; otherwise set "
          + "propertiesToFetch or fetchLimit",
        unless: "an export had to read every object, or a person scrolled through the whole list"
      )
    case .unreadPrefetch:
      Remedy(
        coreData: "remove the key path from relationshipKeyPathsForPrefetching",
        swiftData: "remove the key path from relationshipKeyPathsForPrefetching",
        unless: "the app reads the prefetched objects in memory, which no log shows"
      )
    case .wholeTableFetch:
      Remedy(
        coreData:
          "count(for:) for a count, fetchLimit = 1 for the first object, fetchBatchSize for a list",
        swiftData: "fetchCount(_:) for a count, fetchLimit = 1 for the first object, "
          + "fetch(_:batchSize:) for a list",
        unless: "the app uses every object that it fetched, as an export does"
      )
    case .fetchWithoutLimit:
      Remedy(
        coreData:
          "fetchBatchSize = 20 for a list, fetchLimit where the screen shows the first ones",
        swiftData:
          "fetch(_:batchSize:) for a list, fetchLimit where the screen shows the first ones",
        unless: "the app uses every object at once, as an export does"
      )
    case .fetchesOneByOne:
      Remedy(
        coreData:
          "one fetch with IN and all the values before the loop; for counts, one dictionary "
          + "fetch with propertiesToGroupBy, or a derived attribute with count:",
        swiftData:
          "one fetch with contains and all the values before the loop; for counts, a stored "
          + "count",
        unless: "a person asked for each of them",
        sqlite: "one SELECT with IN and all the values, or a JOIN; in GRDB including(required:) or "
          + "including(all:); for counts, GROUP BY, in GRDB annotated(with: ASSOCIATION.count)"
      )
    case .repeatedFetch:
      Remedy(
        coreData: "keep the result, or use one NSFetchedResultsController for all its readers",
        swiftData: "fetch once and pass the result on; use no @Query in views that are created "
          + "again and again",
        unless: "another process or a batch request changed the store between the fetches",
        sqlite: "keep the result; in GRDB one ValueObservation for all its readers"
      )
    case .fetchAfterEverySave:
      Remedy(
        coreData: "let NSFetchedResultsController or the did-save notification bring the changes; "
          + "refetch only what changed",
        swiftData: "let @Query follow the context; remove the fetch after save()",
        unless: "the saves change the fetched objects outside this context",
        sqlite:
          "keep what was written (INSERT … RETURNING); in GRDB let one ValueObservation fetch "
          + "when its region changes"
      )
    case .unindexedSort:
      Remedy(
        coreData: "sort by a binary order (a compare: selector) or by an indexed attribute with a "
          + "normalized copy of the text",
        swiftData: "SortDescriptor(_:comparator: .lexical), or sort by a normalized copy with "
          + "#Index",
        unless: "the order has to follow the user's language and the table stays small",
        sqlite:
          "CREATE INDEX with the same COLLATE, or sort by a column with BINARY or NOCASE order"
      )
    case .unindexedPredicate:
      Remedy(
        coreData: "add a fetch index on the attributes; attributes compared with == come first",
        swiftData: "#Index<Model>([\\.attribute]); existing stores get it only by a migration",
        unless: "the table stays small, or most rows fulfill the predicate",
        sqlite: "CREATE INDEX on the columns; those compared with = come first"
      )
    case .wrongIndex:
      Remedy(
        coreData: "add a fetch index that starts with the predicate's attribute, or put the "
          + "comparison of the entity last",
        swiftData: "#Index<Model> that starts with the predicate's property",
        unless: "the chosen index leaves as few rows as the other index would"
      )
    case .unusedIndex:
      Remedy(
        coreData: "remove the fetch index from the model",
        swiftData: "remove the property from #Index",
        unless: "a part of the app that this log does not cover uses the index",
        sqlite: "DROP INDEX in a migration"
      )
    case .textSearch:
      Remedy(
        coreData: "BEGINSWITH on a normalized, indexed attribute, or a full-text index outside "
          + "the store",
        swiftData:
          "starts(with:) on a normalized property with #Index, or a full-text index outside "
          + "the store",
        unless: "the table stays small, or other conditions leave few rows to search",
        sqlite:
          "a full-text table (CREATE VIRTUAL TABLE … USING fts5); for the start of a text, a range "
          + "on an indexed column"
      )
    case .oneSavePerObject:
      Remedy(
        coreData:
          "save once after the loop, or every few hundred objects; NSBatchInsertRequest for "
          + "imports",
        swiftData: "save() once after the loop; ModelContext.transaction for imports",
        unless: "each object must be safe from a crash at once, or a person caused each save",
        sqlite: "BEGIN before the loop and COMMIT after it; in GRDB one write { } around the loop"
      )
    case .blobsWithRows:
      Remedy(
        coreData: "allowsExternalBinaryDataStorage, or a separate entity for the data",
        swiftData: "@Attribute(.externalStorage), or a separate model class for the data",
        unless: "the values are small, or every fetched object shows its data"
      )
    case .maintenanceAfterSaves:
      Remedy(
        coreData: "save less often and in larger units; delete in one batch",
        swiftData: "save less often and in larger units; delete in one batch",
        unless: "the log covers one large import or clean-up"
      )
    case .mainThread:
      Remedy(
        coreData: "move the work to a background context: performBackgroundTask",
        swiftData: "move the work to a @ModelActor",
        unless: "the thread with the lowest number is not the main thread, because the main thread "
          + "has no line in the log",
        sqlite: "read and write asynchronously: in GRDB await read { } and await write { }"
      )
    }
  }
}

/// The confidence in a finding.
package enum Confidence: String, CaseIterable, Comparable, Sendable {
  case low, medium, high

  package static func < (first: Confidence, second: Confidence) -> Bool {
    first.rank < second.rank
  }

  private var rank: Int { self == .low ? 0 : self == .medium ? 1 : 2 }
}

/// A probable cause of slow storage work, with its evidence.
package struct Finding: Sendable {
  /// The thing to change; findings with the same subject have the same fix.
  package enum Subject: Hashable, Sendable {
    case request(Int)
    /// The result of a repeated fetch, which the app should keep; the index refers to the
    /// ``StatementTable``.
    case reuse(Int)
    /// An index on the given columns, in their order.
    case index(table: String, columns: [String])
    /// The name of an index to remove.
    case unused(String)
    case saves(table: String)
    case column(table: String, column: String)
    /// The app as a whole, if no single part of the code is the cause.
    case app
  }

  package let rule: FindingRule
  /// The description of the finding in Core Data's terms.
  package var summary: String
  /// The name of the index if the finding is about an index; otherwise empty.
  package var index = ""
  /// The index that would speed up the statements; `nil` if no index would speed them up, or if
  /// property names are unknown.
  var wantedIndex: SwiftIndexText?
  /// The sort column that no index serves.
  var sort: StatementShape.Sort?
  /// The numbers of the first log lines of the finding.
  package var lines: [Int]
  /// The number of the finding's statements.
  package var calls: Int
  /// The total time in microseconds; `nil` if the log has no times for the statements.
  package var time: Int?
  package var confidence: Confidence
  /// The reason why the confidence is not high; empty if it is high.
  package var doubt = ""
  package var subject = Subject.app
  /// The relationship to prefetch; empty if there is none or if the log does not name it.
  package var keyPath = ""
  /// The relationship that should no longer be prefetched.
  package var surplus = ""

  package static let mostLines = 5
  /// The key path for faults on the fetched objects themselves.
  static let ownRows = "self"

  /// Whether the finding is only a hint that no log can confirm, rather than a problem to fix.
  package var isQuestion: Bool {
    confidence == .low && (rule == .unreadPrefetch || rule == .mainThread)
  }

  /// Whether the finding's only advice is to move the work to another thread, so that its time
  /// overlaps with other findings.
  var movesWork: Bool { rule == .mainThread }

  func about(_ subject: Subject, keyPath: String = "", without surplus: String = "") -> Finding {
    var finding = self
    (finding.subject, finding.keyPath, finding.surplus) = (subject, keyPath, surplus)
    return finding
  }
}

struct Evidence {
  var lines: [Int] = []
  var calls = 0
  var time = 0
  var timed = 0

  /// The total time in microseconds; `nil` if the log has no times for the calls.
  var knownTime: Int? { timed > 0 ? time : nil }

  mutating func add(_ statement: LoggedStatement) {
    add(line: statement.line, time: statement.ownTime)
  }

  mutating func add(line: Int, time: Int?) {
    add(line: line)
    calls += 1
    if let time {
      self.time += time
      timed += 1
    }
  }

  mutating func add(line: Int) {
    if lines.count < Finding.mostLines { lines.append(line) }
  }

  mutating func add(_ other: Evidence) {
    for line in other.lines { add(line: line) }
    calls += other.calls
    time += other.time
    timed += other.timed
  }

  func finding(
    _ rule: FindingRule,
    _ summary: String,
    _ confidence: Confidence,
    doubt: String = ""
  ) -> Finding {
    Finding(
      rule: rule,
      summary: summary,
      lines: lines,
      calls: calls,
      time: knownTime,
      confidence: confidence,
      doubt: doubt
    )
  }
}

import Basics
import DataModel
import Foundation
import Generators
import PersistentStore
import Runner
import SQLite

/// Checks a migrated store against the original, object by object, with plain SQL.
///
/// The expected content is computed by the verification's own mapping and transformations, without
/// any migration code.
struct MigratedStore {
  let session: MigrationSession
  let trial: Trial

  private var parameters: MigrationParameters { session.parameters }
  private var layout: StoreLayout { session.destination }

  func verify() throws -> Verification {
    let inspection = StoreInspection(store: session.result, layout: layout)
    // Compute the digest while the store is compared. Throw its error only after the comparison,
    // whose errors describe missing data better.
    let (digest, found) = try atOnce(
      { Result { try inspection.digest(.content) } },
      { try check() }
    )
    return Verification(digest: try digest.get(), notes: found.notes, losses: found.losses)
  }

  /// Returns the notes and losses to report for a correct store.
  ///
  /// If a map guided the copy, the result is compared with a store that SQL built with that map.
  private func check() throws -> (notes: [String], losses: [String]) {
    let original = try StoreContent(store: trial.start, layout: session.source)
    let isMapped = session.mapping.map != nil
    let expectation = MigrationExpectation(
      session: session,
      mapping: isMapped ? session.sameMapping : session.mapping
    )
    let reference =
      isMapped
      ? try StoreContent(
        store: MappedReference(session: session, trial: trial).make(),
        layout: layout
      ) : original
    var made = try expectation.make(from: reference)
    if isMapped {
      made.losses += try session.mapping.newOneToOnes.compactMap {
        try OneToOneOwners(new: $0, mapping: session.mapping).read(original).loss
      }
    }
    var findings: [String] = []
    if let clusters = made.clusters {
      let answers = try AnswerKeyCheck(trial: trial, clusters: clusters, original: original)
      made.notes += answers.notes
      findings = answers.findings
    }
    if parameters.leavesNewStore {
      let actual = try StoreContent(store: session.result, layout: layout)
      try expectation.rekey(&made.expected, to: actual)
    }
    var inspection = StoreInspection(store: session.result, layout: layout)
    // A reference store has the defects of the old store, such as missing external files.
    let toleratesOldFaults = try trial.mayBreakRules()
    inspection.toleratesOldFaults = toleratesOldFaults
    if parameters.isInPlace {
      let faults = InheritedFaults(session: session)
      inspection.knownFaults =
        faults.ofGaps + (parameters.shape == .rebuild ? [] : faults.ofForms)
        + (toleratesOldFaults ? try faults.moved(from: original.store) : [])
      made.notes += session.mapping.gaps.map(\.description)
    }
    // Tolerate gaps in the reserved keys and files to which no object refers, because a killed save
    // leaves them.
    if session.isResumed { inspection.exceptions = [.historyGap, .orphanedExternalFile] }
    findings += try inspection.problems(expecting: made.expected, history: history) {
      $0.order = parameters.comparedOrder
      $0.ignoredProperties = expectation.stage?.recoded(in: layout.model) ?? [:]
    }
    findings += try ArchivedValuesCheck(session: session, original: original).findings()
    findings += try SchemaCheck(session: session, trial: trial).findings()
    if parameters.isInNewFile, !parameters.swaps {
      findings += try oldStoreFindings(original)
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return (made.notes, made.losses)
  }

  private var history: ExpectedHistory? {
    guard layout.keepsHistory else { return nil }
    let writes = parameters.usesEngine
    if parameters.leavesNewStore { return parameters.engine == .objectGraph ? .fresh : nil }
    return writes && parameters.engine == .objectGraph ? .recording : .unchanged
  }

  /// Checks that a copy left the old store unchanged, except for merged duplicates.
  private func oldStoreFindings(_ original: StoreContent) throws -> [String] {
    var expected = ExpectedContent(from: original)
    if parameters.duplicates == .merged {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      let same = MappingModel(from: session.source.model, to: session.source.model)
      _ = try MigrationExpectation(session: session).expectMerge(clusters, &expected, same)
    }
    var inspection = StoreInspection(store: trial.store, layout: session.source)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    return try inspection.problems(expecting: expected, history: nil) {
      $0.order = parameters.duplicates == .merged ? .nothing : .keys
    }.map { "the old store: " + $0 }
  }
}

struct UntouchedStore {
  let session: MigrationSession
  let trial: Trial

  func verify() throws -> Verification {
    let original = try StoreContent(store: trial.start, layout: session.source)
    var inspection = StoreInspection(store: trial.store, layout: session.source)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    var findings = try inspection.problems(
      expecting: ExpectedContent(from: original),
      history: session.source.keepsHistory ? .unchanged : nil
    ) { $0.comparesVersions = true }
    let (before, after) = (try StoredTexts(trial.start), try StoredTexts(trial.store))
    findings += after.findings(expecting: before)
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(
      digest: try inspection.digest(.content),
      notes: session.refusal.map { ["refused: \($0)"] } ?? []
    )
  }
}

extension UntouchedStore {
  /// The definitions, metadata, model and reserved keys of a store, as strings to compare.
  struct StoredTexts {
    private let parts: [(name: String, rows: [String])]

    init(_ store: StoreFile) throws {
      let connection = try store.plainConnection()
      parts = try [
        ("definitions", "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"),
        ("Z_METADATA", "SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA"),
        ("Z_MODELCACHE", "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE"),
        ("Z_PRIMARYKEY", "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"),
      ].map { ($0, try Self.rows($1, connection)) }
    }

    private static func rows(_ sql: String, _ connection: Connection) throws -> [String] {
      try connection.prepare(sql).map { row in
        (0..<row.columnCount).map { row.text(at: $0) }.joined(separator: " | ")
      }
    }

    func findings(expecting other: StoredTexts) -> [String] {
      zip(parts, other.parts).compactMap { part, wanted in
        part.rows == wanted.rows ? nil : "\(part.name) of the store have changed"
      }
    }
  }
}

extension MigratedStore {
  struct SchemaCheck {
    let session: MigrationSession
    let trial: Trial

    private var layout: StoreLayout { session.destination }

    func findings() throws -> [String] {
      let connection = try Connection(path: session.result.path, mode: .readOnly, settings: nil)
      var findings = try isFresh ? definitions(connection) : columnTypes(connection)
      if try ModelCache.read(from: connection, path: session.result.path) != layout.model {
        findings.append("the store contains a different model than its migration target")
      }
      let metadata = try StoreMetadata(from: connection, path: session.result.path)
      if metadata.versionIdentifiers != layout.model.versionIdentifiers {
        findings.append(
          "the metadata name version \(metadata.versionIdentifiers.joined(separator: ", ")), not "
            + layout.model.versionIdentifiers.joined(separator: ", ")
        )
      }
      return try findings + identity(metadata)
    }

    /// Whether the tables and indexes must equal those of a new store with the same model.
    private var isFresh: Bool {
      session.parameters.leavesNewStore
        || session.parameters.shape == .rebuild
    }

    /// Compares the SQL of every definition, in order; history tables are skipped.
    private func definitions(_ connection: Connection) throws -> [String] {
      var found = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        .map { $0.text(at: 0) }
      var wanted = layout.definitions
      let foreign = try foreignDefinitions()
      found.removeAll(where: foreign.contains)
      if layout.keepsHistory {
        // The history tables of an existing store may have additional columns for values of deleted
        // objects, so their definitions are not compared.
        let history = Set(SystemTables.history(tombstones: 0).map(\.sql))
        func isHistory(_ sql: String) -> Bool {
          history.contains(sql) || sql.hasPrefix("CREATE TABLE ACHANGE ")
        }
        found.removeAll(where: isHistory)
        wanted.removeAll(where: isHistory)
      }
      return found == wanted ? [] : difference(found, wanted)
    }

    /// The definitions in the original store that do not belong to its model, such as R-tree
    /// indexes, triggers and tables for CloudKit mirroring.
    ///
    /// A migration keeps them.
    private func foreignDefinitions() throws -> Set<String> {
      guard !session.parameters.leavesNewStore else { return [] }
      let own = Set(
        (session.source.tableColumns.map(\.table) + SystemTables.schema.map(\.name)
          + SystemTables.history(tombstones: 0).map(\.name)).map { $0.uppercased() }
      )
      let rows = try trial.start.plainConnection().prepare(
        "SELECT type, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
      )
      return Set(
        try rows.map { row in
          let isOwn = own.contains(row.text(at: 1).uppercased())
          return ["table", "index"].contains(row.text(at: 0)) && isOwn ? nil : row.text(at: 2)
        }.compactMap(\.self)
      )
    }

    private func difference(_ found: [String], _ wanted: [String]) -> [String] {
      let missing = wanted.first { !found.contains($0) }
      let other = found.first { !wanted.contains($0) }
      return [
        "the definitions differ from a fresh store: "
          + (missing.map { "missing '\($0)'" } ?? other.map { "unexpected '\($0)'" }
            ?? "their order")
      ]
    }

    private func columnTypes(_ connection: Connection) throws -> [String] {
      var findings: [String] = []
      for table in layout.tables {
        let statement = try connection.prepare("SELECT name, type FROM pragma_table_info(?)")
        statement.bind(table.name, at: 1)
        var types: [String: String] = [:]
        while try statement.step() { types[statement.text(at: 0)] = statement.text(at: 1) }
        for column in table.columns where types[column.name] != column.type.rawValue {
          findings.append(
            "\(table.name).\(column.name) is \(types[column.name] ?? "missing"), not "
              + column.type.rawValue
          )
        }
      }
      return findings
    }

    /// Checks the store's UUID: an in-place migration keeps it, and a new store has its own.
    private func identity(_ metadata: StoreMetadata) throws -> [String] {
      let before = try trial.start.plainConnection()
      let former = try StoreMetadata(from: before, path: trial.start.path)
      guard !session.parameters.leavesNewStore, former.uuid != metadata.uuid else { return [] }
      return ["the store's UUID is \(metadata.uuid), not \(former.uuid)"]
    }
  }

  /// Compares the merged clusters with the duplicates that the generator made on purpose (its
  /// answer key).
  struct AnswerKeyCheck {
    /// The comparison with the answer key, in one sentence per entity.
    private(set) var notes: [String] = []
    private(set) var findings: [String] = []

    /// Compares the clusters with the recipe's duplicates.
    ///
    /// `notes` and `findings` stay empty if the store was not generated from a recipe, or if the
    /// recipe makes no duplicates.
    init(trial: Trial, clusters: DuplicateClusters, original: StoreContent) throws {
      guard let recipe = try trial.recipe?.read() else { return }
      let dataset = Dataset(recipe)
      for merge in clusters.merges {
        guard let entity = dataset.entities.first(where: { $0.name == merge.entity }),
          let duplicates = entity.duplicates
        else { continue }
        let key = duplicates.clusters.map { $0.map(entity.primaryKey(row:)) }
        try compare(merge, with: key, in: original)
      }
    }

    private mutating func compare(
      _ merge: DuplicateClusters.Merge,
      with key: [[Int64]],
      in original: StoreContent
    ) throws {
      let table = try original.table(of: merge.entity)
      var (found, total, told) = (0, 0, Set<Int64>())
      for cluster in key {
        let members = try cluster.compactMap { try original.object(key: $0, in: table) }
        guard members.count > 1 else { continue }
        total += 1
        told.formUnion(members.map(\.key))
        let survivors = Set(members.map { merge.survivors[$0.key] ?? $0.key })
        if survivors.count == 1 { found += 1 }
        let values = members.map { member in merge.attributes.map { member[$0] ?? .null } }
        let isEqual = values.allSatisfy { $0 == values[0] && !$0.contains(.null) }
        if isEqual, survivors.count > 1 {
          findings.append(
            "\(merge.entity): the known duplicates of \(members[0].key) were not merged"
          )
        }
      }
      let merged = Set(merge.survivors.keys).union(merge.survivors.values)
      let others = merged.subtracting(told).count
      var words = "\(merge.entity): \(found) of \(total) known groups of duplicates found"
      if found < total { words += "; the copies in the other groups differ in unique attributes" }
      if others > 0 { words += "; \(others) merged objects are not known duplicates" }
      notes.append(words)
    }
  }

  /// Checks archives that were converted to JSON, reading both with Foundation's own readers.
  struct ArchivedValuesCheck {
    let session: MigrationSession
    let original: StoreContent

    func findings() throws -> [String] {
      guard let stage = ExpectedStage(session.parameters, session.mapping),
        stage.transformation.isRecoding,
        let mapping = session.mapping.mapping(to: stage.entity), let entity = mapping.source,
        let former = mapping.attributes.first(where: {
          $0.destination.name == stage.attribute
        })?.source?.name
      else { return [] }
      let actual = try StoreContent(store: session.result, layout: session.destination)
      let before = try values(of: former, entity, in: original)
      let after = try values(of: stage.attribute, stage.entity, in: actual)
      var findings: [String] = []
      while findings.count < 5 {
        let (archive, json) = (try before(), try after())
        guard let archive, let json, archive.key == json.key else {
          // The comparison of the contents already reports missing objects.
          return findings
        }
        if !isSame(archive.bytes, json.bytes) {
          findings.append(
            "\(entity) \(archive.key) has values in '\(former)' that differ from those in its archive"
          )
        }
      }
      return findings
    }

    private func values(
      of attribute: String,
      _ entity: String,
      in content: StoreContent
    ) throws -> () throws -> (key: Int64, bytes: [UInt8]?)? {
      let names = try EntityNames(entity, in: content.layout)
      let row = try content.connection.prepare(
        "SELECT Z_PK, \(try names.column(attribute).quotedName) FROM \(names.table.quotedName) "
          + "WHERE Z_ENT IN (\(content.layout.numberList(ofFamily: entity))) ORDER BY Z_PK"
      )
      return {
        guard try row.step() else { return nil }
        return (row.integer(at: 0), row.isNull(at: 1) ? nil : row.blob(at: 1))
      }
    }

    private func isSame(_ archive: [UInt8]?, _ json: [UInt8]?) -> Bool {
      guard let archive, let json else { return archive == json }
      let classes: [AnyClass] = [
        NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSNull.self,
      ]
      guard
        let object = try? NSKeyedUnarchiver.unarchivedObject(
          ofClasses: classes,
          from: Data(archive)
        )
      else { return archive == json }
      guard
        let other = try? JSONSerialization.jsonObject(
          with: Data(json),
          options: .fragmentsAllowed
        )
      else { return false }
      return Self.plain(object) == Self.plain(other)
    }

    /// Returns a value as a string, with dates as seconds and data as base64.
    private static func plain(_ value: Any) -> String {
      switch value {
      case let date as NSDate: number(date.timeIntervalSinceReferenceDate)
      case let data as NSData: "\"" + data.base64EncodedString(options: []) + "\""
      case let values as NSArray: "[" + values.map(plain).joined(separator: ",") + "]"
      case let values as [Any]: "[" + values.map(plain).joined(separator: ",") + "]"
      case let values as NSDictionary: members(values.map { ("\($0.key)", $0.value) })
      case let values as [String: Any]: members(values.map { ($0.key, $0.value) })
      case let text as NSString: "\"\(text)\""
      case let text as String: "\"\(text)\""
      case let value as NSNumber: number(value.doubleValue)
      default: "null"
      }
    }

    private static func members(_ members: [(name: String, value: Any)]) -> String {
      let texts = members.sorted { $0.name < $1.name }.map { "\($0.name):\(plain($0.value))" }
      return "{" + texts.joined(separator: ",") + "}"
    }

    private static func number(_ value: Double) -> String { "\(value)" }
  }
}

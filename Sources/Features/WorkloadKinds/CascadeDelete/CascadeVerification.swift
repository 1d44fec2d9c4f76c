import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

extension CascadeDeleteWorkload {
  func evidence(_ session: CascadeSession, _ trial: Trial) -> Evidence? {
    Evidence(stores: [trial.store])
  }

  func verify(_ session: CascadeSession, _ trial: Trial) throws -> Verification {
    let start = try CascadeOutcome.StartState(trial, parameters)
    let outcome = CascadeOutcome(parameters: parameters, trial: trial, start: start)
    let inspection = StoreInspection(store: trial.store, layout: start.layout)
    let (digested, problems) = try atOnce(
      { Result { try inspection.digest() } },
      { try expectedFailure == nil ? outcome.problems() : outcome.problemsUnlessAsItWas() }
    )
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    let digest = try digested.get()
    guard expectedFailure == nil else { return Verification(digest: digest) }
    return Verification(digest: digest, notes: [start.summary])
  }
}

/// Holds a store against what a deletion had to make of the one it started from.
struct CascadeOutcome {
  let parameters: CascadeParameters
  let trial: Trial
  let start: StartState

  private var layout: StoreLayout { start.layout }

  private func inspection(but exceptions: Set<AuditRule> = []) -> StoreInspection {
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.exceptions = exceptions
    if !parameters.hasChildIndex { inspection.exceptions.insert(.missingIndex) }
    // A store made elsewhere may have faults of its own.
    inspection.toleratesOldFaults = parameters.shape == .own
    return inspection
  }

  /// One sentence for each thing that differs from the store before a deletion that was refused.
  func problemsUnlessAsItWas() throws -> [String] {
    try inspection().problems(expecting: ExpectedContent(from: start.content)) {
      $0.comparesVersions = true
    }
  }

  /// One sentence for each thing that is not as the delete rules say.
  func problems() throws -> [String] {
    let isUnrecorded = parameters.strategy == .sqlForeignKey
    var exceptions: Set<AuditRule> = []
    if isUnrecorded { exceptions.insert(.changeOfMissingObject) }
    if leavesFiles { exceptions.insert(.orphanedExternalFile) }
    if parameters.leavesReferences { exceptions.insert(.danglingReference) }
    if parameters.isBound { exceptions.insert(.missingReference) }
    let problems = try inspection(but: exceptions).problems(
      expecting: expected(),
      history: isUnrecorded ? .unchanged : .recording
    ) { $0.comparesVersions = true }
    guard problems.isEmpty else { return problems }
    return try fileProblems() + tombstoneProblems()
  }

  private var leavesFiles: Bool {
    parameters.strategy == .batchDelete && parameters.batchExternalFiles == .left
  }

  private func expected() throws -> ExpectedContent {
    var expected = ExpectedContent(from: start.content)
    if parameters.ignoresRules { expected.nullification = .never }
    try expected.remove(start.closure)
    guard raisesVersions else { return expected }
    for table in layout.tables {
      let losers = try start.losers(in: table)
      guard !losers.isEmpty else { continue }
      try expected.change(table.root) { object in
        guard losers.contains(object.key), case .integer(let version) = object.version else {
          return
        }
        object.version = .integer(version + 1)
      }
    }
    return expected
  }

  /// Whether an object that loses a reference has a new version.
  private var raisesVersions: Bool {
    switch parameters.strategy {
    case .objectByObject: true
    case .batchDelete: parameters.batchVersions == .raised
    case .sqlForeignKey: false
    }
  }

  // MARK: External files

  /// The names of the external files of the objects to delete, by plain SQL on the start.
  private func filesToDelete() throws -> Set<String> {
    let connection = start.content.connection
    var names: Set<String> = []
    for table in layout.tables {
      guard let keysToDelete = start.closure.removed[table.root] else { continue }
      for column in table.externalColumns {
        let row = try connection.prepare(
          "SELECT Z_PK, \(column) FROM \(table.name) WHERE substr(\(column), 1, 1) = x'02'"
        )
        while try row.step() {
          guard keysToDelete.contains(row.integer(at: 0)) else { continue }
          let reference = row.withBytes(at: 1, BlobContent.reference)
          if case .file(let name) = reference { names.insert(name) }
        }
      }
    }
    return names
  }

  /// Whether the files of deleted objects are where the case says; the others are audited already.
  private func fileProblems() throws -> [String] {
    var found = Findings<String>(limit: 5)
    for name in try filesToDelete().sorted() {
      let path = trial.store.externalDataFolder + "/" + name
      let exists = FileManager.default.fileExists(atPath: path)
      if exists != leavesFiles {
        found.add(
          "the external file '\(name)' of a deleted object is \(exists ? "still there" : "gone")"
        )
      }
    }
    guard leavesFiles else { return found.sentences }
    let before = files(of: trial.start)
    for name in files(of: trial.store) where !before.contains(name) {
      found.add("no object has the external file '\(name)'")
    }
    return found.sentences
  }

  private func files(of store: StoreFile) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: store.externalDataFolder)
    return (names ?? []).sorted()
  }

  // MARK: Tombstones

  /// Whether the history keeps the values that the model preserves of deleted objects.
  private func tombstoneProblems() throws -> [String] {
    guard layout.keepsHistory, layout.tombstoneCount > 0, parameters.strategy != .sqlForeignKey
    else { return [] }
    return try tombstoneDifferences()
  }

  /// One sentence for each of the first tombstones that differ.
  private func tombstoneDifferences() throws -> [String] {
    var found = Findings<String>(limit: 5)
    let before = try trial.start.plainConnection()
    let after = try trial.store.plainConnection()
    let last = try before.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    let columns = (0..<layout.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    let change = try after.prepare(
      "SELECT ZENTITY, ZENTITYPK\(columns) FROM ACHANGE WHERE ZCHANGETYPE = 2 AND Z_PK > ?"
        + " ORDER BY Z_PK"
    )
    change.bind(last, at: 1)
    while try change.step() {
      let key = change.integer(at: 1)
      guard let entity = layout.numbers.entity(Int(truncatingIfNeeded: change.integer(at: 0))),
        let row = try preserved(of: entity, before)
      else { continue }
      row.reset()
      row.bind(key, at: 1)
      guard try row.step() else { continue }
      for index in 0..<layout.tombstoneCount {
        let expected = index < row.columnCount ? row.value(at: index) : .null
        let value = change.value(at: 2 + index)
        if value != expected {
          found.add("tombstone \(index) of \(entity.name) \(key) is \(value), not \(expected)")
        }
      }
      row.reset()
    }
    return found.sentences
  }

  /// The query for the preserved values of an entity's object; `nil` where nothing is preserved.
  private func preserved(of entity: Entity, _ connection: Connection) throws -> Statement? {
    let columns = SystemTables.preservedAttributes(of: entity, in: layout.model).compactMap {
      layout.column(of: $0.name, in: entity.name)?.name
    }
    guard !columns.isEmpty, let table = layout.table(of: entity.name)?.name else { return nil }
    return try connection.cached(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?"
    )
  }
}

extension CascadeOutcome {
  /// The store before a deletion, and what must become of its objects, by plain SQL alone.
  struct StartState {
    let layout: StoreLayout
    let content: StoreContent
    let closure: DeletionClosure
    private let root: CascadeRoot
    private let keys: [Int64]

    init(_ trial: Trial, _ parameters: CascadeParameters) throws {
      let connection = try trial.start.plainConnection()
      layout = StoreLayout(
        model: try ModelCache.read(from: connection, path: trial.start.path),
        framework: try StoreMetadata(from: connection, path: trial.start.path).frameworkVersion,
        form: try StoreForm(of: connection)
      )
      root = try CascadeRoot(
        named: parameters.shape == .chain ? ChainModel.entity(0) : parameters.entity,
        in: layout
      )
      keys = parameters.chosen(of: try root.keys(connection), seed: trial.seed)
      content = try StoreContent(store: trial.start, layout: layout)
      closure = try Self.closure(root, keys, trial, content, parameters)
    }

    private static func closure(
      _ root: CascadeRoot,
      _ keys: [Int64],
      _ trial: Trial,
      _ content: StoreContent,
      _ parameters: CascadeParameters
    ) throws -> DeletionClosure {
      let followsRules = !parameters.ignoresRules
      guard !parameters.hasChildIndex, followsRules else {
        return try DeletionClosure(
          of: root.entity,
          keys: keys,
          in: content,
          followsRules: followsRules
        )
      }
      // Without its indexes a store would be read through for every object.
      let copy = StoreFile(path: trial.folder + "/indexed.sqlite")
      defer { try? copy.remove() }
      try copy.remove()
      try FileManager.default.copyItem(atPath: trial.start.path, toPath: copy.path)
      try addIndexes(to: copy, content.layout)
      let indexed = try StoreContent(store: copy, layout: content.layout)
      return try DeletionClosure(of: root.entity, keys: keys, in: indexed)
    }

    private static func addIndexes(to store: StoreFile, _ layout: StoreLayout) throws {
      let connection = try Connection(path: store.path, settings: nil)
      for index in layout.tables.flatMap({ layout.indexes(of: $0) }) where !index.isUnique {
        let definition = index.sql
          .replacing("CREATE INDEX", with: "CREATE INDEX IF NOT EXISTS")
        try connection.execute(definition)
      }
    }

    /// How many objects of which entity were to go, and what went with them.
    var summary: String {
      "\(Figures.counted(keys.count, "object")) of '\(root.entity)' deleted, and "
        + "\(closure.count - keys.count) related objects"
    }

    /// The keys of the objects of a table that survive and lose a reference.
    func losers(in table: EntityTable) throws -> Set<Int64> {
      let removed = closure.removed[table.root] ?? []
      var losers: Set<Int64> = []
      for column in table.columns {
        guard let target = target(of: column), let gone = closure.removed[target] else { continue }
        let row = try content.connection.prepare(
          "SELECT Z_PK, \(column.name) FROM \(table.name) WHERE \(column.name) IS NOT NULL"
        )
        while try row.step() {
          let key = row.integer(at: 0)
          if gone.contains(row.integer(at: 1)), !removed.contains(key) { losers.insert(key) }
        }
      }
      return losers
    }

    /// The root entity of what a column leads to, where the rule of the other side is to nullify.
    private func target(of column: Column) -> String? {
      switch column.content {
      case .foreignKey(let relationship):
        guard layout.model.inverse(of: relationship)?.deleteRule == .nullify else { return nil }
        return layout.table(of: relationship.destination)?.root
      case .inverselessKey(let relationship, let source):
        guard relationship.deleteRule == .nullify else { return nil }
        return layout.table(of: source)?.root
      default: return nil
      }
    }
  }
}

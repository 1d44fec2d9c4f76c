import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

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

  /// The names of the external files that doomed objects lead to, by plain SQL on the start.
  private func doomedFiles() throws -> Set<String> {
    let connection = start.content.connection
    var names: Set<String> = []
    for table in layout.tables {
      guard let doomed = start.closure.removed[table.root] else { continue }
      for column in table.externalColumns {
        let row = try connection.prepare(
          "SELECT Z_PK, \(column) FROM \(table.name) WHERE substr(\(column), 1, 1) = x'02'"
        )
        while try row.step() {
          guard doomed.contains(row.integer(at: 0)) else { continue }
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
    for name in try doomedFiles().sorted() {
      let path = trial.store.externalDataFolder + "/" + name
      let exists = FileManager.default.fileExists(atPath: path)
      if exists != leavesFiles {
        found.add("the external file '\(name)' of a deleted object is \(exists ? "left" : "gone")")
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
    return try TombstoneCheck(layout: layout, start: trial.start, end: trial.store).problems()
  }
}

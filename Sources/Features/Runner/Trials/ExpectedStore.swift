import DataModel
import Foundation
import PersistentStore
import SQLite

/// The store that a case must reach: a copy of its starting store that plain SQL changes, step by
/// step, as the work had to change its own.
///
/// Its statements are the verification's own, and share no code with the work.
///
/// ```swift
/// let expected = try ExpectedStore(trial)
/// try expected.change("UPDATE ZTASK SET ZISFLAGGED = 1 WHERE Z_PK <= 100")
/// return try expected.verification()
/// ```
///
/// The copy is made by the first statement, and removed with the value.
public final class ExpectedStore {
  package let layout: StoreLayout
  /// How the trial's store is examined: kinds set the rules that it may break.
  package var inspection: StoreInspection
  /// What the trial's history must contain; `nil` if the kind checks it itself.
  package var history: ExpectedHistory? = .unchanged
  package let trial: Trial
  private let start: StoreFile
  private let folder: String
  private var copy: (store: StoreFile, connection: Connection)?

  /// Expects the store that the trial started from, until statements change it.
  ///
  /// - Throws: An error that names the store if it cannot be read.
  public convenience init(_ trial: Trial) throws {
    let start = try PersistentStore.open(trial.start, mode: trial.start.restingMode)
    self.init(trial, start.layout)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
  }

  /// Expects `start` if it is given, else the store that the trial started from.
  package init(_ trial: Trial, _ layout: StoreLayout, from start: StoreFile? = nil) {
    self.trial = trial
    self.layout = layout
    self.start = start ?? trial.start
    folder = trial.folder + "/expected"
    inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
  }

  deinit { removeCopy() }

  private func removeCopy() {
    copy = nil
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Changing the copy

  /// Runs a statement that changes the copy.
  ///
  /// - Throws: An error with SQLite's message, as for a table that does not exist.
  public func change(_ sql: String) throws { try change(sql, []) }

  /// Changes rows; `?1` stands for the first of the values.
  package func change(_ sql: String, _ values: Value...) throws { try change(sql, values) }

  package func change(_ sql: String, _ values: [Value]) throws { try bound(sql, values).run() }

  /// The rows that the copy has at present.
  package func read(_ sql: String, _ values: Value...) throws -> [[Value]] {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    return try statement.map { row in (0..<row.columnCount).map { row.value(at: $0) } }
  }

  private func bound(_ sql: String, _ values: [Value]) throws -> Statement {
    let statement = try opened().connection.cached(sql)
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    return statement
  }

  /// The copy, whose changes are one transaction.
  private func opened() throws -> (store: StoreFile, connection: Connection) {
    if let copy { return copy }
    removeCopy()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let store = try StoreCopier.copy(start, into: folder)
    let connection = try Connection(
      path: store.path,
      mode: .readWrite,
      settings: ConnectionSettings(synchronous: .off)
    )
    try connection.execute("BEGIN")
    copy = (store, connection)
    return (store, connection)
  }

  /// What the copy holds at present, read on a connection of its own.
  ///
  /// It stays as it is, whatever is changed afterwards.
  package func content() throws -> StoreContent {
    guard let copy else { return try content(start) }
    try copy.connection.execute("COMMIT")
    try copy.connection.checkpoint()
    let found = try content(copy.store)
    try copy.connection.execute("BEGIN")
    return found
  }

  private func content(_ store: StoreFile) throws -> StoreContent {
    try StoreContent(store: store, layout: layout, pathAttributes: inspection.pathAttributes)
  }

  /// Puts a file of the app's own beside the copy.
  package func write(_ bytes: [UInt8], toFile name: String) throws {
    let files = try opened().store.filesFolder
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: files + "/" + name))
  }

  // MARK: Comparing

  /// Compares the trial's store with the copy: every object with its version, every relationship,
  /// every file of external storage, the history, and the rules of the layout.
  ///
  /// It reads both stores as streams, so that memory does not grow with them.
  ///
  /// - Returns: The digest of the content, the same for the same content.
  /// - Throws: ``VerificationFailure`` with the first differences, and errors of SQLite.
  public func verification() throws -> Verification {
    let problems = try problems()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(digest: try inspection.digest())
  }

  /// One sentence for each thing of the trial's store that is not as in the copy.
  package func problems(
    comparing adjust: (inout ContentComparison) -> Void = { $0.comparesVersions = true }
  ) throws -> [String] {
    var expected = ExpectedContent(from: try content(start))
    if let copy {
      try copy.connection.execute("COMMIT")
      try copy.connection.checkpoint()
      self.copy = nil
      expected = ExpectedContent(from: try content(start), to: try content(copy.store))
    }
    return try inspection.problems(expecting: expected, history: history, comparing: adjust)
  }
}

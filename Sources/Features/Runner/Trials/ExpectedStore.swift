import DataModel
import Foundation
import PersistentStore
import SQLite

/// The store that a case must produce: a copy of its starting store to which the verification
/// applies the expected changes in plain SQL.
///
/// The statements are written for verification only and share no code with the work.
///
/// ```swift
/// let expected = try ExpectedStore(trial)
/// try expected.change("UPDATE ZTASK SET ZISFLAGGED = 1 WHERE Z_PK <= 100")
/// return try expected.verification()
/// ```
///
/// The first statement creates the copy, and deinitialization removes it.
public final class ExpectedStore {
  package let layout: StoreLayout
  /// The settings for inspecting the trial's store; a workload kind may permit violations of some
  /// rules.
  package var inspection: StoreInspection
  /// The history that the trial's store must contain; `nil` if the kind checks the history itself.
  package var history: ExpectedHistory? = .unchanged
  /// The rules of the layout that the trial's store may break as often as the copy breaks them.
  package var sharedFaults: Set<AuditRule> = []
  package let trial: Trial
  private let folder: String
  private var copy: (store: StoreFile, connection: Connection)?

  /// Creates an expected store that is equal to the trial's starting store until statements change
  /// it.
  ///
  /// - Throws: An error that names the store if it cannot be read.
  public convenience init(_ trial: Trial) throws {
    let start = try PersistentStore.open(trial.start, mode: trial.start.restingMode)
    self.init(trial, start.layout)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
  }

  /// Creates an expected store that is equal to the trial's starting store until a statement
  /// changes it.
  package init(_ trial: Trial, _ layout: StoreLayout) {
    self.trial = trial
    self.layout = layout
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
  /// - Throws: An error with SQLite's message, for example if a table does not exist.
  public func change(_ sql: String) throws { try change(sql, []) }

  /// Runs a statement that changes the copy; `?1` stands for the first value.
  ///
  /// - Throws: errors of SQLite or of copying the store.
  package func change(_ sql: String, _ values: Value...) throws { try change(sql, values) }

  package func change(_ sql: String, _ values: [Value]) throws { try bound(sql, values).run() }

  /// Returns the rows that a query finds in the current copy.
  ///
  /// - Throws: errors of SQLite or of copying the store.
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

  /// Returns the copy and creates it if necessary; all changes to the copy are in one transaction.
  private func opened() throws -> (store: StoreFile, connection: Connection) {
    if let copy { return copy }
    removeCopy()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let store = try StoreCopier.copy(trial.start, into: folder)
    let connection = try Connection(
      path: store.path,
      mode: .readWrite,
      settings: ConnectionSettings(synchronous: .off)
    )
    // Let the copy's triggers update derived attributes, as in the trial's store.
    try StoreTriggers(connection).allow(on: connection)
    try connection.execute("BEGIN")
    copy = (store, connection)
    return (store, connection)
  }

  /// Returns the current content of the copy, read on a separate connection.
  ///
  /// Later changes to the copy do not affect it.
  ///
  /// - Throws: errors of SQLite.
  package func content() throws -> StoreContent {
    guard let copy else { return try content(trial.start) }
    try copy.connection.execute("COMMIT")
    try copy.connection.checkpoint()
    let found = try content(copy.store)
    try copy.connection.execute("BEGIN")
    return found
  }

  private func content(_ store: StoreFile) throws -> StoreContent {
    try StoreContent(store: store, layout: layout, pathAttributes: inspection.pathAttributes)
  }

  /// Writes an app's own file next to the copy.
  ///
  /// - Throws: errors of copying the store or writing the file.
  package func write(_ bytes: [UInt8], toFile name: String) throws {
    let files = try opened().store.filesFolder
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: files + "/" + name))
  }

  // MARK: Comparing with the copy

  /// Compares the trial's store with the copy: every object with its version, every relationship,
  /// every file of external storage, the history, and the rules of the layout.
  ///
  /// Both stores are streamed, so that memory use does not grow with their size.
  ///
  /// - Returns: The digest of the content; equal contents have equal digests.
  /// - Throws: ``VerificationFailure`` with the first differences, and errors of SQLite.
  public func verification() throws -> Verification {
    let problems = try problems()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(digest: try inspection.digest())
  }

  /// Returns the differences between the trial's store and the copy, one sentence each.
  ///
  /// - Throws: errors of SQLite.
  package func problems(
    comparing adjust: (inout ContentComparison) -> Void = { $0.comparesVersions = true }
  ) throws -> [String] {
    var expected = ExpectedContent(from: try content(trial.start))
    if let copy {
      try copy.connection.execute("COMMIT")
      try copy.connection.checkpoint()
      self.copy = nil
      if !sharedFaults.isEmpty {
        var audit = StoreAudit(store: copy.store, layout: layout)
        audit.pathAttributes = inspection.pathAttributes
        (audit.checksIntegrity, audit.checksObjects) = (false, false)
        inspection.knownFaults += try audit.findings().filter { sharedFaults.contains($0.rule) }
      }
      expected = ExpectedContent(from: try content(trial.start), to: try content(copy.store))
    }
    return try inspection.problems(expecting: expected, history: history, comparing: adjust)
  }
}

import PersistentStore
import Runner
import SQLite

/// Checks that a store is as it was before: after a migration that failed, or that was rolled back.
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
      digest: try inspection.digest(DigestOptions(identity: .content)),
      notes: session.refusal.map { ["refused: \($0)"] } ?? []
    )
  }
}

/// What a store says of itself: its definitions, its metadata, its model, its keys.
struct StoredTexts {
  private let parts: [(name: String, rows: [String])]

  init(_ store: StoreFile) throws {
    let connection = try Connection(path: store.path, mode: .readOnly, settings: nil)
    parts = try [
      ("definitions", "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"),
      ("Z_METADATA", "SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA"),
      ("Z_MODELCACHE", "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE"),
      ("Z_PRIMARYKEY", "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"),
    ].map { ($0, try Self.rows($1, connection)) }
  }

  private static func rows(_ sql: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.text(at: $0) }.joined(separator: " | ")
      )
    }
    return rows
  }

  /// Which parts are not those of another store.
  func findings(expecting other: StoredTexts) -> [String] {
    zip(parts, other.parts).compactMap { part, wanted in
      part.rows == wanted.rows ? nil : "\(part.name) of the store are not as they were"
    }
  }
}

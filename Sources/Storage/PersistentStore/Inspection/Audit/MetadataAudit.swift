import DataModel
import SQLite

/// Checks that there is one row of metadata with a readable property list, and that the model
/// cache holds the model whose layout this is.
struct MetadataAudit {
  let run: AuditRun

  func check() throws {
    if run.has("Z_METADATA") { try checkMetadata() }
    if run.has("Z_MODELCACHE"), let fault = modelCacheFault() {
      run.add(AuditFinding(rule: .wrongModelCache, place: "Z_MODELCACHE", example: fault))
    }
  }

  private func checkMetadata() throws {
    let row = try run.connection.prepare(
      "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION"
    )
    var faults: [String] = []
    var count = 0
    while try row.step() {
      count += 1
      if row.integer(at: 0) != 1 { faults.append("version \(row.integer(at: 0))") }
      if !BlobContent.isUUID(Array(row.text(at: 1).utf8)) { faults.append("no UUID") }
      if let fault = listFault(row.blob(at: 2)) { faults.append(fault) }
    }
    if count != 1 { faults.insert("\(count) rows", at: 0) }
    guard let first = faults.first else { return }
    run.add(
      AuditFinding(
        rule: .wrongMetadata,
        place: "Z_METADATA",
        count: Int64(faults.count),
        example: first
      )
    )
  }

  private func listFault(_ bytes: [UInt8]) -> String? {
    guard let list = try? PropertyList(binary: bytes).dictionary else {
      return "no readable property list"
    }
    guard let hashes = list["NSStoreModelVersionHashes"]?.dictionary, !hashes.isEmpty else {
      return nil
    }
    let entities = Set(run.layout.numbers.entities.map(\.name))
    return Set(hashes.keys) == entities ? nil : "version hashes of other entities"
  }

  /// The model's layout is compared and not the model: what has no place in a store may differ.
  private func modelCacheFault() -> String? {
    guard let model = try? ModelCache.read(from: run.connection, path: run.store.path) else {
      return "no readable model"
    }
    let cached = StoreLayout(
      model: model,
      keepsHistory: run.layout.keepsHistory,
      generation: run.layout.generation,
      existing: Set(run.layout.joinTables.map(\.name))
    )
    return cached.definitions == run.layout.definitions ? nil : "another model"
  }
}

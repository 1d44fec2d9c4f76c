import DataModel
import Foundation
import PersistentStore
import SQLite

/// Reads what a store says of itself, and what of it Apple's frameworks would miss.
struct MetadataScan {
  let reader: StoreReader
  let model: Model?

  func survey() throws -> MetadataSurvey {
    let path = reader.store.path
    let metadata: StoreMetadata
    do {
      metadata = try StoreMetadata(from: reader.connection, path: path)
    } catch PersistentStoreError.damaged(_, let reason) {
      let mayMissWAL = reader.header.usesWAL && reader.wal == nil
      throw PersistentStoreError.damaged(
        path: path,
        reason: reason
          + (mayMissWAL ? "; it is in WAL mode and its -wal is not beside it: copy both" : "")
      )
    }
    let list = try plist()
    let evidence = flavourEvidence(metadata)
    return MetadataSurvey(
      uuid: metadata.uuid,
      frameworkVersion: metadata.frameworkVersion,
      systems: Self.systems(of: metadata.frameworkVersion),
      flavour: evidence.count >= 2 && reader.schema.has("ATRANSACTION") ? .swiftData : .coreData,
      flavourEvidence: evidence,
      versionIdentifiers: metadata.versionIdentifiers,
      versionHashes: metadata.versionHashes.mapValues { Data($0).base64EncodedString() },
      hashesDigest: list["NSStoreModelVersionHashesDigest"]?.string,
      modelChecksum: list["NSStoreModelVersionChecksumKey"]?.string,
      missingForOpening: missing(metadata, list),
      otherKeys: metadata.others.keys.sorted()
    )
  }

  private func plist() throws -> [String: PropertyList] {
    let row = try reader.connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    guard try row.step() else { return [:] }
    return (try? PropertyList(binary: row.blob(at: 0)).dictionary) ?? [:]
  }

  /// What SwiftData leaves and Core Data does not (coredata-format.md, section 14).
  private func flavourEvidence(_ metadata: StoreMetadata) -> [String] {
    var evidence: [String] = []
    let isVersion = metadata.versionIdentifiers.contains { text in
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 3 && parts.allSatisfy { Int($0) != nil }
    }
    if isVersion {
      evidence.append("its version identifier is a schema version")
    }
    if model?.configurations["default"] != nil {
      evidence.append("its model has the configuration 'default'")
    }
    if reader.store.name == "default.store" { evidence.append("it is called default.store") }
    return evidence
  }

  /// What the frameworks check before they open a store (coredata-format.md, sections 9 and 10).
  private func missing(_ metadata: StoreMetadata, _ list: [String: PropertyList]) -> [String] {
    var missing: [String] = []
    if UUID(uuidString: metadata.uuid) == nil { missing.append("a UUID in Z_UUID") }
    if list["NSStoreType"]?.string != "SQLite" { missing.append("NSStoreType") }
    if metadata.frameworkVersion <= 0 { missing.append("NSPersistenceFrameworkVersion") }
    if list["NSStoreModelVersionHashesVersion"]?.integer != 3 {
      missing.append("NSStoreModelVersionHashesVersion 3")
    }
    missing += missingHashes(metadata, list)
    if model == nil { missing.append("a model in Z_MODELCACHE") }
    return missing
  }

  private func missingHashes(
    _ metadata: StoreMetadata,
    _ list: [String: PropertyList]
  ) -> [String] {
    guard !metadata.versionHashes.isEmpty else {
      return ["the version hashes of its entities"]
    }
    var missing = (model?.entities ?? []).filter { metadata.versionHashes[$0.name]?.count != 32 }
      .map { "the version hash of \($0.name)" }
    if missing.count > 3 { missing = ["the version hashes of \(missing.count) entities"] }
    let digest = list["NSStoreModelVersionHashesDigest"]?.string
    if metadata.frameworkVersion >= 973, digest != metadata.hashesDigest {
      missing.append(digest == nil ? "the digest of its hashes" : "a digest that fits its hashes")
    }
    let checksum = list["NSStoreModelVersionChecksumKey"]?.string
    if metadata.frameworkVersion >= 1333, checksum != metadata.checksum {
      missing.append(checksum == nil ? "the model's checksum" : "a checksum that fits its hashes")
    }
    return missing
  }

  /// From the names and SQLite versions of real stores; Apple documents no such table.
  private static func systems(of framework: Int) -> String? {
    let table: [(ClosedRange<Int>, String)] = [
      (500...599, "iOS 8, macOS 10.10"), (600...699, "iOS 9, macOS 10.11"),
      (700...799, "iOS 10, macOS 10.12"), (800...859, "iOS 11, macOS 10.13"),
      (860...899, "iOS 12, macOS 10.14"), (900...999, "iOS 13, macOS 10.15"),
      (1000...1099, "iOS 14, macOS 11"), (1100...1199, "iOS 15, macOS 12"),
      (1200...1299, "iOS 16, macOS 13"), (1300...1399, "iOS 17, macOS 14"),
      (1400...1499, "iOS 18, macOS 15"), (1500...1599, "iOS 26, macOS 26"),
    ]
    return table.first { $0.0.contains(framework) }?.1
  }
}

import Basics
import DataModel
import Foundation
import SQLite

/// The contents of Z_METADATA (coredata-format.md, section 9).
package struct StoreMetadata: Hashable, Sendable {
  /// The store's UUID, with 36 characters in upper case; migrations keep it.
  package var uuid: String
  package var versionIdentifiers: [String]
  /// The version of Core Data whose layout the store has.
  package var frameworkVersion: Int
  /// The 32-byte version hash of each entity; empty if unknown.
  ///
  /// Hashes are copied from the output of Apple's tools and never computed.
  package var versionHashes: [String: [UInt8]]
  /// The entries of the property list in Z_PLIST that the other properties do not determine, such
  /// as the app's own.
  package var others: [String: PropertyList]

  /// The framework version of new and migrated stores, as in iOS 26 and macOS 26.
  package static let currentFrameworkVersion = 1523

  package init(
    uuid: String,
    versionIdentifiers: [String],
    frameworkVersion: Int = currentFrameworkVersion,
    versionHashes: [String: [UInt8]] = [:],
    others: [String: PropertyList] = [:]
  ) {
    self.uuid = uuid
    self.versionIdentifiers = versionIdentifiers
    self.frameworkVersion = frameworkVersion
    self.versionHashes = versionHashes
    self.others = others
  }

  private enum Key {
    static let storeType = "NSStoreType"
    static let identifiers = "NSStoreModelVersionIdentifiers"
    static let framework = "NSPersistenceFrameworkVersion"
    static let maximumFramework = "NSPersistenceMaximumFrameworkVersion"
    static let hashesVersion = "NSStoreModelVersionHashesVersion"
    static let hashes = "NSStoreModelVersionHashes"
    static let digest = "NSStoreModelVersionHashesDigest"
    static let checksum = "NSStoreModelVersionChecksumKey"
    static let autoVacuum = "_NSAutoVacuumLevel"
    static let all = [
      storeType, identifiers, framework, maximumFramework, hashesVersion, hashes, digest, checksum,
      autoVacuum,
    ]
  }

  /// The property list in Z_PLIST.
  package var propertyList: PropertyList {
    var entries = others
    entries[Key.storeType] = .string("SQLite")
    entries[Key.identifiers] = .array(versionIdentifiers.map { .string($0) })
    entries[Key.framework] = .integer(Int64(frameworkVersion))
    entries[Key.hashesVersion] = .integer(3)
    entries[Key.autoVacuum] = .string("2")
    if frameworkVersion >= 1523 {
      entries[Key.maximumFramework] = .integer(Int64(frameworkVersion))
    }
    if !versionHashes.isEmpty {
      entries[Key.hashes] = .dictionary(versionHashes.mapValues { .data($0) })
      if frameworkVersion >= 973 { entries[Key.digest] = .string(hashesDigest) }
      if frameworkVersion >= 1333 { entries[Key.checksum] = .string(checksum) }
    }
    return .dictionary(entries)
  }

  private var sortedHashes: [(name: String, hash: [UInt8])] {
    versionHashes.map { ($0.key, $0.value) }
      .sorted(byBytesOf: \.0)
  }

  /// The SHA-512 of the entities' names and hashes, sorted by the bytes of the names, in Base64.
  package var hashesDigest: String {
    var hash = SHA512()
    for (name, bytes) in sortedHashes {
      hash.update(data: Array(name.utf8))
      hash.update(data: bytes)
    }
    return Data(hash.finalize()).base64EncodedString()
  }

  /// The SHA-256 of the entities' hashes, sorted by the bytes of the names, in Base64.
  package var checksum: String {
    var hash = SHA256()
    for (_, bytes) in sortedHashes { hash.update(data: bytes) }
    return Data(hash.finalize()).base64EncodedString()
  }

  /// Reads the single row of Z_METADATA.
  ///
  /// - Throws: ``PersistentStoreError/damaged(path:reason:)`` unless there is exactly one readable
  ///   row; ``PersistentStoreError/incomplete(path:reason:)`` if its property list is empty.
  package init(from connection: Connection, path: String) throws {
    func damaged(_ reason: String) -> PersistentStoreError {
      .damaged(path: path, reason: reason)
    }
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    guard try statement.step() else { throw damaged("Z_METADATA has no row") }
    uuid = statement.text(at: 0)
    let bytes = statement.blob(at: 1)
    guard try !statement.step() else { throw damaged("Z_METADATA has more than one row") }
    guard !bytes.isEmpty else {
      throw PersistentStoreError.incomplete(
        path: path,
        reason: "Z_METADATA has no property list, which names its framework and its model's version"
      )
    }
    guard let entries = try? PropertyList(binary: bytes).dictionary else {
      throw damaged("the metadata in Z_METADATA is not a property list")
    }
    versionIdentifiers = entries[Key.identifiers]?.array?.compactMap(\.string) ?? []
    frameworkVersion = Int(entries[Key.framework]?.integer ?? 0)
    versionHashes = (entries[Key.hashes]?.dictionary ?? [:]).compactMapValues(\.data)
    others = entries.filter { !Key.all.contains($0.key) }
  }
}

extension StoreMetadata {
  /// Sets the app's own metadata entries in the caller's transaction
  /// (`NSPersistentStoreCoordinator.setMetadata(_:for:)`); `nil` removes an entry.
  ///
  /// - Throws: ``PersistentStoreError/damaged(path:reason:)`` if the metadata cannot be read.
  package static func set(_ entries: [String: PropertyList?], on connection: Connection) throws {
    let statement = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    guard try statement.step(),
      var all = try? PropertyList(binary: statement.blob(at: 0)).dictionary
    else {
      let reason = "the metadata in Z_METADATA is not a property list"
      throw PersistentStoreError.damaged(path: connection.path, reason: reason)
    }
    statement.reset()
    for (name, value) in entries { all[name] = value }
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    update.bind(.blob(PropertyList.dictionary(all).binary()), at: 1)
    try update.run()
  }
}

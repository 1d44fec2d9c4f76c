/// What the metadata of a generated store is copied from.
package struct StoreOrigin: Hashable, Sendable {
  package var versionIdentifiers: [String]
  /// The entities' version hashes, from a store or from a `VersionInfo.plist`.
  package var versionHashes: [String: [UInt8]]

  package init(versionIdentifiers: [String], versionHashes: [String: [UInt8]]) {
    self.versionIdentifiers = versionIdentifiers
    self.versionHashes = versionHashes
  }
}

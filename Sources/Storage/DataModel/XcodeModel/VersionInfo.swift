/// What `VersionInfo.plist` of a compiled model says: version hashes as Apple's compiler made them.
package struct VersionInfo: Hashable, Sendable {
  package let current: String?
  /// By version name, the 32-byte version hash of each entity.
  package let hashes: [String: [String: [UInt8]]]
  /// By version name, base64.
  package let checksums: [String: String]
  /// By name, what in the file is not understood.
  package let unknown: [String]

  /// Reads the file; throws a ``DataModelError``.
  package init(path: String) throws {
    let list = try PropertyListFile.read(path: path)
    guard let fields = list.dictionary,
      let versions = fields["NSManagedObjectModel_VersionHashes"]?.dictionary
    else { throw DataModelError.unreadable(path: path, reason: "it holds no version hashes") }
    current = fields["NSManagedObjectModel_CurrentVersionName"]?.string
    let digests = fields["NSManagedObjectModel_VersionChecksums"]?.dictionary ?? [:]
    checksums = digests.compactMapValues(\.string)
    var hashes: [String: [String: [UInt8]]] = [:]
    for (version, entities) in versions {
      let found = entities.dictionary?.compactMapValues(\.data).filter { $0.value.count == 32 }
      guard let found, found.count == entities.dictionary?.count else {
        throw DataModelError.unreadable(
          path: path,
          reason: "the version hashes of '\(version)' are not 32 bytes each"
        )
      }
      hashes[version] = found
    }
    self.hashes = hashes
    let known: Set<String> = [
      "NSManagedObjectModel_CurrentVersionName", "NSManagedObjectModel_VersionHashes",
      "NSManagedObjectModel_VersionChecksums",
    ]
    unknown = fields.keys.sorted().filter { !known.contains($0) }.map {
      "VersionInfo.plist: key \($0)"
    }
  }
}

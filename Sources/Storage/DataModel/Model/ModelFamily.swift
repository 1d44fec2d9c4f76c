/// All versions of one model, and what their source says beside the models themselves.
package struct ModelFamily: Hashable, Sendable {
  /// In the order of their names, numbers by value.
  package var versions: [VersionedSchema]
  /// The name of the version that an app opens its stores with, where the source says so.
  package var current: String?
  /// By version name, the 32-byte version hash of each entity; only compiled models have them.
  package var versionHashes: [String: [String: [UInt8]]]
  /// By version name, the checksum of the version's hashes, base64.
  package var checksums: [String: String]
  /// Whether a version is marked in the model editor as used with CloudKit.
  package var isUsedWithCloudKit = false
  /// By name, what in the source is not understood and therefore not kept.
  package var unknown: [String]

  package init(
    versions: [VersionedSchema],
    current: String? = nil,
    versionHashes: [String: [String: [UInt8]]] = [:],
    checksums: [String: String] = [:],
    unknown: [String] = []
  ) {
    self.versions = versions
    self.current = current
    self.versionHashes = versionHashes
    self.checksums = checksums
    self.unknown = unknown
  }

  /// The version of that name.
  package func version(named name: String) -> VersionedSchema? {
    versions.first { $0.name == name }
  }
}

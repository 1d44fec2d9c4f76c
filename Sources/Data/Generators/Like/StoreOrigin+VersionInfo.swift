import DataModel
import PersistentStore

extension StoreOrigin {
  /// The origin of a store whose model's version hashes a `VersionInfo.plist` has.
  ///
  /// The version whose entities are the model's is taken, the current one before others.
  /// - Throws: ``GeneratorsError/noVersionHashes(path:)`` where no version, or more than one, fits.
  package init(versionInfo path: String, model: Model) throws {
    let info = try VersionInfo(path: path)
    let names = Set(model.entities.map(\.name))
    let fitting = info.hashes.filter { Set($0.value.keys) == names }
    let current = info.current.flatMap { fitting[$0] }
    guard let hashes = current ?? (fitting.count == 1 ? fitting.first?.value : nil) else {
      throw GeneratorsError.noVersionHashes(path: path)
    }
    self.init(versionIdentifiers: model.versionIdentifiers, versionHashes: hashes)
  }
}

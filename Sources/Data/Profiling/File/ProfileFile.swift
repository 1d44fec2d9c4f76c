import DataModel
import Foundation
import PersistentStore

/// Reads profile files, which may come from anybody.
package enum ProfileFile {
  /// Whether a file's top value is that of a profile.
  package static func isProfile(_ value: YAMLValue) -> Bool {
    value.isMapping && value.mapping()?["profile"] != nil
  }

  /// The profile of a file, or `nil` after reporting why there is none.
  ///
  /// - Throws: ``DataModelError`` where the file cannot be read at all.
  package static func read(path: String, into diagnostics: Diagnostics) throws -> StoreProfile? {
    try YAMLDocument.read(path: path, into: diagnostics).flatMap(profile)
  }

  /// The profile of a file's top value, or `nil` after reporting what is wrong with it.
  package static func profile(_ value: YAMLValue) -> StoreProfile? {
    let keys = [
      "profile", "k", "flavour", "framework", "versions", "hashes", "entities", "history", "model",
    ]
    guard let mapping = value.mapping(knowing: keys),
      let format = mapping.required("profile")?.integer(),
      let k = mapping.required("k")?.integer(in: StoreProfile.smallestK...1_000_000_000),
      let framework = mapping.required("framework")?.integer(in: 1...1_000_000),
      let model = mapping.required("model").flatMap(ModelFile.model)
    else { return nil }
    guard format == StoreProfile.format else {
      value.report("'profile' is \(format), and this version reads \(StoreProfile.format)")
      return nil
    }
    let flavours = Flavour.allCases.map { (word: $0.rawValue, value: $0) }
    let entities = ProfileEntityReader(model: model, k: k)
    let profile = StoreProfile(
      k: k,
      model: model,
      flavour: mapping["flavour"]?.choice(of: flavours) ?? .coreData,
      frameworkVersion: framework,
      versionIdentifiers: mapping["versions"]?.itemsOrSelf().compactMap { $0.string() } ?? [""],
      versionHashes: hashes(mapping["hashes"]),
      entities: entities.entities(mapping.required("entities")),
      history: mapping["history"].flatMap(entities.history)
    )
    return value.diagnostics.hasErrors ? nil : profile
  }

  private static func hashes(_ value: YAMLValue?) -> [String: [UInt8]] {
    var hashes: [String: [UInt8]] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      guard let text = entry.value.string() else { continue }
      guard let hash = Data(base64Encoded: text).map(Array.init), hash.count == 32 else {
        entry.value.report("a version hash must be 32 bytes in base64")
        continue
      }
      hashes[entry.key] = hash
    }
    return hashes
  }
}

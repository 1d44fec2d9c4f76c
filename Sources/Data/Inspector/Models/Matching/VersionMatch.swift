import DataModel
import PersistentStore

/// Which version of a model a store was written with.
package enum VersionMatch: Hashable, Sendable {
  /// The one version whose hash of every entity is the store's.
  case hashes(version: String)
  /// The source has no hashes, but one version is the very model that the store carries.
  case model(version: String)
  /// Several versions fit, by the same evidence.
  case ambiguous(versions: [String])
  /// No version fits; `nearest` shares the most hashes with the store.
  case unknown(nearest: String?, differing: [String])

  /// Matches a store by the hashes that it carries, never computing any.
  package static func of(_ store: StoreFacts, in family: ModelFamily) -> VersionMatch {
    let hashed = family.versions.filter { family.versionHashes[$0.name]?.isEmpty == false }
    guard !hashed.isEmpty, !store.metadata.versionHashes.isEmpty else {
      return byModel(store.model, in: family)
    }
    return byHashes(store.metadata.versionHashes, in: family, hashed: hashed.map(\.name))
  }

  package static func byHashes(
    _ hashes: [String: [UInt8]],
    in family: ModelFamily,
    hashed: [String]
  ) -> VersionMatch {
    let equal = hashed.filter { family.versionHashes[$0] == hashes }
    if equal.count > 1 { return .ambiguous(versions: equal) }
    if let only = equal.first { return .hashes(version: only) }
    func differing(_ name: String) -> [String] {
      let others = family.versionHashes[name] ?? [:]
      return Set(hashes.keys).union(others.keys).filter { hashes[$0] != others[$0] }.sorted()
    }
    let nearest = hashed.min { differing($0).count < differing($1).count }
    let shared = nearest.map { name in
      hashes.contains { family.versionHashes[name]?[$0.key] == $0.value }
    }
    guard let nearest, shared == true else { return .unknown(nearest: nil, differing: []) }
    return .unknown(nearest: nearest, differing: differing(nearest))
  }

  private static func byModel(_ model: Model, in family: ModelFamily) -> VersionMatch {
    let equal = family.versions.filter { $0.model == model }.map(\.name)
    if equal.count > 1 { return .ambiguous(versions: equal) }
    return equal.first.map { .model(version: $0) } ?? .unknown(nearest: nil, differing: [])
  }

  /// The version, where there is no doubt about it.
  package var version: String? {
    switch self {
    case .hashes(let version), .model(let version): version
    case .ambiguous, .unknown: nil
    }
  }
}

extension VersionMatch: CustomStringConvertible {
  package var description: String {
    switch self {
    case .hashes(let version): "is of version '\(version)': every entity's hash is the same"
    case .model(let version):
      "is of version '\(version)': its model cache is equal; the source has no hashes to compare"
    case .ambiguous(let versions):
      "is ambiguous: \(versions.map { "'\($0)'" }.joined(separator: " and ")) fit alike"
    case .unknown(nil, _): "is of no version in this source"
    case .unknown(let nearest?, let differing):
      "is of no version in this source; the nearest, '\(nearest)', differs in "
        + differing.joined(separator: ", ")
    }
  }
}

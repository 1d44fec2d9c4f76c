import Basics
import DataModel
import Foundation
import PersistentStore
import SwiftModels

/// The models at a path: their versions, the steps between them, and contradictions between the
/// sources.
package struct ModelReport: Sendable {
  /// The sources, each with all its versions.
  package let sources: [ModelInput]
  /// The stores in the same folder, with the version of the store in each source.
  package let stores: [(facts: StoreFacts, matches: [(source: String, match: VersionMatch)])]
  /// The errors for the files that could not be read.
  package let failures: [String]

  package var agreements: [SourceAgreement] { SourceAgreement.all(sources) }

  /// Reads a model, or all models and stores below a folder.
  ///
  /// - Throws: a ``Refusal`` if a path that names a model cannot be read, or if nothing in a folder
  ///   can be read.
  package init(path: String) throws {
    guard StoreSearch.isFolder(path), !ModelInput.isModelFolder(path) else {
      (sources, stores, failures) = ([try ModelInput.read(path: path)], [], [])
      return
    }
    let paths = try ModelSource.sources(below: path)
    guard !paths.isEmpty else {
      (sources, stores, failures) = ([try ModelInput.read(path: path)], [], [])
      return
    }
    var failures: [String] = []
    let sources = paths.compactMap { path in
      do {
        return try ModelInput(path: path, family: try ModelSource.read(path: path))
      } catch {
        failures.append("\(path): \(error)")
        return nil
      }
    }
    let files = (try? StoreSearch.stores(in: path)) ?? []
    stores = files.compactMap { file in
      do {
        let facts = try StoreFacts(store: file)
        return (facts, sources.map { ($0.path, VersionMatch.of(facts, in: $0.family)) })
      } catch {
        failures.append("\(file.path): \(error)")
        return nil
      }
    }
    self.sources = sources
    self.failures = failures
  }

  /// Whether a path leads to a model or to a folder that contains models.
  package static func isAbout(_ path: String) -> Bool {
    // Only a path to a model may end in `#` and a version, because a store has just one version.
    ModelSource.parts(of: path).version != nil || ModelInput.isModelFile(path)
      || MistakenFile(path: path) != nil || StoreSearch.isFolder(path) && holdsModels(path)
  }

  /// Whether a folder contains models, or Swift source files and no store.
  private static func holdsModels(_ path: String) -> Bool {
    (try? ModelSource.sources(below: path))?.isEmpty == false
      || (try? StoreSearch.stores(in: path)) == nil && ModelSource.holdsSwift(path)
  }

  /// Returns the steps between the consecutive versions of a family.
  package static func steps(of family: ModelFamily) -> [VersionStep] {
    zip(family.versions, family.versions.dropFirst()).map {
      VersionStep(from: $0, to: $1, in: family)
    }
  }

  /// A chain of migrations that produces a different store than the direct step to the current
  /// version.
  package struct Detour: Encodable, Sendable {
    package let from: String
    package let to: String
    /// The differences between the stores that result from the chain and from the direct step.
    package let differences: [MigrationChain.Difference]
    /// Whether each step of the chain can be inferred.
    package let areStepsLightweight: Bool
    /// Whether the direct step can be inferred.
    package let isDirectLightweight: Bool
  }

  /// Returns the versions of a family from the first to the current version.
  private static func shipped(_ family: ModelFamily) -> ArraySlice<VersionedSchema> {
    let last = family.versions.lastIndex { $0.name == family.current }
    return family.versions[...(last ?? family.versions.count - 1)]
  }

  /// Returns the known risk of a staged migration plan from a family's first version to its current
  /// version; `nil` if no risk is known.
  package static func stagePlanRisk(of family: ModelFamily) -> StagePlanRisk? {
    StagePlanRisk(shipped(family), stages: family.stages)
  }

  /// Returns the earlier versions from which a chain through the later versions gives a different
  /// result than a direct step to the current version.
  package static func detours(of family: ModelFamily) -> [Detour] {
    let versions = Array(shipped(family))
    let steps = zip(versions, versions.dropFirst()).map {
      MappingModel(from: $0.model, to: $1.model)
    }
    guard let last = versions.last, steps.count > 1 else { return [] }
    return (0..<(steps.count - 1)).compactMap { start in
      let direct = MappingModel(from: versions[start].model, to: last.model)
      let chain = MigrationChain(steps: Array(steps[start...]), direct: direct)
      guard !chain.differences.isEmpty else { return nil }
      return Detour(
        from: versions[start].name,
        to: last.name,
        differences: chain.differences,
        areStepsLightweight: chain.isLightweight,
        isDirectLightweight: direct.isLightweight
      )
    }
  }

  /// The step from one version of a model to the next.
  package struct VersionStep: Encodable, Sendable {
    package let from: String
    package let to: String
    package let isLightweight: Bool
    package let changes: [String]
    package let obstacles: [String]
    /// The attributes whose struct's fields change, so that it is not known whether they can be
    /// migrated.
    package let changedStructs: [String]
    /// CloudKit's rule that a schema only grows, if the app is synced and the step violates the
    /// rule.
    package let brokenSync: RuleFinding?

    package init(from old: VersionedSchema, to new: VersionedSchema, in family: ModelFamily) {
      let mapping = MappingModel(from: old.model, to: new.model)
      from = old.name
      to = new.name
      isLightweight = mapping.isLightweight
      let enums = mapping.changedEnums(
        from: family.enumCases[old.name] ?? [:],
        to: family.enumCases[new.name] ?? [:]
      )
      changes =
        mapping.changes.map(\.description)
        + enums.map { "\($0.entity): the raw values of '\($0.property)' change: \($0.values)" }
      obstacles = mapping.obstacles.map(\.description)
      changedStructs = mapping.changedStructs
      let rule = CloudKitAudit(mapping: mapping).stepFinding
      brokenSync = family.isUsedWithCloudKit && rule.isBroken ? rule : nil
    }
  }
}

/// The version of a model with which a store was written.
package enum VersionMatch: Hashable, Sendable {
  /// Exactly one version has the store's hash for every entity.
  case hashes(version: String)
  /// The source has no hashes, but exactly one version equals the store's model, which the store
  /// contains or the user has given.
  case model(version: String, isGiven: Bool = false)
  /// Several versions match equally well.
  case ambiguous(versions: [String])
  /// No version matches; `nearest` shares the most hashes with the store.
  case unknown(nearest: String?, differing: [String])

  /// Finds the version of a store by the hashes that the store contains, or else by its model.
  package static func of(_ store: StoreFacts, in family: ModelFamily) -> VersionMatch {
    let hashed = family.versions.filter { family.versionHashes[$0.name]?.isEmpty == false }
    guard !hashed.isEmpty, !store.metadata.versionHashes.isEmpty else {
      return byModel(store, in: family)
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

  private static func byModel(_ store: StoreFacts, in family: ModelFamily) -> VersionMatch {
    var equal = family.versions.filter { $0.model == store.model }
    if equal.isEmpty {
      // Ignore details that do not determine a version, such as user info and defaults.
      equal = family.versions.filter { version in
        let assumed = family.assumed[version.name] ?? [:]
        return SchemaComparison(from: store.model, to: version.model, assumed: (nil, assumed))
          .answer == .same
      }
    }
    if equal.count > 1 { return .ambiguous(versions: equal.map(\.name)) }
    return equal.first.map { .model(version: $0.name, isGiven: store.isModelGiven) }
      ?? .unknown(nearest: nil, differing: [])
  }

  /// The version; `nil` if it is ambiguous or unknown.
  package var version: String? {
    switch self {
    case .hashes(let version), .model(let version, _): version
    case .ambiguous, .unknown: nil
    }
  }
}

extension VersionMatch: CustomStringConvertible {
  package var description: String {
    switch self {
    case .hashes(let version): "is of version '\(version)': every entity's hash is the same"
    case .model(let version, let isGiven):
      "is of version '\(version)'"
        + (isGiven
          ? " of the given model, as far as its tables show" : ": the schema in its cache is equal")
        + "; the source has no hashes to compare"
    case .ambiguous(let versions):
      "is ambiguous: \(versions.map { "'\($0)'" }.joined(separator: " and ")) fit equally well"
    case .unknown(nil, _): "matches no version in this source"
    case .unknown(let nearest?, let differing):
      "matches no version in this source; the nearest, '\(nearest)', differs in "
        + differing.joined(separator: ", ")
    }
  }
}

extension ModelReport {
  /// The result of comparing two sources of one model, such as an `.xcdatamodeld` and its `.momd`.
  package struct SourceAgreement: Hashable, Sendable {
    package let first: String
    package let second: String
    package let version: String
    /// The differences between the second source and the first, as sentences; empty if the sources
    /// agree.
    package let differences: [String]

    package var isContradiction: Bool { !differences.isEmpty }

    /// Compares the versions that two sources share: those with the same name, or the only version
    /// of each.
    package static func all(_ inputs: [ModelInput]) -> [SourceAgreement] {
      var agreements: [SourceAgreement] = []
      for (index, first) in inputs.enumerated() {
        for second in inputs[(index + 1)...] {
          agreements += common(first, second).map { name, left, right in
            SourceAgreement(
              first: first.path,
              second: second.path,
              version: name,
              differences: differences(left, right)
            )
          }
        }
      }
      return agreements
    }

    private static func common(
      _ first: ModelInput,
      _ second: ModelInput
    ) -> [(String, Model, Model)] {
      let (left, right) = (first.family.versions, second.family.versions)
      let isBeside = folder(first.path) == folder(second.path)
      if isBeside, left.count == 1, right.count == 1 {
        // A single version read from XML is named `contents` after its file, so use the name from
        // the second source.
        let name = left[0].name == "contents" ? right[0].name : left[0].name
        return [(name, left[0].model, right[0].model)]
      }
      let isOneFamily = stem(first.path) != nil && stem(first.path) == stem(second.path)
      guard isBeside || isOneFamily else { return [] }
      return left.compactMap { version in
        second.family.version(named: version.name).map { (version.name, version.model, $0.model) }
      }
    }

    /// Returns the name of a family of versions without its extension; `nil` for other files.
    private static func stem(_ path: String) -> String? {
      guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."),
        ["xcdatamodeld", "momd"].contains(name[dot...].dropFirst())
      else { return nil }
      return String(name[..<dot])
    }

    private static func folder(_ path: String) -> Substring {
      path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    }

    private static func differences(_ first: Model, _ second: Model) -> [String] {
      guard first != second else { return [] }
      let changes = MappingModel(from: first, to: second).changes.map(\.description)
      return changes.isEmpty
        ? ["they differ only in details that a migration ignores, such as user info"] : changes
    }
  }
}

extension ModelFamily {
  /// Whether the versions' names differ only in a number at the end, such as `Model` and `Model 2`.
  ///
  /// Nothing else in a model's files shows the order in which the versions were released.
  package var hasKnownOrder: Bool {
    let stems = versions.map { version in
      version.name.lowercased().replacing(/[ ._-]*v?[0-9. _-]*$/, with: "")
    }
    return Set(stems).count <= 1
  }
}

import DataModel
import PersistentStore

/// What there is of models at a path, as JSON for programs.
package struct ModelReportDocument: Encodable, Sendable {
  struct Source: Encodable {
    let path: String
    let versions: [Version]
    let current: String?
    let isUsedWithCloudKit: Bool
    let notUnderstood: [String]
    let steps: [VersionStep]
  }

  struct Version: Encodable {
    let name: String
    let entities: [String]
    let hasHashes: Bool
  }

  struct Agreement: Encodable {
    let first: String
    let second: String
    let version: String
    let differences: [String]
  }

  struct Store: Encodable {
    let path: String
    /// By source, the version that the store is of.
    let versions: [String: String]
    let sentences: [String: String]
  }

  let format = "storebench.models"
  let formatVersion = 1
  let sources: [Source]
  let agreements: [Agreement]
  let stores: [Store]
  let notRead: [String]

  package init(_ report: ModelReport) {
    sources = report.sources.map { source in
      let family = source.family
      return Source(
        path: source.path,
        versions: family.versions.map { version in
          Version(
            name: version.name,
            entities: version.model.entities.map(\.name),
            hasHashes: family.versionHashes[version.name]?.isEmpty == false
          )
        },
        current: family.current,
        isUsedWithCloudKit: family.isUsedWithCloudKit,
        notUnderstood: family.unknown,
        steps: ModelReport.steps(of: family)
      )
    }
    agreements = report.agreements.map {
      Agreement(
        first: $0.first,
        second: $0.second,
        version: $0.version,
        differences: $0.differences
      )
    }
    stores = report.stores.map { facts, matches in
      let versions = matches.compactMap { match in
        match.match.version.map { (match.source, $0) }
      }
      return Store(
        path: facts.store.path,
        versions: Dictionary(versions, uniquingKeysWith: { first, _ in first }),
        sentences: Dictionary(
          matches.map { ($0.source, "\($0.match)") },
          uniquingKeysWith: { first, _ in first }
        )
      )
    }
    notRead = report.failures
  }
}

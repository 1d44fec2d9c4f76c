import DataModel
import Foundation
import PersistentStore

/// What one path has of models: its versions, the steps between them, and what contradicts what.
package struct ModelReport: Sendable {
  /// The sources, each with all its versions.
  package let sources: [ModelInput]
  /// The stores beside the sources, each with the version that it is of.
  package let stores: [(facts: StoreFacts, matches: [(source: String, match: VersionMatch)])]
  /// What could not be read, in sentences.
  package let failures: [String]

  package var agreements: [SourceAgreement] { SourceAgreement.all(sources) }

  /// Reads a model, or everything below a folder.
  ///
  /// Throws a ``DataModelError`` where a path that is a model by its name cannot be read, or a folder
  /// holds nothing that can.
  package init(path: String) throws {
    guard StoreSearch.isFolder(path), !ModelInput.isModelFolder(path) else {
      (sources, stores, failures) = ([try ModelInput.read(path: path)], [], [])
      return
    }
    let paths = try ModelSearch.sources(below: path)
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

  /// Whether a path is to be described as one of models: a model, or a folder that has some.
  package static func isAbout(_ path: String) -> Bool {
    ModelInput.isModelFile(path)
      || StoreSearch.isFolder(path) && (try? ModelSearch.sources(below: path))?.isEmpty == false
  }

  /// The difference of each version of a family from the one before it.
  package static func steps(of family: ModelFamily) -> [VersionStep] {
    zip(family.versions, family.versions.dropFirst()).map { VersionStep(from: $0, to: $1) }
  }
}

/// The step from one version of a model to the next.
package struct VersionStep: Encodable, Sendable {
  package let from: String
  package let to: String
  package let isLightweight: Bool
  package let changes: [String]
  package let obstacles: [String]

  package init(from old: VersionedSchema, to new: VersionedSchema) {
    let mapping = MappingModel(from: old.model, to: new.model)
    from = old.name
    to = new.name
    isLightweight = mapping.isLightweight
    changes = mapping.changes.map(\.description)
    obstacles = mapping.obstacles.map(\.description)
  }
}

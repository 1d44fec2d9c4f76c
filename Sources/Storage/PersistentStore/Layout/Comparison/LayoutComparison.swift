import DataModel
import SQLite

/// A store's tables and indexes beside those that its model gives, one by one.
///
///     let comparison = try LayoutComparison(model: model, connection: connection, path: path)
///     for entry in comparison.entries where entry.state != .same { … }
///
/// What differs is explained where it can be: an older framework's form, a migration in place, a
/// part that is understood but never written.
package struct LayoutComparison: Hashable, Sendable {
  /// The version of the framework that the store names; 0 where it names none.
  package let framework: Int
  package let generation: LayoutGeneration
  /// In the order of the file, then what is missing from it.
  package let entries: [LayoutEntry]

  /// Compares by reading the file's schema alone; nothing of it is run.
  ///
  /// Throws a ``PersistentStoreError`` where the metadata cannot be read or the schema is absurd.
  package init(model: Model, connection: Connection, path: String) throws {
    let objects = try SchemaObject.all(of: connection, path: path)
    let metadata = try StoreMetadata(from: connection, path: path)
    let tables = Set(objects.filter { $0.kind == .table }.map(\.name))
    framework = metadata.frameworkVersion
    generation = LayoutGeneration(framework: framework)
    let matching = SchemaMatching(
      layout: StoreLayout(model: model, framework: framework, tables: tables),
      current: StoreLayout(
        model: model,
        framework: StoreMetadata.currentFrameworkVersion,
        tables: tables
      ),
      framework: framework,
      objects: objects
    )
    entries = matching.entries()
  }

  package func entries(in state: LayoutEntry.State) -> [LayoutEntry] {
    entries.filter { $0.state == state }
  }

  /// Whether every statement of the file is the one that the model gives, to the character.
  package var isReproduced: Bool { entries.allSatisfy { $0.state == .same } }

  /// Whether nothing is missing or without an explanation.
  package var isExplained: Bool {
    entries.allSatisfy { $0.state != .missing && $0.state != .unexplained }
  }
}

import Basics
import DataModel
import SQLite

/// Compares each table and index of a store with those that its model requires.
///
/// ```swift
/// let comparison = try LayoutComparison(model: model, connection: connection, path: path)
/// for entry in comparison.entries where entry.state != .same { … }
/// ```
///
/// Differences are explained if possible: an older Core Data version's form, an in-place migration,
/// or a part that StoreBench understands but never writes.
package struct LayoutComparison: Hashable, Sendable {
  /// The framework version recorded in the store, or 0 if the store records no version.
  package let framework: Int
  package let generation: LayoutGeneration
  /// The entries in the order of the file, followed by the entries of missing parts.
  package let entries: [LayoutEntry]

  /// Compares the schema of a file without executing any part of it.
  package init(model: Model, connection: Connection, path: String) throws {
    let objects = try SchemaObject.all(of: connection, path: path)
    let metadata = try StoreMetadata(from: connection, path: path)
    let form = try StoreForm(of: connection)
    framework = metadata.frameworkVersion
    generation = LayoutGeneration(framework: framework)
    entries = SchemaMatching(
      layout: StoreLayout(model: model, framework: framework, form: form),
      form: form,
      framework: framework,
      objects: objects
    ).entries()
  }
}

/// The result for one table, index, trigger or view.
package struct LayoutEntry: Encodable, Hashable, Sendable {
  package enum Kind: String, Encodable, Hashable, Sendable {
    case table
    case index
    case trigger
    case view
  }

  /// How a statement in the file relates to the model's statement.
  package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
    /// The statements are identical, character for character.
    case same
    /// The statement has the form of an older framework version.
    case olderLayout
    /// The statement has a form that an in-place migration can leave: appended or renamed columns,
    /// or indexes with old names.
    case alteredInPlace
    /// StoreBench understands the statement but never writes it, because no source shows its
    /// complete text.
    case notWritten
    /// The model requires the statement, but the file lacks it.
    case missing
    /// Neither the model nor a known migration explains the statement.
    case unexplained
  }

  package let kind: Kind
  package let name: String
  /// The table of an index or trigger; for a table, its own name.
  package let table: String
  package var state: State
  /// The reasons for the state, as lowercase phrases; empty if the state is self-explanatory.
  package var notes: [String] = []
  /// The statement derived from the model, if any.
  package var expected: String?
  /// The statement in the file, if any.
  package var found: String?
}

extension LayoutComparison {
  /// A table, index, trigger or view in a file, as listed in `sqlite_master`.
  struct SchemaObject: Hashable {
    /// The maximum number of schema entries; real schemas are far smaller.
    private static let most = 20_000

    let kind: LayoutEntry.Kind
    let name: String
    let table: String
    let sql: String

    static func all(of connection: Connection, path: String) throws -> [SchemaObject] {
      let row = try connection.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_master "
          + "WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
      )
      var objects: [SchemaObject] = []
      while try row.step() {
        guard objects.count < most else {
          throw PersistentStoreError.damaged(
            path: path,
            reason: "its schema has more than \(most) entries"
          )
        }
        guard let kind = LayoutEntry.Kind(rawValue: row.text(at: 0)) else { continue }
        objects.append(
          SchemaObject(
            kind: kind,
            name: row.text(at: 1),
            table: row.text(at: 2),
            sql: row.text(at: 3)
          )
        )
      }
      return objects
    }
  }
}

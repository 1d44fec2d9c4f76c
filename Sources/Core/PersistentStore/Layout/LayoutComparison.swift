import Basics
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

/// What became of one table, index, trigger or view of a store's layout.
package struct LayoutEntry: Encodable, Hashable, Sendable {
  package enum Kind: String, Encodable, Hashable, Sendable {
    case table
    case index
    case trigger
    case view
  }

  /// How a file's statement relates to the one that the model gives.
  package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
    /// Equal to the character.
    case same
    /// The form that an older framework gave it.
    case olderLayout
    /// A form that a migration in place can leave: appended or renamed columns, indexes under old
    /// names.
    case alteredInPlace
    /// Understood, and never written by StoreBench: no source shows all of its text.
    case notWritten
    /// The model asks for it and the file lacks it.
    case missing
    /// Neither the model nor a known migration accounts for it.
    case unexplained
  }

  package let kind: Kind
  package let name: String
  /// The table it belongs to; for a table its own name.
  package let table: String
  package var state: State
  /// Why, in a lower-case fragment each; empty where the state says it all.
  package var notes: [String] = []
  /// The statement that the model gives, where there is one.
  package var expected: String?
  /// The statement in the file, where there is one.
  package var found: String?
}

extension LayoutComparison {
  /// A table, index, trigger or view of a file, as `sqlite_master` lists it.
  struct SchemaObject: Hashable {
    /// Far above any real schema; a hostile one is not worth comparing.
    private static let most = 20_000

    let kind: LayoutEntry.Kind
    let name: String
    let table: String
    let sql: String

    /// The objects in the order of the file, without those that SQLite makes by itself.
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

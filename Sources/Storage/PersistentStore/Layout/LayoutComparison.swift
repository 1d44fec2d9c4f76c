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
  ///
  /// Throws a ``PersistentStoreError`` where the metadata cannot be read or the schema is absurd.
  package init(model: Model, connection: Connection, path: String) throws {
    let objects = try SchemaObject.all(of: connection, path: path)
    let metadata = try StoreMetadata(from: connection, path: path)
    let form = try StoreForm(of: connection)
    framework = metadata.frameworkVersion
    generation = LayoutGeneration(framework: framework)
    let matching = SchemaMatching(
      layout: StoreLayout(model: model, framework: framework, form: form),
      current: StoreLayout(
        model: model,
        framework: StoreMetadata.currentFrameworkVersion,
        form: form
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
    /// What a migration in place leaves: appended or renamed columns, indexes under old names.
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
    ///
    /// Throws a ``PersistentStoreError`` where there are absurdly many.
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

  /// Pairs the statements of a file with those of a layout.
  private struct SchemaMatching {
    private let layout: StoreLayout
    private let framework: Int
    private let objects: [SchemaObject]
    /// By name, the statements in the form of the store's own framework.
    private let expected: [String: String]
    /// By name, the statements in today's form.
    private let current: [String: String]
    private let schema: [SchemaPart]

    init(layout: StoreLayout, current: StoreLayout, framework: Int, objects: [SchemaObject]) {
      self.layout = layout
      self.framework = framework
      self.objects = objects
      schema = layout.schema
      let current = current.schema
      expected = Dictionary(keepingFirst: schema.map { ($0.name, $0.sql) })
      self.current = Dictionary(keepingFirst: current.map { ($0.name, $0.sql) })
    }

    func entries() -> [LayoutEntry] {
      let indexes = IndexComparison(layout: layout)
      let found = objects.map { entry(of: $0, indexes: indexes) }
      return found + missing(indexes)
    }

    private func entry(of object: SchemaObject, indexes: IndexComparison) -> LayoutEntry {
      var entry = LayoutEntry(
        kind: object.kind,
        name: object.name,
        table: object.table,
        state: .same,
        expected: expected[object.name],
        found: object.sql
      )
      if object.sql == current[object.name] { return entry }
      if object.sql == expected[object.name] {
        entry.state = .olderLayout
        entry.notes = ["the form of framework \(framework)"]
        return entry
      }
      (entry.state, entry.notes) =
        unwritten(object).map { (.notWritten, [$0]) } ?? difference(of: object, indexes)
      return entry
    }

    /// Parts of real stores that are understood and never written, since no source shows all their
    /// text (coredata-format.md, sections 6 and 7).
    private static let unwrittenParts: [(prefix: String, note: String)] = [
      ("Z_RT_", "an R-tree index: the table, its shadow tables and its triggers"),
      ("Z_DA_", "the triggers of a derived attribute"),
      ("ZT_", "a private counter's triggers"),
      ("ANSCK", "mirroring to CloudKit"),
    ]

    /// What an object that is never written belongs to.
    private func unwritten(_ object: SchemaObject) -> String? {
      Self.unwrittenParts.first { prefix, _ in
        object.name.hasPrefix(prefix) || object.table.hasPrefix(prefix)
      }?.note
    }

    private func difference(
      of object: SchemaObject,
      _ indexes: IndexComparison
    ) -> (LayoutEntry.State, [String]) {
      switch object.kind {
      case .table:
        guard let expected = expected[object.name] else {
          return (.unexplained, ["a table that the model does not ask for"])
        }
        if object.name.hasPrefix("A") { return history(object, expected) }
        let comparison = TableComparison(
          expected: expected,
          found: object.sql,
          hasUnorderedKeys: layout.generation < .current
        )
        return comparison.verdict()
      case .index:
        if object.table.hasPrefix("ATRANSACTION") || object.table == "ACHANGE" {
          return framework < 973
            ? (.olderLayout, ["history as before framework 973"])
            : (.unexplained, ["an index that history does not have"])
        }
        return indexes.verdict(on: object)
      case .trigger: return (.unexplained, ["a trigger that no framework makes"])
      case .view: return (.unexplained, ["a view, which no framework makes"])
      }
    }

    /// The tables of history hold as many tombstone columns as any version of the model needed.
    private func history(_ object: SchemaObject, _ expected: String) -> (
      LayoutEntry.State, [String]
    ) {
      if framework < 973 { return (.olderLayout, ["history as before framework 973"]) }
      let verdict = TableComparison(expected: expected, found: object.sql, hasUnorderedKeys: false)
        .verdict()
      guard verdict.state == .unexplained, let text = TableText(object.sql),
        let wanted = TableText(expected)
      else { return verdict }
      let plain = { (text: TableText) in text.columns.filter { !$0.name.hasPrefix("ZTOMBSTONE") } }
      return plain(text) == plain(wanted)
        ? (.alteredInPlace, ["tombstones of another version of the model"]) : verdict
    }

    /// What the model asks for and the file has not; R-trees are not among the statements at all.
    private func missing(_ indexes: IndexComparison) -> [LayoutEntry] {
      let names = Set(objects.map(\.name))
      let present = indexes.present(among: objects.filter { $0.kind == .index })
      return schema.compactMap { part in
        let name = part.name
        if names.contains(name) || present.contains(name) { return nil }
        if framework < 973, isHistory(name) || name == "Z_MODELCACHE" { return nil }
        return LayoutEntry(
          kind: part.table == name ? .table : .index,
          name: name,
          table: part.table,
          state: .missing,
          expected: part.sql
        )
      }
    }

    private func isHistory(_ name: String) -> Bool {
      name.hasPrefix("ACHANGE") || name.hasPrefix("ATRANSACTION") || name.hasPrefix("Z_TRANSACTION")
    }
  }
}

import DataModel

/// How a model lies in a store: its tables, columns and indexes (coredata-format.md, sections 1 to
/// 6).
package struct StoreLayout: Hashable, Sendable {
  package let model: Model
  package let numbers: EntityNumbers
  /// The tables of the root entities, in the order of their numbers.
  package let tables: [EntityTable]
  package let joinTables: [JoinTable]
  package let keepsHistory: Bool
  /// Whose forms of statements the layout has.
  package let generation: LayoutGeneration

  private let tableIndexes: [String: Int]
  private let storages: [String: RelationshipStorage]

  /// Lays out a model that ``Model/problems()`` finds nothing wrong with.
  ///
  /// Where the frameworks were free to choose between two names of a join table, the one among
  /// `existing` is taken.
  package init(
    model: Model,
    keepsHistory: Bool,
    generation: LayoutGeneration = .current,
    existing: Set<String> = []
  ) {
    let numbers = EntityNumbers(model: model)
    let order = ColumnOrder(model: model, numbers: numbers)
    let tables = numbers.entities.filter { $0.superentity == nil }.map { root in
      let columns = order.columns(of: root)
      let constraints = ConstraintColumns(model: model, columns: columns).lists(below: root)
      return EntityTable(
        name: "Z" + root.name.uppercased(),
        root: root.name,
        entities: model.family(of: root).map(\.name),
        columns: columns,
        constraints: generation.keepsConstraintsInTables ? constraints : []
      )
    }
    self.model = model
    self.numbers = numbers
    self.tables = tables
    self.joinTables = JoinTables(model: model, numbers: numbers, existing: existing).tables()
    self.keepsHistory = keepsHistory
    self.generation = generation
    tableIndexes = Dictionary(
      tables.enumerated().flatMap { index, table in table.entities.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first }
    )
    storages =
      StorageMap(
        model: model,
        tables: tables,
        tableIndexes: tableIndexes,
        joinTables: joinTables
      ).storages
  }

  /// The table that holds an entity's objects.
  package func table(of entity: String) -> EntityTable? {
    tableIndexes[entity].map { tables[$0] }
  }

  /// Where an entity's relationship, its own or an inherited one, is kept.
  package func storage(of relationship: String, in entity: String) -> RelationshipStorage? {
    guard let described = model.entity(named: entity) else { return nil }
    return model.lineage(of: described).lazy
      .compactMap { storages["\($0.name).\(relationship)"] }.first
  }

  /// The column of an entity's attribute, its own or an inherited one.
  package func column(of attribute: String, in entity: String) -> Column? {
    guard let described = model.entity(named: entity), let table = table(of: entity) else {
      return nil
    }
    return model.lineage(of: described).lazy
      .compactMap { table.column(attribute: attribute, of: $0.name) }.first
  }

  /// Whether a table holds objects of one concrete entity only.
  package func holdsOneEntity(_ table: EntityTable) -> Bool { table.entities.count == 1 }

  /// The join tables whose master's table this is.
  package func joinTables(of table: EntityTable) -> [JoinTable] {
    joinTables.filter { table.entities.contains($0.master.entity) }
  }

  /// The most attributes that one entity preserves after deletion.
  package var tombstoneCount: Int {
    numbers.entities.map { SystemTables.preservedAttributes(of: $0, in: model).count }.max() ?? 0
  }

  /// The statements that make the store's tables and indexes, in the frameworks' order.
  package var definitions: [String] {
    var statements: [String] = []
    for table in tables {
      statements.append(table.definition)
      statements += joinTables(of: table).map(\.definition)
    }
    statements += tables.flatMap { indexes(of: $0) }.map(\.definition)
    statements += SystemTables.definitions
    if keepsHistory { statements += SystemTables.historyDefinitions(tombstones: tombstoneCount) }
    return statements
  }

  /// The indexes of an entity table and of its join tables, in the frameworks' order.
  package func indexes(of table: EntityTable) -> [TableIndex] {
    TableIndexes(layout: self, table: table).all
  }
}

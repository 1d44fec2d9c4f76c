import Basics
import DataModel

/// The tables, columns and indexes that a model has in a store (coredata-format.md, sections 1 to
/// 6).
package struct StoreLayout: Hashable, Sendable {
  package let model: Model
  package let numbers: EntityNumbers
  /// The tables of the root entities, in the order of entity numbers.
  package let tables: [EntityTable]
  package let joinTables: [JoinTable]
  package let keepsHistory: Bool
  /// The range of Core Data versions that determines the form of the layout's statements.
  package let generation: LayoutGeneration

  private let tableIndexes: [String: Int]
  /// The storage of each relationship, by "Entity.relationship" of the declaring entity.
  private var storages: [String: RelationshipStorage] = [:]

  /// Creates the layout of a valid model, for which ``Model/problems()`` is empty.
  ///
  /// The form of an existing file determines the choices that the model leaves open.
  package init(
    model: Model,
    keepsHistory: Bool,
    generation: LayoutGeneration = .current,
    form: StoreForm? = nil
  ) {
    let numbers = EntityNumbers(model: model)
    let tables = numbers.entities.filter { $0.superentity == nil }.map { root in
      EntityTable(
        root: root,
        in: model,
        numbers: numbers,
        keepsConstraints: generation.keepsConstraintsInTables
      )
    }
    self.model = model
    self.numbers = numbers
    self.tables = tables
    joinTables = JoinTable.all(
      of: model,
      numbers: numbers,
      generation: generation,
      form: form ?? StoreForm()
    )
    self.keepsHistory = keepsHistory
    self.generation = generation
    tableIndexes = Dictionary(
      keepingFirst: tables.enumerated().flatMap { index, table in table.entities.map { ($0, index) }
      }
    )
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isTransient {
        storages["\(entity.name).\(relationship.name)"] = findStorage(of: relationship, in: entity)
      }
    }
  }

  /// Returns the table that contains an entity's objects.
  package func table(of entity: String) -> EntityTable? {
    tableIndexes[entity].map { tables[$0] }
  }

  /// Returns the storage of an entity's own or inherited relationship.
  package func storage(of relationship: String, in entity: String) -> RelationshipStorage? {
    guard let described = model.entity(named: entity) else { return nil }
    return model.lineage(of: described).lazy
      .compactMap { storages["\($0.name).\(relationship)"] }.first
  }

  /// Returns the destination of an entity's own or inherited relationship, with its table.
  package func destination(
    of relationship: String,
    in entity: String
  ) -> (entity: String, table: String)? {
    guard let described = model.entity(named: entity),
      let found = model.relationships(of: described).first(where: { $0.name == relationship }),
      let table = table(of: found.destination)
    else { return nil }
    return (found.destination, table.name)
  }

  /// Returns the column of an entity's own or inherited attribute.
  package func column(of attribute: String, in entity: String) -> Column? {
    guard let described = model.entity(named: entity), let table = table(of: entity) else {
      return nil
    }
    return model.lineage(of: described).lazy
      .compactMap { table.column(attribute: attribute, of: $0.name) }.first
  }

  /// Returns whether a table contains objects of only one entity.
  package func holdsOneEntity(_ table: EntityTable) -> Bool { table.entities.count == 1 }

  /// All entity tables and join tables, with the names of their columns.
  package var tableColumns: [(table: String, columns: [String])] {
    tables.map { ($0.name, $0.columnNames) } + joinTables.map { ($0.name, $0.columnNames) }
  }

  /// Whether a table may have columns that are not in the layout, for properties that the model
  /// reader did not understand.
  func mayHaveMore(_ table: String) -> Bool {
    tables.first { $0.name == table }?.entities.contains { name in
      model.entity(named: name)?.unreadProperties.isEmpty == false
    } ?? false
  }

  /// Returns the numbers of an entity and its sub-entities, as an SQL list.
  package func numberList(ofFamily entity: String) -> String {
    let family = model.entity(named: entity).map(model.family) ?? []
    return numbers.list(of: family.map(\.name))
  }

  /// Returns the join tables whose master entity belongs to a table.
  package func joinTables(of table: EntityTable) -> [JoinTable] {
    joinTables.filter { table.entities.contains($0.master.entity) }
  }

  /// The maximum number of attributes that any entity preserves on deletion.
  package var tombstoneCount: Int {
    numbers.entities.map { SystemTables.preservedAttributes(of: $0, in: model).count }.max() ?? 0
  }

  /// The store's tables and indexes in Core Data's order.
  package var schema: [SchemaPart] {
    ownSchema + SystemTables.schema
      + (keepsHistory ? SystemTables.history(tombstones: tombstoneCount) : [])
  }

  private var ownSchema: [SchemaPart] {
    func tables(of table: EntityTable) -> [SchemaPart] {
      [.table(table.definition)] + joins(of: table)
    }
    func joins(of table: EntityTable) -> [SchemaPart] {
      joinTables(of: table).map { .table($0.definition) }
    }
    func indexes(of table: EntityTable) -> [SchemaPart] {
      self.indexes(of: table).map { .index($0) }
    }
    return generation.isTableByTable
      ? self.tables.flatMap { [.table($0.definition)] + indexes(of: $0) + joins(of: $0) }
      : self.tables.flatMap(tables) + self.tables.flatMap(indexes)
  }

  /// The statements that create the tables and indexes.
  package var definitions: [String] { schema.map(\.sql) }

  private func findStorage(of relationship: Relationship, in entity: Entity) -> RelationshipStorage?
  {
    if !relationship.isToMany { return toOne(relationship, in: entity) }
    for table in joinTables {
      if let side = table.side(of: relationship.name, declaredBy: entity.name) {
        return .join(table: table.name, side: side)
      }
    }
    return toMany(relationship, in: entity)
  }

  private func toOne(_ relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
    guard let table = tableIndexes[entity.name].map({ tables[$0] }),
      let key = table.column(of: entity.name, where: { $0 == .foreignKey(relationship) })
    else { return nil }
    return .foreignKey(
      column: key.name,
      entityColumn: table.column(of: entity.name, where: { $0 == .foreignEntity(relationship) })?
        .name,
      orderColumn: table.column(of: entity.name, where: { $0 == .orderKey(relationship) })?.name
    )
  }

  private func toMany(_ relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
    guard let table = tableIndexes[relationship.destination].map({ tables[$0] }) else { return nil }
    guard let inverse = model.inverse(of: relationship) else {
      let content = Column.Content.inverselessKey(relationship, source: entity.name)
      return table.column(of: table.root, where: { $0 == content }).map {
        .inverseForeignKey(table: table.name, column: $0.name, orderColumn: nil)
      }
    }
    guard let destination = model.entity(named: relationship.destination),
      let declaring = model.declarer(of: inverse.name, in: destination)?.name
    else { return nil }
    let key = table.column(of: declaring, where: { $0 == .foreignKey(inverse) })
    let order = table.column(of: declaring, where: { $0 == .orderKey(inverse) })
    return key.map {
      .inverseForeignKey(table: table.name, column: $0.name, orderColumn: order?.name)
    }
  }
}

/// The entity numbers of a store (Z_ENT), starting at 1 (coredata-format.md, section 3).
///
/// Root entities are sorted by name, ignoring case; each is followed by its sub-entities, depth
/// first.
package struct EntityNumbers: Hashable, Sendable {
  /// The numbers of the history entities, which exist only if history is kept.
  package static let change = 16001
  package static let transaction = 16002
  package static let transactionString = 16003

  /// Whether a number belongs to a hidden model, such as that of CloudKit mirroring.
  ///
  /// Numbers of hidden models are higher than those of any visible model.
  static func isHidden(_ number: Int64) -> Bool { number > transactionString }

  /// The entities in the order of their numbers, starting with number 1.
  package let entities: [Entity]
  private let numbers: [String: Int]

  package init(model: Model) {
    entities = model.entities.filter { $0.superentity == nil }.flatMap(model.family)
    numbers = Dictionary(keepingFirst: entities.enumerated().map { ($1.name, $0 + 1) })
  }

  /// Returns the number of an entity, if the model has it.
  package subscript(name: String) -> Int? { numbers[name] }

  /// Returns the numbers of the given entities, as an SQL list without parentheses.
  package func list(of names: some Sequence<String>) -> String {
    names.compactMap { numbers[$0] }.map(String.init).joined(separator: ", ")
  }

  /// Returns the entity with a number, if any.
  package func entity(_ number: Int) -> Entity? {
    entities.indices.contains(number - 1) ? entities[number - 1] : nil
  }
}

/// The storage of a relationship in a store.
package enum RelationshipStorage: Hashable, Sendable {
  /// A to-one relationship: a column of the entity's own table. `entityColumn` contains the number
  /// of the target's entity.
  case foreignKey(column: String, entityColumn: String?, orderColumn: String?)
  /// A to-many relationship: a column of the destination's table that contains the source's key.
  case inverseForeignKey(table: String, column: String, orderColumn: String?)
  /// A many-to-many relationship: a join table, seen from this relationship's side.
  case join(table: String, side: JoinTable.Side)
}

/// The framework that a store imitates: Core Data or SwiftData.
package enum Flavour: String, CaseIterable, Codable, Hashable, Sendable {
  case coreData
  /// SwiftData: history is always kept, and the default schema version is "1.0.0"
  /// (coredata-format.md, section 14).
  case swiftData
}

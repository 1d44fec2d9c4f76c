import DataModel

/// Where the entities and properties of a model were in the model before it.
///
/// Two names belong together where their renaming identifiers are equal; what has none is
/// identified by its name, as in an inferred mapping model.
struct Origin {
  private let entities: [String: String]
  private let successors: [String: String]
  private let new: Model
  private let old: Model

  init(of new: Model, in old: Model) {
    self.new = new
    self.old = old
    let olds = Dictionary(
      old.entities.map { ($0.renamingIdentifier ?? $0.name, $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
    entities = Dictionary(
      new.entities.compactMap { entity in
        olds[entity.renamingIdentifier ?? entity.name].map { (entity.name, $0) }
      },
      uniquingKeysWith: { first, _ in first }
    )
    successors = Dictionary(entities.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The former name of an entity; `nil` for a new one.
  func entity(_ name: String) -> String? { entities[name] }

  /// The present name of a former entity; `nil` for a dropped one.
  func successor(of name: String) -> String? { successors[name] }

  /// The former name of an entity's attribute or relationship; `nil` for a new one.
  func property(_ name: String, of entity: String) -> String? {
    guard let newEntity = new.entity(named: entity), let former = entities[entity],
      let oldEntity = old.entity(named: former)
    else { return nil }
    let identifier =
      new.attributes(of: newEntity).first { $0.name == name }.map { $0.renamingIdentifier ?? name }
      ?? new.relationships(of: newEntity).first { $0.name == name }
      .map { $0.renamingIdentifier ?? name }
    return old.attributes(of: oldEntity)
      .first { ($0.renamingIdentifier ?? $0.name) == identifier }?.name
      ?? old.relationships(of: oldEntity)
      .first { ($0.renamingIdentifier ?? $0.name) == identifier }?.name
  }

  /// The former many-to-many relationship of a join table's side, with that side.
  func joinTable(of side: JoinTable.Side, in layout: StoreLayout) -> (JoinTable, JoinTable.Side)? {
    guard let former = entity(side.entity), let name = property(side.relationship, of: side.entity),
      let described = old.entity(named: former),
      let declaring = old.declarer(of: name, in: described)?.name
    else { return nil }
    return layout.joinTables.lazy.compactMap { table in
      table.side(of: name, declaredBy: declaring).map { (table, $0) }
    }.first
  }
}

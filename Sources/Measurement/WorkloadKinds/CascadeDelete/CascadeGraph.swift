import DataModel
import PersistentStore

/// The relationships that deletions may have to follow, between the tables of a store.
struct CascadeGraph {
  /// One relationship, seen from the objects that are deleted.
  struct Edge: Hashable {
    /// `ENTITY.RELATIONSHIP`.
    let name: String
    let rule: DeleteRule
    let source: String
    /// The entity numbers of the objects that have it; `nil` for all of the source's table.
    let sourceEntities: [Int]?
    let target: String
    let link: Link
    /// The column of the source's own row that leads to the target, where it is a to-one.
    let ownColumn: String?
  }

  /// Where an edge is kept.
  enum Link: Hashable {
    /// A column of the target's table; the others are emptied with it.
    case targetColumn(String, others: [String])
    /// Nowhere but in the source's own row.
    case ownColumnOnly
    case join(table: String, own: String, other: String)
  }

  /// Every relationship of the model that may have to be followed.
  let edges: [Edge]

  init(_ layout: StoreLayout) {
    edges = layout.numbers.entities.flatMap { entity in
      entity.relationships.filter { !$0.isTransient }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .compactMap { Self.edge(of: $0, declaredBy: entity, layout) }
    }
  }

  private static func edge(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> Edge? {
    guard let source = layout.table(of: entity.name),
      let target = layout.table(of: relationship.destination),
      let link = link(of: relationship, declaredBy: entity, layout)
    else { return nil }
    let family = layout.model.family(of: entity).map(\.name)
    return Edge(
      name: "\(entity.name).\(relationship.name)",
      rule: relationship.deleteRule,
      source: source.name,
      sourceEntities: family.count == source.entities.count
        ? nil : family.compactMap { layout.numbers[$0] },
      target: target.name,
      link: link,
      ownColumn: ownColumn(of: relationship, declaredBy: entity, layout)
    )
  }

  private static func ownColumn(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> String? {
    guard
      case .foreignKey(let column, _, _)? = layout.storage(of: relationship.name, in: entity.name)
    else { return nil }
    return column
  }

  private static func link(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> Link? {
    switch layout.storage(of: relationship.name, in: entity.name) {
    case .join(let table, let side):
      return .join(table: table, own: side.ownColumn, other: side.otherColumn)
    case .inverseForeignKey(_, let column, _):
      return back(relationship, layout) ?? .targetColumn(column, others: [])
    case .foreignKey: return back(relationship, layout) ?? .ownColumnOnly
    case nil: return nil
    }
  }

  /// The column of the inverse to-one; `nil` where the inverse is none.
  private static func back(_ relationship: Relationship, _ layout: StoreLayout) -> Link? {
    guard let inverse = layout.model.inverse(of: relationship),
      case .foreignKey(let column, let entity, let order)? =
        layout.storage(of: inverse.name, in: relationship.destination)
    else { return nil }
    return .targetColumn(column, others: [entity, order].compactMap { $0 })
  }

  /// The tables that cascades reach from one, sources before their targets where they can be.
  func reached(from root: String) -> [String] {
    var finished: [String] = []
    var seen: Set<String> = []
    func visit(_ table: String) {
      guard seen.insert(table).inserted else { return }
      for edge in edges where edge.source == table && edge.rule == .cascade { visit(edge.target) }
      finished.append(table)
    }
    visit(root)
    return finished.reversed()
  }

  /// The edges of a rule out of some tables, in the tables' order.
  func edges(_ rule: DeleteRule, from tables: [String]) -> [Edge] {
    tables.flatMap { table in edges.filter { $0.source == table && $0.rule == rule } }
  }

  /// Whether cascades lead back to where they came from, so that one pass does not follow them.
  func isCyclic(_ tables: [String]) -> Bool {
    let places = Dictionary(tables.enumerated().map { ($1, $0) }) { $1 }
    return edges(.cascade, from: tables).contains {
      (places[$0.target] ?? 0) <= (places[$0.source] ?? 0)
    }
  }
}

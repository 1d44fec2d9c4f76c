import DataModel

struct Dependencies {
  struct Node: Hashable {
    let entity: String
    let attribute: String
  }

  let model: Model
  let entities: [EntityRecipe]

  private func recipe(_ name: String) -> EntityRecipe? { entities.first { $0.name == name } }

  func bases(of node: Node) -> [Node] {
    guard let recipe = recipe(node.entity), let described = recipe.attributes[node.attribute] else {
      return []
    }
    let own = described.bases.map { Node(entity: node.entity, attribute: $0) }
    let paths = described.rule.paths + derived(node)
    return own
      + paths.flatMap { path in
        path.relationship == nil
          ? [Node(entity: node.entity, attribute: path.attribute)]
          : model.targets(of: path, from: node.entity).map {
            Node(entity: $0, attribute: path.attribute)
          }
      }
  }

  private func derived(_ node: Node) -> [AttributePath] {
    guard let entity = model.entity(named: node.entity),
      let attribute = model.attributes(of: entity).first(where: { $0.name == node.attribute })
    else { return [] }
    return Derivation.made(of: attribute)?.paths ?? []
  }

  func isCircular(_ node: Node) -> Bool {
    var seen: Set<Node> = []
    var next = bases(of: node)
    while let base = next.popLast() {
      if base == node { return true }
      if seen.insert(base).inserted { next += bases(of: base) }
    }
    return false
  }

  /// For each entity, the attributes on which attributes of other objects depend.
  var followed: [String: Set<String>] {
    var followed: [String: Set<String>] = [:]
    for recipe in entities {
      for attribute in recipe.attributes.keys {
        let node = Node(entity: recipe.name, attribute: attribute)
        for path in (recipe.attributes[attribute]?.rule.paths ?? []) + derived(node)
        where path.relationship != nil {
          for name in model.targets(of: path, from: recipe.name) {
            followed[name, default: []].insert(path.attribute)
          }
        }
      }
    }
    return followed
  }
}

extension Model {
  func targets(of path: AttributePath, from name: String) -> [String] {
    guard let entity = entity(named: name), let step = path.relationship,
      let relationship = relationships(of: entity).first(where: { $0.name == step }),
      let target = self.entity(named: relationship.destination)
    else { return [] }
    return family(of: target).filter { !$0.isAbstract }.map(\.name)
  }
}

/// A source of related objects' values.
///
/// It can be used after all entities have been built.
final class RelatedSource: @unchecked Sendable {
  private let relationship: RelationshipSource
  private let offset: Int
  private let attribute: String
  /// The sources of the possible targets' values, one per entity; set before any value is
  /// generated.
  private var sources: [(rows: Span, source: AttributeSource?)] = []

  fileprivate init(_ relationship: RelationshipSource, offset: Int, attribute: String) {
    self.relationship = relationship
    self.offset = offset
    self.attribute = attribute
  }

  fileprivate func bind(to made: [String: [String: AttributeSource]]) {
    sources = relationship.members.map { ($0.span, made[$0.entity]?[attribute]) }
  }

  /// Sets the cell to the value of a to-one relationship's target, or to null if there is no
  /// target.
  func fill(_ cell: inout Cell, row: Int) {
    guard let target = target(of: row, &cell) else { return cell.setNull() }
    fill(&cell, target: target)
  }

  /// Returns the table row of a to-one relationship's target, using `cell` as scratch space.
  func target(of row: Int, _ cell: inout Cell) -> Int? {
    relationship.target(of: offset + row, &cell)
  }

  private func fill(_ cell: inout Cell, target: Int) {
    // Iterate by index: copying an element would update its reference count.
    for member in sources.indices {
      guard let index = sources[member].rows.index(of: target) else { continue }
      guard let source = sources[member].source else { break }
      return source.fill(&cell, row: index)
    }
    cell.setNull()
  }

  func sum(_ cell: inout Cell, row: Int) -> Double {
    var sum = 0.0
    for target in relationship.targets(of: offset + row) {
      fill(&cell, target: target)
      sum += cell.number ?? 0
    }
    return sum
  }
}

/// Collects the sources of related objects while entities are built, in any order.
final class PathBinder {
  private var pending: [RelatedSource] = []

  func source(
    _ relationship: RelationshipSource,
    offset: Int,
    attribute: String
  ) -> RelatedSource {
    let source = RelatedSource(relationship, offset: offset, attribute: attribute)
    pending.append(source)
    return source
  }

  func bind(to made: [String: [String: AttributeSource]]) {
    for source in pending { source.bind(to: made) }
    pending = []
  }
}

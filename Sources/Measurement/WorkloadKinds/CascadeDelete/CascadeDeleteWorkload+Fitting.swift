import DataModel
import PersistentStore
import Runner

extension CascadeDeleteWorkload {
  package static var fitsStores: Bool { true }

  package static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = CascadeParameters(fit.values)
    guard parameters.shape == .own else {
      if store.isMade {
        fit.note(
          "a chain of the kind's own, not your store's objects: set 'shape' to 'own' for those"
        )
      }
      return
    }
    let graph = CascadeGraph(store.layout)
    guard let entity = chooseEntity(&fit, parameters, store, graph),
      let table = store.layout.table(of: entity.name)
    else { return }
    let reached = graph.reached(from: table.name)
    if let obstacle = parameters.obstacle(among: graph.edges(.cascade, from: reached), store) {
      fit.ruleOut("\(obstacle)")
    }
    let rows = store.layout.tables.filter { reached.contains($0.name) }.flatMap(\.entities)
    fit.works(
      on: "'\(entity.name)' and what they lead to",
      objects: rows.reduce(0) { $0 + store.ownCount(of: $1) }
    )
  }

  private static func chooseEntity(
    _ fit: inout CaseFit,
    _ parameters: CascadeParameters,
    _ store: StoreOffer,
    _ graph: CascadeGraph
  ) -> Entity? {
    let name = parameters.entity
    guard name.isEmpty else {
      var found: Entity?
      fit.look(parameters.$entity) {
        _ = try CascadeRoot(named: name, in: store.layout)
        found = store.model.entity(named: name).flatMap { store.count(of: $0) > 0 ? $0 : nil }
        if found == nil { throw CascadeDeleteError.noObjects(entity: name) }
      }
      return found
    }
    guard let longest = graph.longestCascade(in: store) else {
      fit.ruleOut("\(CascadeDeleteError.noCascade)")
      return nil
    }
    let levels = longest.levels == 1 ? "1 level" : "\(longest.levels) levels"
    fit.choose(
      parameters.$entity,
      longest.entity.name,
      because: "entity '\(longest.entity.name)', the one with the longest cascade: \(levels)"
    )
    return longest.entity
  }
}

extension CascadeParameters {
  /// What keeps the case from following cascades by nothing but the columns of their targets.
  fileprivate func obstacle(
    among edges: [CascadeGraph.Edge],
    _ store: StoreOffer
  ) -> CascadeDeleteError? {
    let needsColumns = strategy == .sqlForeignKey
    guard needsColumns || strategy == .batchDelete && batchShape == .orphanCleanup else {
      return nil
    }
    for edge in edges {
      guard case .targetColumn = edge.link else {
        return needsColumns
          ? .notExpressible(relationship: edge.name) : .noOrphans(relationship: edge.name)
      }
      if store.oneSided.contains(edge.name) { return .oneSided(relationship: edge.name) }
    }
    return nil
  }
}

extension CascadeGraph {
  /// The entity that has objects and the longest chain of cascades, and that chain's length.
  fileprivate func longestCascade(in store: StoreOffer) -> (entity: Entity, levels: Int)? {
    var best: (entity: Entity, levels: Int)?
    for entity in store.layout.numbers.entities where store.count(of: entity) > 0 {
      guard let table = store.layout.table(of: entity.name)?.name,
        edges.contains(where: { $0.name.hasPrefix(entity.name + ".") && $0.rule == .cascade })
      else { continue }
      // What cascades to its own kind alone has one level as well.
      let levels = max(1, depth(from: table))
      if levels > best?.levels ?? 0 { best = (entity, levels) }
    }
    return best
  }

  /// Cascades one after the other from a table to the farthest one; a table counts once.
  private func depth(from table: String) -> Int {
    var (depth, level, seen) = (0, [table], Set([table]))
    while true {
      let next = edges(.cascade, from: level).map(\.target).filter { seen.insert($0).inserted }
      guard !next.isEmpty else { return depth }
      depth += 1
      level = next
    }
  }
}

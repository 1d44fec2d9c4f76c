import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of deleting objects together with the objects that depend on them.
struct CascadeDeleteWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "cascadeDelete",
    summary: "deletions with delete rules, followed by the object context, by "
      + "statements or by SQLite",
    question: "How should objects be deleted together with the objects that belong to them?",
    example: "shape: own, entity: Folder, share: 0.5",
    fit: fit
  )

  let parameters: CascadeParameters

  var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.expectedFailure = expectedFailure
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = diskFactor
    traits.diskBytes = diskBytes
    return traits
  }

  var expectedFailure: String? {
    guard parameters.mustFail else { return nil }
    if parameters.refusesEmptying {
      return parameters.strategy == .objectByObject
        ? "is required and has no value" : "must not be empty"
    }
    return parameters.strategy == .sqlForeignKey
      ? "FOREIGN KEY constraint failed" : "the delete rule of"
  }

  var endState: String {
    if parameters.mustFail { return "as it was: \(content)" }
    let ignored = parameters.ignoresRules ? ", rules ignored" : ""
    return "share \(parameters.share) deleted of \(content)\(ignored)"
  }

  private var content: String {
    guard parameters.shape == .chain else { return "own store, \(parameters.entity)" }
    return "chain \(parameters.roots) x \(parameters.fanOut)^\(parameters.depth), "
      + "\(parameters.rule.rawValue), blobs of \(parameters.blob) B"
      + (parameters.isMandatory ? ", mandatory" : "") + (parameters.keepsHistory ? ", history" : "")
  }

  var startingStore: String? {
    var parts = parameters.shape == .chain ? [content] : ["own store"]
    if parameters.isAltered { parts.append("for '\(parameters.entity)'") }
    if parameters.strategy == .sqlForeignKey { parts.append("foreign keys") }
    if !parameters.hasChildIndex { parts.append("no child indexes") }
    return parts == ["own store"] ? nil : "cascades: " + parts.joined(separator: ", ")
  }

  var notes: [String] {
    var notes: [String] = []
    if parameters.strategy == .sqlForeignKey {
      notes.append("altered store: FOREIGN KEY clauses added, which Core Data stores never have")
    }
    if !parameters.hasChildIndex {
      notes.append("altered store: child indexes dropped, which all Core Data stores have")
    }
    if parameters.strategy == .sqlForeignKey && parameters.mayHaveHistory {
      notes.append("deletions by SQLite itself are not recorded in the history")
    }
    return notes
  }

  var behaviours: [Behaviour] {
    var behaviours: [Behaviour] = []
    switch parameters.strategy {
    case .objectByObject:
      behaviours.add("deleteStatements", "one an object", .log)
      behaviours.add(parameters.$toManyFault, parameters.toManyFault)
    case .batchDelete:
      if parameters.shape == .chain {
        behaviours.assume(parameters.$batchRules, parameters.batchRules)
      }
      if !parameters.ignoresRules {
        behaviours.assume(parameters.$batchShape, parameters.batchShape)
      }
      if parameters.isBound {
        behaviours.assume(parameters.$batchMandatory, parameters.batchMandatory)
      }
      if parameters.changesSurvivors {
        behaviours.assume(parameters.$batchVersions, parameters.batchVersions)
      }
      if parameters.mayHaveFiles {
        behaviours.assume(parameters.$batchExternalFiles, parameters.batchExternalFiles)
      }
      if parameters.mayHaveHistory { behaviours.add("batchHistory", "recorded", .documented) }
    case .sqlForeignKey: break
    }
    if !parameters.isAltered { behaviours.append(.layout) }
    return behaviours
  }

  /// The disk space that the case needs for the store, its WAL and the temporary tables of keys, as
  /// a multiple of the store's size.
  var diskFactor: Double { parameters.shape == .chain ? 1 : 4 * (startingStore == nil ? 1 : 2) }

  var diskBytes: Int64 {
    guard parameters.shape == .chain else { return 0 }
    // An object with its index entry takes about 70 bytes, and its history takes about as much.
    let row = parameters.keepsHistory ? 160 : 80
    let bytes = (parameters.chainCount ?? 0) * row + parameters.leafCount * parameters.blob
    return Int64(bytes) * 4 + 1_048_576
  }

  // MARK: Preparing the store

  func makeStartingStore(_ trial: Trial) throws {
    if parameters.shape == .chain { try makeChain(trial) }
    guard parameters.isAltered else { return }
    let store = try trial.open()
    let root = try CascadeRoot(of: parameters, in: store.layout)
    let alteration = StoreAlteration(
      layout: store.layout,
      graph: CascadeGraph(store.layout),
      connection: store.connection
    )
    if parameters.strategy == .sqlForeignKey { try alteration.addForeignKeys(from: root.table) }
    if !parameters.hasChildIndex { try alteration.dropChildIndexes(from: root.table) }
    // Release the pages that the alteration freed, so that they do not count as pages freed by the
    // case.
    try store.connection.execute("PRAGMA incremental_vacuum")
  }

  private func makeChain(_ trial: Trial) throws {
    try trial.store.remove()
    let store = try PersistentStore.create(
      at: trial.store.path,
      model: ChainModel(parameters: parameters).model,
      options: PersistentStore.Options(
        settings: trial.settings,
        seed: trial.seed,
        keepsHistory: parameters.keepsHistory
      )
    )
    try ChainStore(parameters: parameters, seed: trial.seed).make(store)
  }

  func prepare(_ trial: Trial) throws -> CascadeSession {
    try CascadeSession(parameters, at: trial.store, settings: trial.settings, seed: trial.seed)
  }

  // MARK: Running the deletion

  func run(_ session: CascadeSession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    switch parameters.strategy {
    case .objectByObject:
      try ContextDeletion(
        session: session,
        rootsPerSave: parameters.rootsPerSave,
        behaviours: StoreBehaviours(toManyFault: parameters.toManyFault)
      ).run(recorder)
    case .batchDelete: try BatchDeletion(session: session, parameters: parameters).run(recorder)
    case .sqlForeignKey: try ForeignKeyDeletion(session: session).run(recorder)
    }
  }
}

extension CascadeDeleteWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = CascadeParameters(fit.values)
    guard parameters.shape == .own else {
      if store.isMade {
        fit.note(
          "a generated chain of objects, not your store's objects: for these, set 'shape' to 'own'"
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
      on: "'\(entity.name)' and related objects",
      objects: rows.reduce(0) { $0 + store.ownCount(of: $1) }
    )
  }

  private static func chooseEntity(
    _ fit: inout CaseFit,
    _ parameters: CascadeParameters,
    _ store: StoreOffer,
    _ graph: CascadeGraph
  ) -> Entity? {
    fit.entity(
      parameters.$entity,
      parameters.entity,
      store,
      check: { entity in
        _ = try CascadeRoot(named: entity.name, in: store.layout)
        if store.count(of: entity) == 0 { throw CascadeRoot.noObjects(entity.name) }
      },
      orElse: "the store has no objects with a cascading relationship",
      choose: {
        graph.longestCascade(in: store).map { longest in
          (
            longest.entity,
            "entity '\(longest.entity.name)', the one with the longest cascade: "
              + Figures.counted(longest.levels, "level")
          )
        }
      }
    )
  }
}

extension CascadeParameters {
  /// The reason why the children of a deleted object cannot be found through columns of their own
  /// rows; `nil` if they can be, or need not be.
  fileprivate func obstacle(
    among edges: [CascadeGraph.Edge],
    _ store: StoreOffer
  ) -> Refusal? {
    let needsColumns = strategy == .sqlForeignKey
    guard needsColumns || strategy == .batchDelete && batchShape == .orphanCleanup else {
      return nil
    }
    for edge in edges {
      guard case .targetColumn = edge.link else {
        return needsColumns ? edge.notExpressible : edge.noOrphans
      }
      if store.oneSided.contains(edge.name) {
        return Refusal(
          .badInput,
          "the cascade along '\(edge.name)' cannot be traced through the inverse relationship, which "
            + "in this store is missing for some objects"
        )
      }
    }
    return nil
  }
}

extension CascadeGraph {
  /// The entity with the longest chain of cascades, among the entities that have objects, and the
  /// chain's length.
  fileprivate func longestCascade(in store: StoreOffer) -> (entity: Entity, levels: Int)? {
    var best: (entity: Entity, levels: Int)?
    for entity in store.layout.numbers.entities where store.count(of: entity) > 0 {
      guard let table = store.layout.table(of: entity.name)?.name,
        edges.contains(where: { $0.name.hasPrefix(entity.name + ".") && $0.rule == .cascade })
      else { continue }
      // Count an entity that cascades only to itself as one level of the cascade.
      let levels = max(1, depth(from: table))
      if levels > best?.levels ?? 0 { best = (entity, levels) }
    }
    return best
  }

  /// The number of consecutive cascades from a table to the farthest table, counting each table
  /// once.
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

import Basics
import DataModel
import PersistentStore
import Runner

/// Checks the names in a scenario's steps against a store, and checks the order of the steps.
struct StepFit {
  /// A step, with the reason why it is rejected.
  struct Problem {
    let step: Step
    let reason: String
  }

  let parameters: ScenarioParameters
  let store: StoreOffer
  let places: BlobPlaces
  private(set) var problems: [Problem] = []
  /// The blob attributes whose strategy is rejected, with the reasons.
  private(set) var misplaced: [(place: BlobPlace, reason: String)] = []
  /// The tables with inserted or deleted objects that are not saved yet.
  var unsaved: Set<String> = []
  private var isUnsaved = false
  /// The entity of the objects that the app keeps under each name, whether a reset has released
  /// them, and whether a second context may have changed them.
  private var kept: [String: (entity: String, isGone: Bool, isChanged: Bool)] = [:]
  /// The relationships with changes that are not saved yet, each as its table and name.
  var unsavedLinks: Set<String> = []
  /// The last insertion of objects that are not saved yet, by table.
  private(set) var lastInserted: [String: (entity: String, objects: Step.Numbers)] = [:]
  /// The mandatory relationships of unsaved objects that no step has set yet.
  var needs: [Need] = []
  var inserted: Set<String> = []

  init(_ parameters: ScenarioParameters, _ store: StoreOffer) {
    (self.parameters, self.store) = (parameters, store)
    var misplaced: [(BlobPlace, String)] = []
    places = BlobPlaces(parameters.strategies, in: store.model) { misplaced.append(($0, $1)) }
    let instead = ": use 'engine: objectGraph'"
    for place in parameters.strategies
    where parameters.engine != .objectGraph && [.file, .separateEntity].contains(place.strategy) {
      misplaced.append(
        (place, "the engine '\(parameters.engine.rawValue)' keeps blobs in the row\(instead)")
      )
    }
    self.misplaced = misplaced
    checkWeights()
    checkParts()
    for step in parameters.steps {
      if step.verb == .background { checkBackground(step) }
      let held = kept
      // Check repeated steps twice, because the last of them precedes the first in a repetition.
      for _ in 0..<(step.isComposite && step.times > 1 ? 2 : 1) {
        for leaf in step.isComposite ? step.steps : [step] {
          for _ in 0..<(leaf.times > 1 ? 2 : 1) { check(leaf) }
        }
        // In a mix, each operation is followed by a save, so nothing stays unsaved. A background
        // step without a save has already been rejected.
        if parameters.isMix || step.verb == .background { settle() }
        for list in step.beside { check(list) }
      }
      // During a background step, a reset releases only the second context's objects, so the app
      // keeps its own objects, unless the second context changes them.
      if step.verb == .background {
        kept = held
        for (name, found) in held where changes(step, found.entity) { kept[name]?.isChanged = true }
      }
    }
    if isUnsaved, let last = parameters.leaves.last(where: \.changes) {
      report(last, "no 'save' follows, so that nothing of it is stored: add 'save' after it")
    }
    if problems.isEmpty { checkDeletions() }
  }

  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = ScenarioParameters(fit.values)
    let found = StepFit(parameters, store)
    for (place, reason) in found.misplaced {
      fit.reject(parameters.$strategies, reason, at: place.position)
    }
    for problem in found.problems {
      fit.reject(
        parameters.$steps,
        "'\(problem.step.words)': \(problem.reason)",
        at: problem.step.position
      )
    }
    let stale = store.staleDerivedAttributes
    if !stale.isEmpty, parameters.leaves.contains(where: \.changes) {
      fit.note(
        "no trigger of the store updates the derived attributes "
          + stale.prefix(3).joined(separator: ", ") + (stale.count > 3 ? " …" : "")
          + ": they keep their values, new objects have none, and the triggers' cost is missing"
      )
    }
    for step in parameters.leaves {
      guard let read = step.read, step.limit > 0, read > step.limit else { continue }
      fit.note(
        "'\(step.words)' reads at most the \(step.limit) objects of its 'limit', not "
          + "'read: \(read)'"
      )
    }
    let entities = parameters.leaves.compactMap { store.model.entity(named: $0.entity) }
    if let largest = entities.max(by: { store.count(of: $0) < store.count(of: $1) }) {
      fit.works(on: "'\(largest.name)'", objects: store.count(of: largest))
    }
  }

  mutating func report(_ step: Step, _ reason: String) {
    guard !problems.contains(where: { $0.step == step && $0.reason == reason }) else { return }
    problems.append(Problem(step: step, reason: reason))
  }

  mutating func look(_ step: Step, _ body: () throws -> Void) {
    do { try body() } catch { report(step, "\(error)") }
  }

  private mutating func settle() {
    reportNeeds { _ in true }
    (unsaved, lastInserted, unsavedLinks) = ([], [:], [])
    isUnsaved = false
  }

  /// Whether a background step changes objects in the table of an entity.
  ///
  /// A deletion may change any table by the delete rules, but a batch request increments no
  /// versions.
  private func changes(_ step: Step, _ entity: String) -> Bool {
    step.steps.contains { inner in
      inner.verb == .delete && !inner.isBatchRequest
        || inner.changes
          && ([inner.entity] + linked(by: inner)).contains {
            store.layout.table(of: $0)?.name == store.layout.table(of: entity)?.name
          }
    }
  }

  /// The entities at the other end of a step's relationships whose objects change with them.
  private func linked(by step: Step) -> [String] {
    guard let entity = store.model.entity(named: step.entity) else { return [] }
    return store.model.relationships(of: entity).filter { relationship in
      guard step.links[relationship.name] ?? step.removals?[relationship.name] != nil else {
        return false
      }
      guard let inverse = store.model.inverse(of: relationship) else { return false }
      return relationship.isToMany || !inverse.isToMany || inverse.isOrdered
    }.map(\.destination)
  }

  // MARK: Mixes and background steps

  private mutating func checkWeights() {
    let isMix = parameters.isMix
    for step in parameters.steps {
      if isMix, step.verb == .save || step.verb == .reset {
        report(step, "each operation of a mix is saved: leave it out, or make it part of a 'do'")
      } else if isMix, step.weight == nil {
        report(step, "in a mix each step needs a 'weight'; without 'operations' it needs none")
      } else if !isMix, step.weight != nil {
        report(step, "'weight' has no effect: set 'operations', the number of steps to draw")
      }
    }
  }

  /// Rejects a part's name that is the default name of a part with steps of another verb.
  private mutating func checkParts() {
    for step in parameters.steps {
      let other = parameters.steps.first {
        $0.part == nil && $0.verb != step.verb && $0.partName == step.part
      }
      if let other {
        report(
          step,
          "'as: \(other.partName)' names the part of '\(other.words)': choose another name"
        )
      }
    }
  }

  /// Rejects background steps that cannot run in a second context, or that depend on unsaved
  /// changes.
  private mutating func checkBackground(_ step: Step) {
    if parameters.engine == .grdb {
      report(step, "two connections of GRDB are not run at once here: use 'engine: objectGraph'")
    }
    if parameters.isMix {
      report(
        step,
        "it is no operation of a mix: leave out 'operations', or make it a workload file"
      )
    }
    if isUnsaved {
      report(
        step,
        "what was changed before is not saved, so that it is not found: put 'save' before"
      )
    }
    for list in step.beside where list.readsBlobs {
      guard let entity = store.model.entity(named: list.entity),
        let blob = places.of(entity).first(where: \.isElsewhere)
      else { continue }
      report(
        list,
        "'\(blob.words)' may be gone before the list has read it: add 'readsBlobs: false'"
      )
    }
    if let last = step.steps.last(where: \.changesAny), !last.savesItself,
      step.steps.last?.verb != .save
    {
      report(step, "nothing saves its changes: end it with 'save'")
    }
  }

  // MARK: Checking one step

  private mutating func check(_ step: Step) {
    switch step.verb {
    case .save: return settle()
    case .reset:
      if isUnsaved { report(step, "it loses changes that were not saved: put 'save' before it") }
      return letGo()
    case .do, .background: return
    case .fetch, .count, .search, .insert, .update, .delete: break
    }
    guard let entity = store.model.entity(named: step.entity) else {
      return report(step, "\(Refusal.unknownEntity(step.entity, in: store.model))")
    }
    checkOrder(step, entity)
    checkNames(step, entity)
    checkEngine(step, entity)
    checkBlobs(step, entity)
    checkValues(step, entity)
    checkLinks(step, entity)
    if step.verb == .insert { checkInsertion(step, entity) }
    checkPending(step, entity)
    if step.changes { isUnsaved = true }
    if step.verb == .insert || step.verb == .delete { unsaved.insert(table(of: entity)) }
    if step.verb == .insert { inserted.insert(table(of: entity)) }
    if !step.keptAs.isEmpty { kept[step.keptAs] = (entity.name, false, false) }
    if step.savesItself { settle() }
    if step.isBatchRequest || step.chunk > 0 && step.resetsChunks { letGo() }
  }

  /// Checks a change together with the unsaved changes that the same save would write.
  private mutating func checkPending(_ step: Step, _ entity: Entity) {
    if step.verb == .delete, !unsavedLinks.isEmpty {
      report(
        step,
        "objects before it got new targets that are not saved, so that the delete rules would "
          + "follow the old ones: put 'save' before it"
      )
    }
    if step.changes {
      let names = Set(step.links.keys).union((step.removals ?? [:]).keys)
      let table = table(of: entity)
      unsavedLinks.formUnion(names.map { "\(table).\($0)" })
    }
    guard step.verb == .insert else { return }
    let other = lastInserted[table(of: entity)]?.entity
    lastInserted[table(of: entity)] = (entity.name, step.newObjects)
    // A save assigns keys entity by entity, but plain statements in the order of the steps.
    if let other, other != entity.name {
      report(
        step,
        "one save would insert objects of '\(other)' and '\(entity.name)', which share a table: put "
          + "'save' before it"
      )
    }
  }

  /// Records that the context has released all objects.
  private mutating func letGo() {
    for name in kept.keys { kept[name]?.isGone = true }
  }

  func table(of entity: Entity) -> String {
    store.layout.table(of: entity.name)?.name ?? entity.name
  }

  /// Checks that the objects that a step picks or reads are saved, and that objects from an earlier
  /// step are still in memory.
  private mutating func checkOrder(_ step: Step, _ entity: Entity) {
    let isFinding = !step.condition.isEmpty || step.takesAll == true
    if isUnsaved, step.savesItself {
      report(
        step,
        step.isBatchRequest
          ? "it would go past what was changed before and is not saved: put 'save' before it"
          : "its chunks would save what was changed before: put 'save' before it"
      )
    } else if isUnsaved, step.reads || isFinding || step.upsert != nil {
      report(
        step,
        "what was changed before is not saved, so that it is not found: put 'save' before"
      )
    } else if step.verb != .insert, unsaved.contains(table(of: entity)) {
      report(step, "objects before it are not saved: put 'save' before it")
    }
    if step.verb != .insert, !step.reads || step.choose != nil, step.picks,
      !inserted.contains(table(of: entity))
    {
      let count = store.count(of: entity)
      if step.objects.high > count {
        report(
          step,
          "it picks \(step.objects.high) of \(Figures.counted(count, "object")): pick fewer, or make "
            + "the store larger"
        )
      }
    }
    guard !step.from.isEmpty else { return }
    guard let found = kept[step.from] else {
      return report(
        step,
        "no step before it keeps '\(step.from)': add 'keep: \(step.from)' to a fetch"
      )
    }
    if found.entity != entity.name {
      report(step, "'\(step.from)' has objects of '\(found.entity)'")
    } else if found.isChanged {
      report(
        step,
        "'\(step.from)' may have been changed by the background step: fetch again after it"
      )
    } else if found.isGone {
      report(
        step,
        "'\(step.from)' was fetched before a reset, which lets go of all objects: fetch again after "
          + "the reset"
      )
    }
  }

  private mutating func checkNames(_ step: Step, _ entity: Entity) {
    let (model, places, layout) = (places.model, places, store.layout)
    let hasBackground = parameters.hasBackground
    guard let entity = model.entity(named: entity.name) else { return }
    look(step) { _ = try Condition(step.condition)?.predicate(on: entity, of: model) }
    look(step) {
      for key in step.sortKeys { try model.check(key, of: entity) }
      func relationships(at path: String) throws -> [Relationship] {
        let found = try model.storedRelationships(at: path, of: entity)
        let entities = [entity.name] + found.map(\.destination)
        let tables = entities.map { layout.table(of: $0)?.name ?? $0 }
        guard !hasBackground || found.count == 1 || Set(tables).count == tables.count else {
          throw Refusal.badInput(
            "'\(path)' comes back to a table, so that its objects hold each other in memory and "
              + "would show old values after the 'background' step: write a shorter path"
          )
        }
        return found
      }
      for path in step.prefetch { _ = try relationships(at: path) }
      guard !step.followed.isEmpty else { return }
      let followed = try relationships(at: step.followed)
      let end = followed.last.flatMap { model.entity(named: $0.destination) }
      let target = end.map(places.of) ?? []
      if let blob = target.first(where: \.isElsewhere) {
        throw Refusal.badInput(
          "'\(step.followed)' leads to '\(blob.words)', whose blobs are kept elsewhere: fetch "
            + "'\(blob.entity)' instead"
        )
      }
    }
    guard step.verb == .search else { return }
    look(step) {
      guard try model.storedAttribute(step.searched, of: entity).type == .string else {
        throw Refusal.badInput("'\(step.searched)' is no text: name an attribute of type string")
      }
    }
  }

  private mutating func checkEngine(_ step: Step, _ entity: Entity) {
    let engine = parameters.engine
    if step.isBatchRequest, step.verb == .delete,
      let blob = places.all.first(where: { $0.strategy == .file })
    {
      report(step, "a batch request leaves the files of '\(blob.words)': leave 'batchRequest' out")
    }
    if engine == .objectGraph, !step.fetchesFirst, store.model.family(of: entity).count > 1 {
      report(
        step,
        "'\(entity.name)' has sub-entities, whose objects are not loaded one by one: leave out "
          + "'fetchesFirst'"
      )
    }
    guard engine != .objectGraph else { return }
    let instead = ": use 'engine: objectGraph'"
    let hasDerived = store.model.entities.contains { entity in
      entity.attributes.contains { $0.derivation != nil }
    }
    if engine == .grdb, step.changes, hasDerived {
      report(step, "GRDB's connection runs no triggers of derived attributes\(instead)")
    }
    if step.isBatchRequest, engine == .grdb {
      report(step, "a batch request needs StoreBench's own connection\(instead) or 'bareSQL'")
    }
    if !step.prefetch.isEmpty || !step.followed.isEmpty {
      report(step, "the engine '\(engine.rawValue)' follows no relationships\(instead)")
    }
    if engine == .grdb, step.usesFrameworkSearch {
      report(step, "GRDB's connection lacks the frameworks' text search\(instead)")
    }
    if engine == .grdb, step.usesCollation {
      report(step, "GRDB's connection lacks the frameworks' collations\(instead)")
    }
    let external = places.model.attributes(of: places.model.entity(named: entity.name) ?? entity)
      .filter(\.allowsExternalStorage).map(\.name)
    if let name = external.first(where: { step.blobs[$0] != nil }) {
      report(step, "plain statements write no external file for '\(name)'\(instead)")
    }
  }
}

extension Step {
  /// Whether the step uses SQL functions that Core Data adds to SQLite.
  var usesFrameworkSearch: Bool {
    verb == .search || Condition.searchesText(condition)
  }

  var sortKeys: [SortKey] { sort.map { SortKey($0) } }
  /// Whether the step sorts texts by a collation that Core Data adds to SQLite.
  var usesCollation: Bool { sortKeys.contains { $0.collation != .binary } }
}

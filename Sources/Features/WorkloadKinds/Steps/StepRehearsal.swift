import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Performs the steps of a case with plain SQL on a copy of the starting store.
///
/// This chooses the objects of each step and produces the expected content of the store. A trial's
/// preparation uses the rehearsal to get the operations, and the verification repeats it to get the
/// expected results.
final class StepRehearsal {
  let expected: ExpectedStore
  let parameters: ScenarioParameters
  let steps: [Step]
  let seed: UInt64
  var picks: StepPicks
  let places: BlobPlaces
  let model: Model
  var keys: [String: [Int64]] = [:]
  private var nextKeys: [String: Int64] = [:]
  /// The rows whose versions the next save increments, by table.
  var touched: [String: Set<Int64>] = [:]
  /// The keys of new rows that are not saved yet, by table.
  var fresh: [String: Set<Int64>] = [:]
  /// The keys of the rows of the last insertion, by table, until they are saved.
  var newest: [String: [Int64]] = [:]
  var links: StepLinks
  var kept: [String: [Int64]] = [:]
  /// The keys of all deleted objects, by the name of their root entity.
  var gone: [String: Set<Int64>] = [:]
  /// The obstacles that would make the next save fail, each with the step that causes it.
  var obstacles: [(step: Step, obstacle: SaveObstacle)] = []
  var changes = 0
  private var turn = 0
  var known: StoreContent?
  /// The index of the step that reads a list during the current background step.
  private var beside: Int?
  /// The simple steps whose condition has matched an object.
  private var matched: Set<Step> = []
  /// The reason why the condition of a step has not matched any object, by the step's index.
  private var unmatched: [Int: String] = [:]
  /// The effect of all deletions so far.
  private(set) var effect = DeletionEffect()

  var layout: StoreLayout { expected.layout }

  init(
    _ parameters: ScenarioParameters,
    _ expected: ExpectedStore,
    _ places: BlobPlaces,
    seed: UInt64
  ) {
    (self.parameters, self.expected, self.seed) = (parameters, expected, seed)
    self.places = places
    expected.inspection.pathAttributes = places.pathAttributes
    steps = parameters.leaves
    links = StepLinks(expected)
    picks = StepPicks(seed: seed)
    model = expected.layout.model
  }

  /// The content of the copy, cached until the next change.
  func content() throws -> StoreContent {
    if let known { return known }
    let content = try expected.content()
    known = content
    return content
  }

  // MARK: Order of the steps

  /// Performs all steps on the copy, and passes each operation to `body`.
  func perform(_ body: (StepOperation) throws -> Void) throws {
    guard parameters.isMix else {
      for index in parameters.steps.indices { try turns(index, body) }
      return
    }
    let weights = parameters.steps.map { $0.weight ?? 0 }
    let total = weights.reduce(0, +)
    for _ in 0..<parameters.operations {
      var (rest, index) = (picks.unit() * total, 0)
      while index < weights.count - 1, rest >= weights[index] {
        rest -= weights[index]
        index += 1
      }
      try turns(index, body)
    }
  }

  /// Rejects work in which the condition of a step has never matched an object.
  ///
  /// - Throws: ``Refusal`` with the step's line and the values that occur instead.
  func checkMatches() throws {
    guard let first = unmatched.min(by: { $0.key < $1.key }) else { return }
    throw Refusal(.caseFailed, "\(steps[first.key].placedWords): \(first.value)")
  }

  /// Records whether the condition of a step matches an object now.
  private func recordMatch(of step: Step, _ number: Int) throws {
    guard step.mustMatch, !matched.contains(step) else { return }
    if try matches(of: step).isEmpty {
      guard unmatched[number] == nil else { return }
      unmatched[number] = try FetchVerification.emptyMatch(of: step.fetch(places).1, in: content())
    } else {
      matched.insert(step)
      unmatched[number] = nil
    }
  }

  /// The index of the first simple step (a step without inner steps) in a step.
  private func firstLeaf(_ index: Int) -> Int {
    parameters.steps[..<index].reduce(0) { $0 + $1.leaves.count }
  }

  private func turns(_ index: Int, _ body: (StepOperation) throws -> Void) throws {
    let outer = parameters.steps[index]
    let part = parameters.parts.firstIndex(of: outer.partName) ?? 0
    let first = firstLeaf(index)
    beside = outer.verb == .background ? first + outer.steps.count : nil
    defer { beside = nil }
    if let beside { try recordMatch(of: steps[beside], beside) }
    for _ in 0..<outer.times {
      // Each repetition of a background step begins with a reset of the second context.
      if let beside {
        try body(StepOperation(turn: turn, part: part, step: first, work: .reset, beside: beside))
      }
      if outer.isComposite {
        for (offset, leaf) in outer.steps.enumerated() {
          for _ in 0..<leaf.times { try perform(leaf, first + offset, part, body) }
        }
      } else {
        try perform(outer, first, part, body)
      }
      if parameters.isMix, outer.changesAny {
        try save { try body(StepOperation(turn: turn, part: part, step: first, work: .save)) }
      }
      turn += 1
    }
  }

  /// Performs a step; an error of a value that must be unique names the step.
  private func perform(
    _ step: Step,
    _ number: Int,
    _ part: Int,
    _ body: (StepOperation) throws -> Void
  ) throws {
    do {
      try take(step, number, part, body)
    } catch let error as SQLiteError where error.isConstraint {
      let lineage = model.entity(named: step.entity).map { model.lineage(of: $0) } ?? []
      let unique = lineage.flatMap(\.uniquenessConstraints)
      guard !unique.isEmpty else { throw error }
      let names = unique.map { "'\($0.joined(separator: "', '"))'" }.joined(separator: " or ")
      throw Refusal(
        .caseFailed,
        "\(step.placedWords): an object would get the value of another, and \(names) must be "
          + "unique: write a value that no object has, and set it in one object"
      )
    }
  }

  private func take(
    _ step: Step,
    _ number: Int,
    _ part: Int,
    _ body: (StepOperation) throws -> Void
  ) throws {
    func say(_ work: StepOperation.Work) throws {
      try body(
        StepOperation(turn: turn, part: part, step: number, work: work, beside: beside)
      )
    }
    try recordMatch(of: step, number)
    switch step.verb {
    case .fetch where step.choose != nil:
      let chosen = try pick(step, number)
      if !step.keptAs.isEmpty { kept[step.keptAs] = chosen }
      try say(.read(chosen))
    case .fetch, .search:
      if !step.keptAs.isEmpty { kept[step.keptAs] = try found(step) }
      try say(.fetch)
    case .count: try say(.count)
    case .insert where step.upsert != nil: try upsert(step, number) { try say(.upsert($0)) }
    case .insert:
      let objects = try newObjects(step, number)
      try say(.insert(objects))
      try insert(objects, step)
    case .update where step.isBatchRequest:
      try updateAll(try self.chosen(step, number, say), step) { try say(.update($0)) }
    case .update:
      let chosen = try self.chosen(step, number, say)
      let names = try EntityNames(step.entity, in: layout)
      let blobs =
        try step.blobs.isEmpty
        ? nil : StepValues(step, model.knownEntity(step.entity), places, seed: seed)
      try inChunks(chosen, step, say) { batch in
        try say(.update(batch.map { try update($0, step, number, names, blobs: blobs) }))
        known = nil
      }
    case .delete:
      let chosen = try self.chosen(step, number, say)
      var left: [String: Set<Int64>] = [:]
      try inChunks(chosen, step, say) { batch in
        let effect = try delete(batch, step, leaving: &left)
        self.effect += effect
        try say(.delete(batch, effect))
        // Later turns of a mix would find no objects, and therefore be unrealistically fast.
        if parameters.isMix, !step.picks, step.from.isEmpty, try keys(of: step.entity).isEmpty,
          !steps.contains(where: { $0.verb == .insert && $0.entity == step.entity })
        {
          throw Self.nothingLeft(step, step.entity)
        }
      }
    case .save: try save { try say(.save) }
    case .reset: try say(.reset)
    case .do, .background: break
    }
  }

  /// Passes the objects of a step to `body`, either all at once or in chunks.
  ///
  /// After each chunk, the context saves and, unless the workload file turns it off, is reset. A
  /// chunk contains no object that an earlier chunk deleted by the delete rules.
  private func inChunks(
    _ keys: [Int64],
    _ step: Step,
    _ say: (StepOperation.Work) throws -> Void,
    _ body: ([Int64]) throws -> Void
  ) throws {
    guard step.chunk > 0 else { return try body(keys) }
    let root = layout.table(of: step.entity)?.root ?? step.entity
    var rest = keys[...]
    while true {
      var chunk: [Int64] = []
      while chunk.count < step.chunk, let key = rest.popFirst() {
        if gone[root]?.contains(key) != true { chunk.append(key) }
      }
      guard !chunk.isEmpty else { return }
      try body(chunk)
      try save { try say(.save) }
      if step.resetsChunks { try say(.reset) }
    }
  }

  // MARK: Choosing objects

  private func chosen(
    _ step: Step,
    _ number: Int,
    _ say: (StepOperation.Work) throws -> Void
  ) throws -> [Int64] {
    if !step.from.isEmpty { return kept[step.from] ?? [] }
    guard !step.picks else { return try pick(step, number) }
    try say(.find)
    return try found(step).sorted()
  }

  /// The keys of the objects that a fetch must find, up to the number that it reads.
  private func found(_ step: Step) throws -> [Int64] {
    Array(try matches(of: step).prefix(step.read ?? .max))
  }

  private func matches(of step: Step) throws -> [Int64] {
    try step.matchingKeys(places, in: layout, on: content().connection)
  }

  private func keys(of entity: String) throws -> [Int64] {
    if let known = keys[entity] { return known }
    let names = try EntityNames(entity, in: layout)
    let found = try expected.read(
      "SELECT Z_PK FROM \(names.table) WHERE Z_ENT IN (\(layout.numberList(ofFamily: entity))) "
        + "ORDER BY Z_PK"
    ).compactMap { $0[0].integer }
    keys[entity] = found
    return found
  }

  private func pick(_ step: Step, _ number: Int) throws -> [Int64] {
    let all = try keys(of: step.entity)
    let picked = picks.pick(step, number, among: all)
    guard !picked.isEmpty else { throw Self.nothingLeft(step, step.entity) }
    return picked
  }

  private static func nothingLeft(_ step: Step, _ entity: String) -> Refusal {
    Refusal(
      .caseFailed,
      "\(step.placedWords): no object of '\(entity)' is left: delete fewer, insert as many, or make "
        + "the store larger"
    )
  }

  // MARK: Changing the copy

  private func newObjects(_ step: Step, _ number: Int) throws -> [StepOperation.NewObject] {
    try newObjects(picks.count(of: step), step, number)
  }

  func newObjects(_ count: Int, _ step: Step, _ number: Int) throws -> [StepOperation.NewObject] {
    try (0..<count).map { _ in
      StepOperation.NewObject(
        key: try nextKey(of: step.entity),
        links: try newLinks(step, number)
      )
    }
  }

  func newLinks(_ step: Step, _ number: Int) throws -> [StepOperation.Link] {
    guard !step.links.isEmpty, let entity = model.entity(named: step.entity) else { return [] }
    return try model.relationships(of: entity).flatMap { try targets(of: $0, step, number) }
  }

  /// The objects that a step takes out of the to-many relationships of an object.
  func losses(
    of key: Int64,
    _ step: Step,
    _ number: Int,
    _ names: EntityNames
  ) throws -> [StepOperation.Loss] {
    guard step.hasLosses, let entity = model.entity(named: step.entity) else { return [] }
    var losses: [StepOperation.Loss] = []
    for relationship in model.relationships(of: entity) where relationship.isToMany {
      let name = relationship.name
      let isEmptied = step.links[name] == Step.noTarget
      let word = step.removals?[name]
      guard isEmptied || word != nil else { continue }
      let partners = try links.partners(of: key, by: relationship, in: names)
      // Removed and added objects are picked independently, even if both are picked in turn.
      let keys = isEmptied ? partners : picked(word ?? "", "-\(name)", number, among: partners)
      guard !keys.isEmpty else { continue }
      losses.append(StepOperation.Loss(relationship: relationship, keys: keys))
    }
    return losses
  }

  /// The objects that the word of a step's relationship picks, if any.
  private func picked(
    _ word: String,
    _ relationship: String,
    _ number: Int,
    among all: [Int64]
  ) -> [Int64] {
    guard let picking = Step.picking(word) else {
      let key = Int64(word)
      return all.filter { $0 == key }
    }
    return picks.pick(picking.count, picking.choice, among: all, number, of: relationship)
  }

  /// The key of the next new object of an entity.
  func nextKey(of entity: String) throws -> Int64 {
    let root = layout.table(of: entity)?.root ?? entity
    let last =
      try nextKeys[root] ?? expected.read(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1",
        .integer(Int64(layout.numbers[root] ?? 0))
      ).first?[0].integer ?? 0
    nextKeys[root] = last + 1
    return last + 1
  }

  /// The objects to which a step sets a relationship; empty for a to-many that the step empties.
  private func targets(
    of link: Relationship,
    _ step: Step,
    _ number: Int
  ) throws -> [StepOperation.Link] {
    guard let word = step.links[link.name] else { return [] }
    let names = try EntityNames(link.destination, in: layout)
    let isNew = word == Step.newTarget
    func led(to key: Int64?, _ entity: Int64) -> StepOperation.Link {
      StepOperation.Link(relationship: link.name, key: key, entity: entity, isNew: isNew)
    }
    if word == Step.noTarget { return link.isToMany ? [] : [led(to: nil, names.number)] }
    let chosen =
      isNew
      ? picks.pick(1, .inTurn, among: newest[names.table] ?? [], number, of: link.name)
      : picked(word, link.name, number, among: try keys(of: link.destination))
    guard !chosen.isEmpty else {
      guard let key = Int64(word) else { throw Self.nothingLeft(step, link.destination) }
      let reason = Step.noObject(key, of: link.destination)
      throw Refusal(.caseFailed, "\(step.placedWords): \(reason)")
    }
    return try chosen.map { key in
      let row = try expected.read(
        "SELECT Z_ENT FROM \(names.table) WHERE Z_PK = ?1",
        .integer(key)
      )
      return led(to: key, row.first?[0].integer ?? names.number)
    }
  }

  func touch(_ rows: [(table: String, key: Int64)]) {
    for (table, key) in rows where fresh[table]?.contains(key) != true {
      touched[table, default: []].insert(key)
    }
  }

  /// Saves the changes: increments the versions of the changed rows.
  ///
  /// - Throws: ``Refusal`` if a deletion before it makes the save fail.
  private func save(_ say: () throws -> Void) throws {
    for (step, obstacle) in obstacles where try obstacle.exists(in: expected) {
      throw obstacle.refusal(of: step)
    }
    obstacles = []
    try say()
    touch(try links.number())
    (fresh, newest) = ([:], [:])
    guard touched.contains(where: { !$0.value.isEmpty }) else { return }
    for (table, rows) in touched {
      for key in rows {
        try expected.change(
          "UPDATE \(table) SET Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?1",
          .integer(key)
        )
      }
    }
    touched = [:]
    known = nil
  }
}

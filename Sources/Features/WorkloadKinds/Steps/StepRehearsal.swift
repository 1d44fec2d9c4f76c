import Basics
import DataModel
import Generators
import PersistentStore
import Runner
import SQLite

/// One thing that the work does, with the objects that it does it to.
struct StepOperation {
  enum Work {
    /// Fetches by the step's condition.
    case fetch
    case count
    /// Reads objects by their keys.
    case read([Int64])
    /// Finds the keys of the objects that meet the step's condition.
    case find
    case insert([NewObject])
    /// Sets values, in the order of the step's attributes.
    case update([Int64], [[Value]])
    case delete([Int64])
    case save
    case reset
  }

  /// An object that is inserted, and what its to-ones lead to.
  struct NewObject {
    let key: Int64
    let links: [(relationship: String, key: Int64, entity: Int64)]
  }

  /// Operations of one turn belong together: their part is timed as a whole.
  let turn: Int
  let part: Int
  /// The step among those that are made of no others.
  let step: Int
  let work: Work
}

/// Does the steps of a case on a copy of the starting store by plain SQL, one after the other: so it
/// chooses what each step is about, and finds what the store must hold after it.
///
/// Preparing a trial, it says what to do; verifying it, the same again says what had to come of it.
final class StepRehearsal {
  let expected: ExpectedStore
  let parameters: ScenarioParameters
  let steps: [Step]
  private let seed: UInt64
  private var draws: Draws
  private let model: Model
  private var keys: [String: [Int64]] = [:]
  private var nextKeys: [String: Int64] = [:]
  /// Rows that the next save gives their next version, by table.
  private var touched: [String: Set<Int64>] = [:]
  private var kept: [String: [Int64]] = [:]
  private var places: [Int: Int] = [:]
  private var changes = 0
  private var turn = 0
  private var known: StoreContent?

  private var layout: StoreLayout { expected.layout }

  init(_ parameters: ScenarioParameters, _ expected: ExpectedStore, seed: UInt64) {
    (self.parameters, self.expected, self.seed) = (parameters, expected, seed)
    steps = parameters.leaves
    draws = Draws(state: seed ^ 0x7374_6570_73)
    model = expected.layout.model
  }

  /// What the copy holds between two changes.
  func content() throws -> StoreContent {
    if let known { return known }
    let content = try expected.content()
    known = content
    return content
  }

  // MARK: In order, or drawn

  /// Does all steps; the body sees each operation before it changes the copy.
  func perform(_ body: (StepOperation) throws -> Void) throws {
    guard parameters.isMix else {
      for index in parameters.steps.indices { try turns(index, body) }
      return
    }
    let weights = parameters.steps.map { $0.weight ?? 0 }
    let total = weights.reduce(0, +)
    for _ in 0..<parameters.operations {
      var (rest, index) = (draws.unit() * total, 0)
      while index < weights.count - 1, rest >= weights[index] {
        rest -= weights[index]
        index += 1
      }
      try turns(index, body)
    }
  }

  /// The place of the first of a step's own steps.
  private func firstLeaf(_ index: Int) -> Int {
    parameters.steps[..<index].reduce(0) { $0 + max($1.steps.count, 1) }
  }

  private func turns(_ index: Int, _ body: (StepOperation) throws -> Void) throws {
    let outer = parameters.steps[index]
    let part = parameters.parts.firstIndex(of: outer.partName) ?? 0
    let first = firstLeaf(index)
    for _ in 0..<outer.times {
      if outer.verb == .do {
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

  private func perform(
    _ step: Step,
    _ number: Int,
    _ part: Int,
    _ body: (StepOperation) throws -> Void
  ) throws {
    func say(_ work: StepOperation.Work) throws {
      try body(StepOperation(turn: turn, part: part, step: number, work: work))
    }
    switch step.verb {
    case .fetch where step.choose != nil:
      let chosen = try pick(step, number)
      if !step.keptAs.isEmpty { kept[step.keptAs] = chosen }
      try say(.read(chosen))
    case .fetch, .search:
      if !step.keptAs.isEmpty { kept[step.keptAs] = try found(step) }
      try say(.fetch)
    case .count: try say(.count)
    case .insert:
      let objects = try newObjects(step, number)
      try say(.insert(objects))
      try insert(objects, step)
    case .update:
      let chosen = try self.chosen(step, number, say)
      let values = try chosen.map { try self.values(step, of: $0) }
      try say(.update(chosen, values))
      try update(chosen, values, step)
    case .delete:
      let chosen = try self.chosen(step, number, say)
      for some in step.chunk > 0 ? chosen.chunks(of: step.chunk).map(Array.init) : [chosen] {
        try say(.delete(some))
        try delete(some, of: step.entity)
        guard step.chunk > 0 else { continue }
        try save { try say(.save) }
        if step.resetsChunks { try say(.reset) }
      }
    case .save: try save { try say(.save) }
    case .reset: try say(.reset)
    case .do: break
    }
  }

  // MARK: Choosing

  private func chosen(
    _ step: Step,
    _ number: Int,
    _ say: (StepOperation.Work) throws -> Void
  ) throws -> [Int64] {
    if !step.from.isEmpty { return kept[step.from] ?? [] }
    guard !step.condition.isEmpty else { return try pick(step, number) }
    try say(.find)
    return try found(step).sorted()
  }

  /// The keys of the objects that a fetch must find, as far as it reads them.
  private func found(_ step: Step) throws -> [Int64] {
    let (fetch, subject) = try step.fetch(in: model)
    let sql = try StatementFetch.Statements(fetch, subject, layout: layout)
    let content = try content()
    try FrameworkFunctions.register(on: content.connection)
    var keys: [Value] = []
    _ = try ConnectionWriter(content.connection).read(sql.keys, sql.values, into: &keys)
    return Array(keys.compactMap(\.integer).prefix(step.read ?? .max))
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
    let count = min(step.objects.number(draws.next()), all.count)
    guard count > 0 else {
      throw Refusal(.caseFailed, "'\(step.words)': no object of '\(step.entity)' is left")
    }
    let choice = step.choose ?? .inTurn
    guard !step.isAdjacent else {
      let first = min(place(choice, among: all.count, number), all.count - count)
      return Array(all[first..<first + count])
    }
    var taken: Set<Int> = []
    return (0..<count).map { _ in
      var found = place(choice, among: all.count, number)
      // Each object once.
      while !taken.insert(found).inserted { found = (found + 1) % all.count }
      return all[found]
    }
  }

  private func place(_ choice: Step.Choice, among count: Int, _ number: Int) -> Int {
    switch choice {
    case .inTurn:
      defer { places[number, default: 0] += 1 }
      return places[number, default: 0] % count
    case .uniform: return Int(draws.next() % UInt64(count))
    case .zipfian:
      return Int(SplitMix64.word(seed, 0x7a69_7066, UInt64(rank(count))) % UInt64(count))
    case .latest: return count - 1 - rank(count)
    }
  }

  /// A rank from 0 on, with the exponent that YCSB has.
  private func rank(_ count: Int) -> Int {
    let ranks = DistributionRecipe(.zipfian(exponent: 0.99, count: count))
    return min(count - 1, Int(ranks.value(&draws)) - 1)
  }

  // MARK: Changing

  private func newObjects(_ step: Step, _ number: Int) throws -> [StepOperation.NewObject] {
    let table = layout.table(of: step.entity)
    let root = table?.root ?? step.entity
    guard let entity = model.entity(named: step.entity) else { return [] }
    var next =
      try nextKeys[root] ?? expected.read(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1",
        .integer(Int64(layout.numbers[root] ?? 0))
      ).first?[0].integer ?? 0
    let links = model.relationships(of: entity).filter { step.links[$0.name] != nil }
    let objects = try (0..<step.objects.number(draws.next())).map { _ in
      next += 1
      return StepOperation.NewObject(
        key: next,
        links: try links.map { link in
          let target = try target(of: link, step, number)
          return (link.name, target.key, target.entity)
        }
      )
    }
    nextKeys[root] = next
    return objects
  }

  private func target(
    of link: Relationship,
    _ step: Step,
    _ number: Int
  ) throws -> (key: Int64, entity: Int64) {
    let all = try keys(of: link.destination)
    guard !all.isEmpty, let choice = Step.Choice(rawValue: step.links[link.name] ?? "") else {
      throw Refusal(.caseFailed, "'\(step.words)': no object of '\(link.destination)' is left")
    }
    let key = all[place(choice, among: all.count, number)]
    let names = try EntityNames(link.destination, in: layout)
    let row = try expected.read("SELECT Z_ENT FROM \(names.table) WHERE Z_PK = ?1", .integer(key))
    return (key, row.first?[0].integer ?? names.number)
  }

  private func insert(_ objects: [StepOperation.NewObject], _ step: Step) throws {
    guard let entity = model.entity(named: step.entity) else { return }
    let names = try EntityNames(step.entity, in: layout)
    let values = StepValues(step, entity, in: model, seed: seed)
    let external = values.externalNames
    for object in objects {
      var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
      var row: [Value] = [.integer(object.key), .integer(names.number), .integer(1)]
      for (name, value) in zip(values.names, values.values(of: object.key)) {
        columns.append(try names.column(name))
        // A blob in the row of an attribute that may have files begins with a byte that says so.
        if external.contains(name), case .blob(let bytes) = value {
          row.append(.blob([1] + bytes))
        } else {
          row.append(value)
        }
      }
      for link in object.links {
        guard
          case .foreignKey(let column, let number, _)? =
            layout.storage(of: link.relationship, in: step.entity)
        else { continue }
        columns.append(column)
        row.append(.integer(link.key))
        if let number {
          columns.append(number)
          row.append(.integer(link.entity))
        }
      }
      let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      try expected.change(
        "INSERT INTO \(names.table) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
        row
      )
    }
    known = nil
    let family = Set(model.lineage(of: entity).map(\.name))
    for name in family { keys[name]? += objects.map(\.key) }
  }

  /// New values, each another one than the object has.
  private func values(_ step: Step, of key: Int64) throws -> [Value] {
    guard let entity = model.entity(named: step.entity) else { return [] }
    let names = try EntityNames(step.entity, in: layout)
    changes += 1
    return try step.set.map { name in
      let attribute = try model.storedAttribute(name, of: entity)
      let column = try names.column(name)
      let present = try expected.read(
        "SELECT \(column) FROM \(names.table) WHERE Z_PK = ?1",
        .integer(key)
      ).first?[0]
      let value = StepValues.changed(attribute, changes)
      if value != present { return value }
      changes += 1
      return StepValues.changed(attribute, changes)
    }
  }

  private func update(_ keys: [Int64], _ values: [[Value]], _ step: Step) throws {
    let names = try EntityNames(step.entity, in: layout)
    for (key, values) in zip(keys, values) {
      try expected.set(zip(step.set, values).map { ($0, $1) }, of: key, in: names, raises: false)
      touched[names.table, default: []].insert(key)
    }
    known = nil
  }

  private func delete(_ chosen: [Int64], of entity: String) throws {
    let closure = try DeletionClosure(of: entity, keys: chosen, in: content())
    guard closure.denials.isEmpty else {
      let names = Set(closure.denials.map { "\($0.object.entity).\($0.relationship)" }).sorted()
      throw Refusal(
        .caseFailed,
        "'delete \(entity)': the delete rule of \(names.joined(separator: ", ")) is deny, and objects "
          + "are there"
      )
    }
    for (table, rows) in try expected.remove(closure) {
      touched[table, default: []].formUnion(rows)
    }
    for (root, gone) in closure.removed {
      if let table = layout.table(of: root)?.name { touched[table]?.subtract(gone) }
      for name in kept.keys where layout.table(of: root) != nil {
        kept[name]?.removeAll { closure.removed[self.root(ofKept: name)]?.contains($0) ?? false }
      }
    }
    keys = [:]
    known = nil
  }

  private func root(ofKept name: String) -> String {
    let entity = steps.first { $0.keptAs == name }?.entity ?? ""
    return layout.table(of: entity)?.root ?? entity
  }

  /// Gives what was changed its next version.
  private func save(_ say: () throws -> Void) throws {
    try say()
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

extension ExpectedStore {
  /// Removes all that a deletion takes with it, and what had a relationship to it, by the delete rules.
  ///
  /// - Returns: The keys of the rows that lost a reference, by table.
  fileprivate func remove(_ closure: DeletionClosure) throws -> [String: Set<Int64>] {
    var touched: [String: Set<Int64>] = [:]
    let model = layout.model
    func empty(_ table: String, _ column: String, _ others: [String], _ key: Int64) throws {
      let rows = try read("SELECT Z_PK FROM \(table) WHERE \(column) = ?1", .integer(key))
      guard !rows.isEmpty else { return }
      touched[table, default: []].formUnion(rows.compactMap { $0[0].integer })
      let sets = ([column] + others).map { "\($0) = NULL" }.joined(separator: ", ")
      try change("UPDATE \(table) SET \(sets) WHERE \(column) = ?1", .integer(key))
    }
    for entity in model.entities {
      guard let root = layout.table(of: entity.name)?.root, let keys = closure.removed[root] else {
        continue
      }
      for relationship in entity.relationships where !relationship.isTransient {
        let back = model.inverse(of: relationship).flatMap {
          layout.storage(of: $0.name, in: relationship.destination)
        }
        for key in keys.sorted() {
          switch (layout.storage(of: relationship.name, in: entity.name), back) {
          case (.join(let table, let side), _) where relationship.deleteRule != .noAction:
            try change("DELETE FROM \(table) WHERE \(side.ownColumn) = ?1", .integer(key))
          case (.inverseForeignKey(let table, let column, let order), let back)
          where relationship.deleteRule == .nullify:
            var others = [order].compactMap(\.self)
            if case .foreignKey(_, let number?, _)? = back { others.append(number) }
            try empty(table, column, others, key)
          case (.foreignKey, .foreignKey(let column, let number, let order)?)
          where relationship.deleteRule == .nullify:
            guard let table = layout.table(of: relationship.destination)?.name else { continue }
            try empty(table, column, [number, order].compactMap(\.self), key)
          default: continue
          }
        }
      }
    }
    for (root, keys) in closure.removed {
      guard let table = layout.table(of: root)?.name else { continue }
      for key in keys { try change("DELETE FROM \(table) WHERE Z_PK = ?1", .integer(key)) }
    }
    return touched
  }
}

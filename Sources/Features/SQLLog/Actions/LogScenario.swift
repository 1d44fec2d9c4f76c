import Basics
import DataModel
import PersistentStore

/// The steps of a scenario that repeats the statements of a log, in the log's order.
///
/// A log does not show the values of conditions, the app's choice of objects, or the deletions by a
/// cascade. Notes list these gaps for the user to fill.
package struct LogScenario {
  /// An item of the scenario's list.
  package struct Step: Equatable {
    /// The keys and values of the step, in order: `fetch`, `Note`, `limit`, `20`.
    fileprivate(set) var keys: [(name: String, value: String)]
    /// The part to which the step belongs; empty outside actions.
    package fileprivate(set) var part: String
    fileprivate(set) var times = 1

    package static func == (first: Step, second: Step) -> Bool {
      first.part == second.part && first.times == second.times && first.text == second.text
    }

    /// The item as written in the file.
    package var text: String {
      guard keys[0].name != "save" else { return "save" }
      var all = keys.map { "\($0.name): \($0.value)" }
      if times > 1 { all.append("times: \(times)") }
      if !part.isEmpty { all.append("as: \(part)") }
      return "{ \(all.joined(separator: ", ")) }"
    }

    fileprivate var isChange: Bool { ["insert", "update", "delete"].contains(keys[0].name) }
  }

  package private(set) var steps: [Step] = []
  /// The differences between the log and the steps, with the number of occurrences.
  package private(set) var notes: [(text: String, count: Int)] = []
  /// The actions with steps, each with the name of its part, in the order of the log.
  package private(set) var parts: [(action: String, part: String)] = []

  let model: Model
  let layout: StoreLayout
  let vocabulary: Vocabulary
  /// The number of objects by entity before the steps, excluding sub-entities; `nil` if the number
  /// is unknown.
  let counts: [String: Int]?
  /// The number of objects inserted minus the number deleted by the previous steps, by entity.
  var balance: [String: Int] = [:]
  var writes: [Write] = []
  var writtenEntities: [String: WrittenEntity] = [:]
  /// For each table, the step of the last fetch of keys, and the batch size once it is known.
  private var lists: [String: (step: Int, batch: Int?)] = [:]
  /// The number of objects loaded by each step that fetches a list, by the step's index.
  private var loaded: [Int: Int] = [:]

  /// Reads logs of an app whose model and layout are known; a marker selects actions.
  ///
  /// `counts` are the numbers of objects of the store that the scenario runs on, by entity and
  /// excluding sub-entities.
  ///
  /// - Throws: a ``Refusal`` if a file is missing, binary or not a log, or if no statement can
  ///   become a step.
  package init(
    of logs: [String],
    marker: ActionMarker?,
    model: Model,
    schema: LogSchema,
    counts: [String: Int]?
  ) throws {
    self.model = model
    self.counts = counts
    layout = StoreLayout(model: model, keepsHistory: false)
    var sections: [(name: String, lines: ClosedRange<Int>)] = []
    if let marker {
      var finder = MarkerFinder(marker)
      try finder.read(logs)
      sections = zip(finder.names, finder.sections).flatMap { name, ranges in
        ranges.map { (name, $0) }
      }.sorted { $0.lines.lowerBound < $1.lines.lowerBound }
    }
    var found: [LoggedStatement] = []
    let parser = LogParser { found.append($0) }
    for path in logs { try parser.read(path) }
    vocabulary = Vocabulary(schema: schema, names: parser.names)
    for statement in found {
      let action = sections.last { $0.lines.contains(statement.line) }?.name ?? ""
      add(statement, parser.statements[statement.entry].shape, action)
    }
    for (index, count) in loaded { steps[index].set("read", "\(count)") }
    guard !steps.isEmpty else {
      throw Refusal.badInput(
        "the log has no statement that a scenario can do: it needs reads or writes of the store's "
          + "entities"
      )
    }
  }

  /// Returns at most `most` steps from the start.
  ///
  /// Changes at the end of these steps are omitted if their save is beyond the limit.
  package func steps(upTo most: Int) -> ArraySlice<Step> {
    var kept = steps.prefix(most)
    while kept.count < steps.count, kept.last?.isChange == true { kept.removeLast() }
    return kept
  }

  mutating func note(_ text: String) {
    if let index = notes.firstIndex(where: { $0.text == text }) {
      notes[index].count += 1
    } else {
      notes.append((text, 1))
    }
  }

  private mutating func add(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ action: String
  ) {
    switch shape.kind {
    case .begin, .rollback: writes = []
    case .commit: save(action)
    case .insert, .update, .delete: addWrite(shape)
    case .fetch, .keyFetch: addFetch(statement, shape, action)
    case .count:
      guard let entity = entity(shape) else { return }
      condition(of: shape, entity)
      append([("count", entity)], action)
    case .fault:
      guard let entity = entity(shape) else { return }
      append(Self.load(entity, 1), action)
    case .batch: addBatch(statement, shape, action)
    case .prefetch: note("relationships that were prefetched: add 'prefetch: [NAME]' to the fetch")
    case .toManyFault:
      note("to-many relationships that were followed: add 'follow: NAME' to the fetch")
    case .aggregate: note("sums and groups, which no step makes")
    case .pragma, .system, .schema, .other: break
    }
  }

  private func entity(_ shape: StatementShape) -> String? {
    let name = vocabulary.entity(of: shape.table)
    return model.entity(named: name) == nil ? nil : Self.word(name)
  }

  /// Returns a name as written in the file, quoted if YAML would not read it as a plain name.
  static func word(_ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isPlain && !words.contains(name.lowercased()) ? name : YAMLText.quoted(name)
  }

  /// Adds a note about the condition of a read, whose values a log does not show; returns whether
  /// the read has a condition.
  @discardableResult
  private mutating func condition(of shape: StatementShape, _ entity: String) -> Bool {
    // Ignore a NULL test of a column that is also compared, because Core Data adds such tests.
    let compared = shape.conditions.filter { $0.operation != .null }.map(\.column)
    let columns = shape.conditions
      .filter { $0.column != "Z_ENT" && ($0.operation != .null || !compared.contains($0.column)) }
      .map { vocabulary.property($0.column, of: $0.table) }
      .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    guard
      !columns.isEmpty || shape.hasOtherComparison
        || shape.hasPredicate && shape.conditions.isEmpty
    else { return false }
    note(
      "reads of \(entity) by \(columns.isEmpty ? "a predicate" : columns.joined(separator: ", ")): "
        + "add 'where' with a value of your app's; until then a fetch reads as many objects as in the "
        + "log (one if it found none), and a count counts all"
    )
    return true
  }

  private mutating func addFetch(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ action: String
  ) {
    guard let entity = entity(shape) else { return }
    let isConditional = condition(of: shape, entity)
    var keys = [("fetch", entity)]
    let sorts = shape.sorts.filter { $0.table == shape.table }.compactMap { sort -> String? in
      let name = vocabulary.property(sort.column, of: sort.table)
      guard isAttribute(name, of: entity) else { return nil }
      return sort.isDescending ? "-" + name : Self.word(name)
    }
    if !sorts.isEmpty { keys.append(("sort", "[\(sorts.joined(separator: ", "))]")) }
    if isConditional, statement.rows >= 0 {
      keys.append(("limit", "\(max(statement.rows, 1))"))
    } else if shape.hasLimit, statement.limit > 0 {
      keys.append(("limit", "\(statement.limit)"))
    }
    let isList = shape.kind == .keyFetch
    if isList { keys.append(("read", "0")) }
    append(keys, action, joins: !isList)
    if isList { lists[shape.table] = (steps.count - 1, nil) }
  }

  /// Counts a batch toward the table's last fetch of keys.
  ///
  /// If there was no such fetch, adds a step that fetches the objects together by their keys.
  private mutating func addBatch(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ action: String
  ) {
    let size = statement.limit > 0 ? statement.limit : max(statement.rows, 1)
    let count = statement.rows >= 0 ? statement.rows : size
    if let list = lists[shape.table], list.batch ?? size == size {
      lists[shape.table] = (list.step, size)
      steps[list.step].set("batch", "\(size)")
      loaded[list.step, default: 0] += count
    } else if let entity = entity(shape) {
      append(Self.load(entity, count), action)
    }
  }

  /// Returns the YAML keys of a step that fetches random objects, because the log does not show how
  /// the app chose them.
  private static func load(_ entity: String, _ count: Int) -> [(String, String)] {
    [("fetch", entity), ("choose", "uniform")] + (count > 1 ? [("objects", "\(count)")] : [])
  }

  private func isAttribute(_ name: String, of entity: String) -> Bool {
    guard let entity = model.entity(named: entity.filter { $0 != "\"" && $0 != "'" }) else {
      return false
    }
    return model.attributes(of: entity).contains { $0.name == name && !$0.isTransient }
  }

  mutating func append(
    _ keys: [(String, String)],
    _ action: String,
    joins: Bool = true
  ) {
    var step = Step(keys: keys, part: part(of: action))
    if joins, let last = steps.last {
      step.times = last.times
      if last == step {
        steps[steps.count - 1].times += 1
        return
      }
      step.times = 1
    }
    steps.append(step)
  }

  /// Removes the last step if it only fetches the objects that the next step changes.
  mutating func removeLoad(_ entity: String, _ count: Int, _ action: String) {
    let load = Step(keys: Self.load(entity, count), part: part(of: action))
    if steps.last == load { steps.removeLast() }
  }

  // MARK: Parts

  /// The maximum number of letters in the name of a part.
  private static let longestPart = 40

  /// Returns the name of an action's part: the letters of the action's name, with a suffix such as
  /// `A` if that name is taken.
  private mutating func part(of action: String) -> String {
    guard !action.isEmpty else { return "" }
    if let known = parts.first(where: { $0.action == action }) { return known.part }
    let stem = String(action.filter { $0.isASCII && $0.isLetter }.prefix(Self.longestPart))
    // Exclude verbs, which name the steps outside actions.
    let taken = Set(parts.map(\.part) + ["fetch", "count", "insert", "update", "delete", "save"])
    let base = stem.isEmpty ? "part" : stem
    var (part, number) = (stem, 0)
    while part.isEmpty || taken.contains(part) {
      let suffix = Self.letters(number)
      part = String(base.prefix(Self.longestPart - suffix.count)) + suffix
      number += 1
    }
    parts.append((action, part))
    return part
  }

  /// Returns A to Z for 0 to 25, then AA, AB and so on.
  private static func letters(_ number: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26)))
    return number < 26 ? letter : letters(number / 26 - 1) + letter
  }
}

extension LogScenario.Step {
  fileprivate mutating func set(_ name: String, _ value: String) {
    keys.removeAll { $0.name == name }
    keys.append((name, value))
  }
}

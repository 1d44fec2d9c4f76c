import Basics
import DataModel

/// The steps of a scenario that repeats the statements of a log, in the log's order.
///
/// A log does not show the values of conditions, how an app chooses objects, or which objects a
/// cascade deleted. Notes list these gaps for the user to fill.
package struct LogScenario {
  /// An item of the scenario's list.
  package struct Step: Equatable {
    /// The keys and values of the step, in order: `fetch`, `Note`, `limit`, `20`.
    fileprivate(set) var keys: [(name: String, value: String)]
    /// The action in which the statement ran; empty outside actions.
    fileprivate(set) var action: String
    fileprivate var times = 1

    package static func == (first: Step, second: Step) -> Bool {
      first.action == second.action && first.times == second.times && first.text == second.text
    }

    /// The item as written in the file.
    package var text: String {
      guard keys[0].name != "save" else { return "save" }
      var all = keys.map { "\($0.name): \($0.value)" }
      if times > 1 { all.append("times: \(times)") }
      let part = action.filter { $0.isASCII && $0.isLetter }.prefix(40)
      if !part.isEmpty { all.append("as: \(part)") }
      return "{ \(all.joined(separator: ", ")) }"
    }
  }

  package private(set) var steps: [Step] = []
  /// The parts of the log that no step reproduces, with the number of occurrences.
  package private(set) var notes: [(text: String, count: Int)] = []

  private let model: Model
  private let vocabulary: Vocabulary
  /// The rows that the open transaction writes, by kind of change.
  private var writes: [(verb: String, table: String, columns: [String], count: Int)] = []
  /// The step of the last fetch of keys, by table, and the size of its batches once it is known.
  private var lists: [String: (step: Int, batch: Int?)] = [:]
  /// The number of objects loaded so far from each step that fetches a list, by the step's index.
  private var loaded: [Int: Int] = [:]

  /// Reads logs of an app whose model and layout are known; a marker selects actions.
  ///
  /// - Throws: a ``Refusal`` if a file is missing, binary or not a log, or if no statement can
  ///   become a step.
  package init(
    of logs: [String],
    marker: ActionMarker?,
    model: Model,
    schema: LogSchema
  ) throws {
    self.model = model
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

  private mutating func note(_ text: String) {
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
    case .insert, .update, .delete:
      // Skip the rows of join tables, which store many-to-many relationships.
      guard model.entity(named: vocabulary.entity(of: shape.table)) != nil else { return }
      let verb = shape.kind.rawValue
      let columns = shape.kind == .update ? shape.columns : []
      let known = writes.firstIndex { $0.verb == verb && $0.table == shape.table }
      if let known {
        writes[known].count += 1
        writes[known].columns += columns.filter { !writes[known].columns.contains($0) }
      } else {
        writes.append((verb, shape.table, columns, 1))
      }
    case .fetch, .keyFetch: addFetch(statement, shape, action)
    case .count:
      guard let entity = entity(shape, action) else { return }
      condition(of: shape, entity)
      append([("count", entity)], action)
    case .fault:
      guard let entity = entity(shape, action) else { return }
      append(Self.load(entity, 1), action)
    case .batch: addBatch(statement, shape, action)
    case .prefetch: note("relationships that were prefetched: add 'prefetch: [NAME]' to the fetch")
    case .toManyFault:
      note("to-many relationships that were followed: add 'follow: NAME' to the fetch")
    case .aggregate: note("sums and groups, which no step makes")
    case .pragma, .system, .schema, .other: break
    }
  }

  private func entity(_ shape: StatementShape, _ action: String) -> String? {
    let name = vocabulary.entity(of: shape.table)
    return model.entity(named: name) == nil ? nil : Self.word(name)
  }

  /// Returns a name as written in the file, quoted if YAML would not read it as a plain name.
  private static func word(_ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isPlain && !words.contains(name.lowercased()) ? name : YAMLText.quoted(name)
  }

  /// Notes the condition of a read, whose values a log does not show; returns whether there is one.
  @discardableResult
  private mutating func condition(of shape: StatementShape, _ entity: String) -> Bool {
    let columns = shape.conditions.filter { $0.column != "Z_ENT" && $0.operation != .null }
      .map { vocabulary.property($0.column, of: $0.table) }
      .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    guard !columns.isEmpty || shape.hasPredicate && shape.conditions.isEmpty else { return false }
    note(
      "reads of \(entity) by \(columns.isEmpty ? "a predicate" : columns.joined(separator: ", ")): "
        + "add 'where' with a value of your app's; until then a fetch reads as many objects as in the "
        + "log, and a count counts all"
    )
    return true
  }

  private mutating func addFetch(
    _ statement: LoggedStatement,
    _ shape: StatementShape,
    _ action: String
  ) {
    guard let entity = entity(shape, action) else { return }
    let isConditional = condition(of: shape, entity)
    var keys = [("fetch", entity)]
    let sorts = shape.sorts.filter { $0.table == shape.table }.compactMap { sort -> String? in
      let name = vocabulary.property(sort.column, of: sort.table)
      guard isAttribute(name, of: entity) else { return nil }
      return (sort.isDescending ? "-" : "") + name
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
  /// If there is none, adds a step for objects that were fetched together by their keys.
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
    } else if let entity = entity(shape, action) {
      append(Self.load(entity, count), action)
    }
  }

  /// Returns the YAML keys of a step that fetches random objects, because the log does not show how
  /// the app chose its objects.
  private static func load(_ entity: String, _ count: Int) -> [(String, String)] {
    [("fetch", entity), ("choose", "uniform")] + (count > 1 ? [("objects", "\(count)")] : [])
  }

  private func isAttribute(_ name: String, of entity: String) -> Bool {
    guard let entity = model.entity(named: entity.filter { $0 != "\"" && $0 != "'" }) else {
      return false
    }
    return model.attributes(of: entity).contains { $0.name == name && !$0.isTransient }
  }

  /// Appends a step, or repeats the last step if it is the same.
  private mutating func append(
    _ keys: [(String, String)],
    _ action: String,
    joins: Bool = true
  ) {
    var step = Step(keys: keys, action: action)
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

  // MARK: Saves

  private mutating func save(_ action: String) {
    let gone = Set(writes.filter { $0.verb == "delete" }.map { vocabulary.entity(of: $0.table) })
    var hasChanges = false
    for write in writes {
      let name = vocabulary.entity(of: write.table)
      guard let entity = model.entity(named: name) else { continue }
      var keys = [(write.verb, Self.word(name)), ("objects", "\(write.count)")]
      switch write.verb {
      case "insert": keys += insertion(of: entity)
      case "update":
        let set = write.columns.map { vocabulary.property($0, of: write.table) }.filter {
          isChangeable($0, of: entity)
        }
        guard !set.isEmpty else {
          note("updates of \(name) that change no attribute a step gives new values")
          continue
        }
        keys.append(("set", "[\(set.joined(separator: ", "))]"))
      default:
        guard !isTakenAlong(entity, by: gone) else { continue }
      }
      // An update or deletion fetches its objects itself, so the fetch before it is redundant.
      let load = Step(keys: Self.load(Self.word(name), write.count), action: action)
      if write.verb != "insert", steps.last == load { steps.removeLast() }
      append(keys, action, joins: false)
      hasChanges = true
    }
    if hasChanges { append([("save", "")], action, joins: false) }
    writes = []
  }

  /// Whether a cascade from other deleted objects also deletes the entity's objects, so that they
  /// need no deletion step.
  private func isTakenAlong(_ entity: Entity, by gone: Set<String>) -> Bool {
    gone.contains { other in
      guard other != entity.name, let source = model.entity(named: other) else { return false }
      return model.relationships(of: source).contains {
        $0.deleteRule == .cascade && $0.destination == entity.name
      }
    }
  }

  private func insertion(of entity: Entity) -> [(String, String)] {
    let links = model.relationships(of: entity).filter { link in
      guard !link.isToMany, !link.isTransient, let inverse = model.inverse(of: link) else {
        return !link.isToMany && !link.isTransient && !link.isOptional
      }
      return inverse.isToMany && !inverse.isOrdered
    }
    let blobs = model.attributes(of: entity).filter { $0.type == .binary && !$0.isOptional }
    return
      (links.isEmpty
      ? [] : [("to", "{ \(links.map { "\($0.name): uniform" }.joined(separator: ", ")) }")])
      + (blobs.isEmpty
        ? [] : [("blobs", "{ \(blobs.map { "\($0.name): 10 KB" }.joined(separator: ", ")) }")])
  }

  private func isChangeable(_ name: String, of entity: Entity) -> Bool {
    let types: [AttributeType] = [.string, .integer32, .integer64, .decimal, .double, .date]
    let unique = model.lineage(of: entity).flatMap { $0.uniquenessConstraints.joined() }
    return model.attributes(of: entity).contains {
      $0.name == name && types.contains($0.type) && !$0.isTransient && $0.derivation == nil
        && !unique.contains(name)
    }
  }
}

extension LogScenario.Step {
  fileprivate mutating func set(_ name: String, _ value: String) {
    keys.removeAll { $0.name == name }
    keys.append((name, value))
  }
}

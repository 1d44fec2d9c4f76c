import Basics
import DataModel
import SQLite

/// The content that a store must have: an original's, but for what the work was to change.
///
///     var expected = ExpectedContent(from: original, layout: layout)
///     try expected.remove("Task", keys: deleted)
///     try expected.change("Task") { try $0.set("priority", .integer(2)) }
///     let findings = try ContentComparison(expected: expected, actual: actual).findings()
///
/// An object of the original is brought into the layout's model as an inferred mapping would, then
/// removed or changed, and last gets its new key. Nothing is held in memory but the keys of what
/// was removed or given a new key.
package struct ExpectedContent {
  /// A change of one object.
  package typealias Change = (inout ContentObject) throws -> Void

  /// What becomes of a reference to an object that is gone.
  package enum Nullification: Hashable, Sendable {
    /// NULL where the rule of the other side is to nullify; otherwise it leads nowhere.
    case byDeleteRule
    case always
    /// Nothing follows the rules: references and pairs stay, and lead nowhere.
    case never
  }

  package let layout: StoreLayout
  /// What becomes of references to objects that are expected to be gone.
  package var nullification = Nullification.byDeleteRule
  /// Whether an object that loses such a reference has its next version.
  package var raisesVersions = false
  let original: StoreContent
  private let outcome: StoreContent?
  let origin: Origin
  private(set) var keyMap: ContentKeyMap?
  /// By the name of the root entity in the original.
  private var removals: [String: [(Int64) -> Bool]] = [:]
  private var changes: [String: [Change]] = [:]
  private var addedPairs: [String: [ContentPair]] = [:]

  /// All that the original holds, in the model of a layout; nil for the original's own.
  package init(from original: StoreContent, layout: StoreLayout? = nil) {
    self.original = original
    self.layout = layout ?? original.layout
    outcome = nil
    origin = Origin(of: self.layout.model, in: original.layout.model)
  }

  /// What another store of the same model holds, as what became of the original.
  package init(from original: StoreContent, to outcome: StoreContent) {
    self.original = original
    self.outcome = outcome
    layout = original.layout
    origin = Origin(of: layout.model, in: layout.model)
  }

  // MARK: What the work was to change

  /// Expects objects of the original to be gone, pairs with them gone, and references to them NULL
  /// as `nullification` says.
  ///
  /// The entity is one of the original; its sub-entities' objects are meant as well.
  package mutating func remove(
    _ entity: String,
    where isRemoved: @escaping (_ key: Int64) -> Bool
  ) throws {
    removals[try original.table(of: entity).root, default: []].append(isRemoved)
  }

  /// Expects objects of the original under these keys to be gone, and what that entails.
  package mutating func remove(_ entity: String, keys: Set<Int64>) throws {
    try remove(entity) { keys.contains($0) }
  }

  /// Changes what is expected of each object of an entity and its sub-entities.
  ///
  /// The object has its new shape and still the keys of the original.
  package mutating func change(_ entity: String, _ change: @escaping Change) throws {
    guard let described = layout.model.entity(named: entity) else {
      throw Refusal.unknownEntity(entity)
    }
    for below in layout.model.family(of: described) {
      changes[below.name, default: []].append(change)
    }
  }

  /// Expects pairs of a many-to-many relationship that the original does not have, by the keys of
  /// its objects.
  ///
  /// The relationship is `ENTITY.RELATIONSHIP`, the side that gives the pairs their order.
  package mutating func addPairs(_ relationship: String, _ pairs: [ContentPair]) {
    addedPairs[relationship, default: []] += pairs
  }

  /// Expects every object under a new key, as a side-by-side copy numbers them.
  package mutating func rekey(_ map: ContentKeyMap) { keyMap = map }

  // MARK: The content

  /// The objects expected in a table, in key order.
  package func objects(in table: EntityTable) throws -> ContentStream<ContentObject> {
    if let outcome { return ContentStream(try outcome.objects(in: table).next) }
    guard let source = try source(of: table) else { return ContentStream([]) }
    let transformation = Transformation(self)
    // Of one table of the original, entities may have gone to several.
    let members = Set(table.entities)
    guard let pairs = keyMap?.pairs(in: table) else {
      let cursor = try original.objects(in: source)
      return ContentStream {
        while let object = try cursor.next() {
          if let expected = try transformation(object), members.contains(expected.entity) {
            return expected
          }
        }
        return nil
      }
    }
    var next = pairs.makeIterator()
    return ContentStream {
      while let (_, old) = next.next() {
        if let object = try original.object(key: old, in: source),
          let expected = try transformation(object), members.contains(expected.entity)
        {
          return expected
        }
      }
      return nil
    }
  }

  /// The original's table that a table's objects come from; `nil` where all of them are new.
  private func source(of table: EntityTable) throws -> EntityTable? {
    let tables = table.entities.compactMap(origin.entity).compactMap(original.layout.table(of:))
    guard Set(tables.map(\.name)).count <= 1 else {
      throw Refusal.badInput(
        "cannot expect objects in '\(table.name)': they come from more than one "
          + "table of the original"
      )
    }
    return tables.first
  }

  /// The pairs expected in a join table, in order.
  package func pairs(in table: JoinTable) throws -> ContentStream<ContentPair> {
    let side = table.firstSide
    if let outcome {
      return ContentStream(
        try ContentPair.Cursor(outcome.connection, table: table, first: side).next
      )
    }
    let kept = try originalPairs(table)
    let new = (addedPairs[side.name] ?? []).compactMap { rekeyed($0, side) }
    guard keyMap != nil || !new.isEmpty else { return kept }
    // New keys bring the pairs out of order.
    var all = new
    while let pair = try kept.next() { all.append(pair) }
    return ContentStream(all.sorted(by: ContentPair.precedes))
  }

  private func rekeyed(_ pair: ContentPair, _ side: JoinTable.Side) -> ContentPair? {
    guard let keyMap else { return pair }
    return keyMap.pair(pair, side, in: layout)
  }

  private func originalPairs(_ new: JoinTable) throws -> ContentStream<ContentPair> {
    let side = new.firstSide
    guard let (table, first) = origin.joinTable(of: side, in: original.layout) else {
      return try FormerKeys(of: new, origin: origin, layout: original.layout)
        .map { try formerPairs($0, side) } ?? ContentStream([])
    }
    let cursor = try ContentPair.Cursor(original.connection, table: table, first: first)
    let second = first == table.master ? table.slave : table.master
    return ContentStream {
      while let pair = try cursor.next() {
        if isUnpaired(pair.first, on: first) || isUnpaired(pair.second, on: second) { continue }
        if let pair = rekeyed(new.keepingOrders(of: pair), side) { return pair }
      }
      return nil
    }
  }

  private func formerPairs(
    _ keys: FormerKeys,
    _ side: JoinTable.Side
  ) throws -> ContentStream<ContentPair> {
    let cursor = ContentPair.Cursor(try original.connection.prepare(keys.sql))
    return ContentStream {
      while let pair = try cursor.next() {
        if isRemoved(keys.first, pair.first) || isRemoved(keys.second, pair.second) { continue }
        if let pair = rekeyed(pair, side) { return pair }
      }
      return nil
    }
  }

  private func isUnpaired(_ key: Int64, on side: JoinTable.Side) -> Bool {
    guard nullification != .never, isRemoved(side.entity, key) else { return false }
    let rule = original.layout.model.entity(named: side.entity)?
      .relationship(named: side.relationship)?.deleteRule
    return nullification == .always || rule != .noAction
  }

  func isRemoved(_ entity: String, _ key: Int64) -> Bool {
    guard !removals.isEmpty, let root = original.layout.table(of: entity)?.root else {
      return false
    }
    return removals[root]?.contains { $0(key) } ?? false
  }

  func changes(of entity: String) -> [Change] { changes[entity] ?? [] }
}

/// Steps over two lists in one order: hands over at once what stands at one place in both, and
/// alone what the other list lacks.
func walk<Element>(
  _ left: () throws -> Element?,
  _ right: () throws -> Element?,
  by precedes: (Element, Element) -> Bool,
  _ body: (Element?, Element?) throws -> Void
) throws {
  var (first, second) = (try left(), try right())
  while first != nil || second != nil {
    let takesFirst = first.map { first in second.map { !precedes($0, first) } ?? true } ?? false
    let takesSecond = second.map { second in first.map { !precedes($0, second) } ?? true } ?? false
    try body(takesFirst ? first : nil, takesSecond ? second : nil)
    if takesFirst { first = try left() }
    if takesSecond { second = try right() }
  }
}

/// Objects that come one after the other in key order, none twice.
package struct ContentStream<Element> {
  private let advance: () throws -> Element?

  package init(_ advance: @escaping () throws -> Element?) {
    self.advance = advance
  }

  /// The next one; `nil` after the last.
  package func next() throws -> Element? { try advance() }

  init(_ elements: some Sequence<Element>) {
    var iterator = elements.makeIterator()
    self.init { iterator.next() }
  }
}

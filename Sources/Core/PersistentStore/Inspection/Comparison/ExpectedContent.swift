import Basics
import DataModel
import SQLite

/// The content that a store must have after some work: the original store's content with the
/// intended changes.
///
/// ```swift
/// var expected = ExpectedContent(from: original, layout: layout)
/// try expected.remove("Task", keys: deleted)
/// try expected.change("Task") { try $0.set("priority", .integer(2)) }
/// let findings = try ContentComparison(expected: expected, actual: actual).findings()
/// ```
///
/// Each object of the original is first converted to the layout's model as by an inferred mapping.
/// It is then removed or changed, and finally given its new key. Only the keys of removed and
/// renumbered objects are held in memory.
package struct ExpectedContent {
  /// A closure that changes an object in place.
  package typealias Change = (inout ContentObject) throws -> Void

  /// The treatment of references to removed objects.
  package enum Nullification: Hashable, Sendable {
    /// References are set to NULL if the delete rule of the other side is nullify; otherwise they
    /// are left dangling.
    case byDeleteRule
    case always
    /// Delete rules are not applied: references and pairs are left dangling.
    case never
  }

  package let layout: StoreLayout
  /// The treatment of references to objects that are expected to be removed.
  package var nullification = Nullification.byDeleteRule
  /// Whether setting a reference to NULL because its target is removed increases the object's
  /// version.
  package var raisesVersions = false
  let original: StoreContent
  /// The store that has the expected content; `nil` if the content is computed from the original.
  let outcome: StoreContent?
  let origin: Origin
  private(set) var keyMap: ContentKeyMap?
  private var removals: [String: [(Int64) -> Bool]] = [:]
  private var changes: [String: [Change]] = [:]
  private var addedPairs: [String: [ContentPair]] = [:]

  /// Expects the whole content of the original store, in a layout's model or, by default, in the
  /// original's.
  package init(from original: StoreContent, layout: StoreLayout? = nil) {
    self.original = original
    self.layout = layout ?? original.layout
    outcome = nil
    origin = Origin(of: self.layout.model, in: original.layout.model)
  }

  /// Expects the content of another store of the same model, as the outcome of work on the
  /// original.
  package init(from original: StoreContent, to outcome: StoreContent) {
    self.original = original
    self.outcome = outcome
    layout = original.layout
    origin = Origin(of: layout.model, in: layout.model)
  }

  /// Expects objects of the original store and their many-to-many pairs to be removed, and
  /// references to them to be treated according to ``nullification``.
  ///
  /// The entity belongs to the original's model; objects of its sub-entities are included.
  package mutating func remove(
    _ entity: String,
    where isRemoved: @escaping (_ key: Int64) -> Bool
  ) throws {
    removals[try original.table(of: entity).root, default: []].append(isRemoved)
  }

  /// Expects the objects of the original store with the given keys to be removed, like
  /// ``remove(_:where:)``.
  package mutating func remove(_ entity: String, keys: Set<Int64>) throws {
    try remove(entity) { keys.contains($0) }
  }

  /// Changes the expected values of each object of an entity and its sub-entities.
  ///
  /// The closure gets objects in the new model, but with the original store's keys.
  package mutating func change(_ entity: String, _ change: @escaping Change) throws {
    guard let described = layout.model.entity(named: entity) else {
      throw Refusal.unknownEntity(entity)
    }
    for below in layout.model.family(of: described) {
      changes[below.name, default: []].append(change)
    }
  }

  /// Expects additional pairs of objects, given by their keys, in a many-to-many relationship.
  ///
  /// The relationship is written `ENTITY.RELATIONSHIP` and is the side whose keys come first in the
  /// pairs.
  package mutating func addPairs(_ relationship: String, _ pairs: [ContentPair]) {
    addedPairs[relationship, default: []] += pairs
  }

  /// Expects every object to have a new key, as after a side-by-side copy.
  package mutating func rekey(_ map: ContentKeyMap) { keyMap = map }

  /// Returns the expected objects of a table, in key order.
  package func objects(in table: EntityTable) throws -> ContentStream<ContentObject> {
    if let outcome { return ContentStream(try outcome.objects(in: table).next) }
    guard let source = try source(of: table) else { return ContentStream([]) }
    let transformation = Transformation(self)
    // Filter by entity, because the new model may divide one original table's entities among
    // tables.
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

  /// Returns the expected pairs of a join table, in order.
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
    // Sort the pairs again, because the new keys have a different order.
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

/// Merges two sorted sequences: `body` gets each matching pair, and each element without a match.
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

/// A sequence of objects or pairs, in key order without duplicates.
package struct ContentStream<Element> {
  private let advance: () throws -> Element?

  package init(_ advance: @escaping () throws -> Element?) {
    self.advance = advance
  }

  /// Returns the next element, or `nil` after the last.
  package func next() throws -> Element? { try advance() }

  init(_ elements: some Sequence<Element>) {
    var iterator = elements.makeIterator()
    self.init { iterator.next() }
  }
}

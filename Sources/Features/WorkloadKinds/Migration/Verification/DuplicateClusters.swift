import Basics
import DataModel
import PersistentStore
import SQLite

/// The duplicates in an original store and the expected result of merging them.
///
/// They are found by one SQL query per constraint, independently of the code that merges.
struct DuplicateClusters {
  struct Merge {
    let entity: String
    let attributes: [String]
    /// The keys of the survivors (the objects that are kept), by the keys of their duplicates.
    var survivors: [Int64: Int64] = [:]
  }

  let original: StoreContent
  private(set) var merges: [Merge] = []

  var count: Int { merges.reduce(0) { $0 + $1.survivors.count } }

  init(_ constraints: [UniqueConstraint], in original: StoreContent) throws {
    self.original = original
    for constraint in constraints { merges.append(try Self.merge(constraint, in: original)) }
  }

  private static func merge(
    _ constraint: UniqueConstraint,
    in original: StoreContent
  ) throws -> Merge {
    let names = try EntityNames(constraint.entity, in: original.layout)
    let unique = try constraint.attributes.map { try names.column($0).quotedName }
    let ranked = try constraint.survivor.attributes.map { try names.column($0).quotedName }
    let rank =
      switch constraint.survivor.rule {
      case .first: "0"
      case .newest: ranked.map { "ifnull(\($0), -9e999)" }.joined()
      case .mostComplete: ranked.map { "(\($0) IS NOT NULL)" }.joined(separator: " + ")
      }
    let rows = try original.connection.prepare(
      "SELECT Z_PK, first_value(Z_PK) OVER (PARTITION BY \(unique.joined(separator: ", ")) "
        + "ORDER BY \(rank) DESC, Z_PK) FROM \(names.table.quotedName) "
        + "WHERE Z_ENT IN (\(original.layout.numberList(ofFamily: constraint.entity)))"
        + unique.map { " AND \($0) IS NOT NULL" }.joined()
    )
    var merge = Merge(entity: constraint.entity, attributes: constraint.attributes)
    while try rows.step() {
      let (key, survivor) = (rows.integer(at: 0), rows.integer(at: 1))
      if key != survivor { merge.survivors[key] = survivor }
    }
    return merge
  }

  /// Removes the duplicates from the expected content, with all objects that delete rules then
  /// delete.
  ///
  /// - Returns: The number of deleted objects that are not duplicates, by root entity.
  func applyCascades(to expected: inout ExpectedContent) throws -> [(entity: String, lost: Int)] {
    var lost: [String: Int] = [:]
    for merge in merges where !merge.survivors.isEmpty {
      let closure = try DeletionClosure(
        of: merge.entity,
        keys: merge.survivors.keys.sorted(),
        in: original
      )
      try expected.remove(closure)
      for (entity, keys) in closure.removed { lost[entity, default: 0] += keys.count }
      lost[try original.table(of: merge.entity).root, default: 0] -= merge.survivors.count
    }
    return lost.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Removes the duplicates from the expected content and moves their relationships, in both
  /// directions, to the survivors.
  func apply(to expected: inout ExpectedContent, mapping: MappingModel) throws {
    // Merging sets one-to-one relationships to nil before it deletes the duplicate, so the delete
    // rules do not matter.
    expected.nullification = .always
    for merge in merges where !merge.survivors.isEmpty {
      try expected.remove(merge.entity, keys: Set(merge.survivors.keys))
      try adopt(merge, &expected, mapping)
      try addPairs(merge, &expected, mapping)
    }
  }

  /// The key of the survivor that replaces a duplicate; for any other object, its own key.
  func survivor(of object: ContentReference) -> Int64 {
    let merge = merges.first { table($0.entity) == table(object.entity) }
    return merge?.survivors[object.key] ?? object.key
  }

  private func table(_ entity: String) -> String? { original.layout.table(of: entity)?.name }

  /// Redirects to-one relationships from duplicates to survivors, and sets one-to-one relationships
  /// to nil.
  private func adopt(
    _ merge: Merge,
    _ expected: inout ExpectedContent,
    _ mapping: MappingModel
  ) throws {
    let model = original.layout.model
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isToMany {
        guard table(relationship.destination) == table(merge.entity),
          model.inverse(of: relationship)?.isToMany ?? true,
          let successor = mapping.mapping(from: entity.name),
          let name = successor.relationships.first(where: {
            $0.source?.name == relationship.name
          })?.destination.name
        else { continue }
        let moved = try self.moved(entity.name, relationship.name, merge)
        try expected.change(successor.destination) { object in
          guard let survivor = moved[object.key] else { return }
          try object.set(name, .object(survivor))
        }
      }
    }
  }

  /// The survivors, by the keys of the objects whose to-one relationship referred to a duplicate.
  private func moved(
    _ entity: String,
    _ relationship: String,
    _ merge: Merge
  ) throws -> [Int64: ContentReference] {
    var moved: [Int64: ContentReference] = [:]
    let cursor = try original.objects(of: entity)
    while let object = try cursor.next() {
      guard case .object(let target)? = object[relationship],
        let survivor = merge.survivors[target.key]
      else { continue }
      moved[object.key] = ContentReference(entity: target.entity, key: survivor)
    }
    return moved
  }

  /// Replaces duplicates by survivors in the pairs of many-to-many relationships; a pair that
  /// already exists is dropped.
  private func addPairs(
    _ merge: Merge,
    _ expected: inout ExpectedContent,
    _ mapping: MappingModel
  ) throws {
    for joinTable in original.layout.joinTables {
      let first = joinTable.firstSide
      let second = first == joinTable.master ? joinTable.slave : joinTable.master
      let isFirst = table(first.entity) == table(merge.entity)
      let isSecond = table(second.entity) == table(merge.entity)
      guard isFirst || isSecond else { continue }
      var known: Set<ContentPair> = []
      var added: [ContentPair] = []
      let cursor = try original.pairs(in: joinTable)
      while let pair = try cursor.next() {
        let moved = ContentPair(
          first: isFirst ? merge.survivors[pair.first] ?? pair.first : pair.first,
          second: isSecond ? merge.survivors[pair.second] ?? pair.second : pair.second
        )
        let isMoved = moved.first != pair.first || moved.second != pair.second
        if isMoved { added.append(moved) } else { known.insert(moved) }
      }
      let new = added.filter { known.insert($0).inserted }
      if let name = presentName(of: first, mapping) { expected.addPairs(name, new) }
    }
  }

  private func presentName(of side: JoinTable.Side, _ mapping: MappingModel) -> String? {
    guard let entity = mapping.mapping(from: side.entity),
      let relationship = entity.relationships.first(where: { $0.source?.name == side.relationship })
    else { return nil }
    return "\(entity.destination).\(relationship.destination.name)"
  }
}

extension DuplicateClusters {
  /// Expects each cluster's first object to have the last object's values, as after upserts.
  ///
  /// An upsert is an insertion that updates an existing object with equal unique values. A to-one
  /// relationship refers to the last target that is not nil. The positions of ordered objects are
  /// not checked.
  func applyUpsert(to expected: inout ExpectedContent, mapping: MappingModel) throws {
    try apply(to: &expected, mapping: mapping)
    for merge in merges where !merge.survivors.isEmpty {
      var last: [Int64: ContentObject] = [:]
      var targets: [Int64: [String: ContentValue]] = [:]
      let survivors = Set(merge.survivors.values)
      let cursor = try original.objects(of: merge.entity)
      while let object = try cursor.next() {
        let survivor = merge.survivors[object.key] ?? object.key
        guard survivors.contains(survivor) else { continue }
        last[survivor] = object
        for (property, value) in zip(object.shape.properties, object.values) {
          guard case .object(let target) = value else { continue }
          targets[survivor, default: [:]][property.name] = .object(
            ContentReference(entity: target.entity, key: self.survivor(of: target))
          )
        }
      }
      try change(merge.entity, last, targets, &expected, mapping)
    }
    if count > 0 { try MergedPartners(of: self, mapping: mapping).apply(to: &expected) }
  }

  private func change(
    _ entity: String,
    _ last: [Int64: ContentObject],
    _ targets: [Int64: [String: ContentValue]],
    _ expected: inout ExpectedContent,
    _ mapping: MappingModel
  ) throws {
    let model = original.layout.model
    for entity in model.entity(named: entity).map(model.family(of:)) ?? [] {
      guard let successor = mapping.mapping(from: entity.name) else { continue }
      try expected.change(successor.destination) { object in
        // Each sub-entity has its own attributes and destination entity, so change only objects of
        // that destination.
        guard object.entity == successor.destination, let values = last[object.key] else { return }
        try Self.fill(&object, with: values, successor)
        try Self.lead(&object, to: targets[object.key] ?? [:], successor, mapping)
      }
    }
  }

  private static func fill(
    _ object: inout ContentObject,
    with values: ContentObject,
    _ successor: EntityMapping
  ) throws {
    for attribute in successor.attributes {
      guard let former = attribute.source, let value = values[former.name] else { continue }
      let filled = ContentValue(defaultOf: attribute.destination)
      let isMissing = value == .null && !attribute.destination.isOptional
      try object.set(attribute.destination.name, isMissing ? filled : value)
    }
  }

  private static func lead(
    _ object: inout ContentObject,
    to targets: [String: ContentValue],
    _ successor: EntityMapping,
    _ mapping: MappingModel
  ) throws {
    for relationship in successor.relationships where !relationship.destination.isToMany {
      guard let former = relationship.source, let target = targets[former.name],
        case .object(let reference) = target,
        let entity = mapping.mapping(from: reference.entity)?.destination
      else { continue }
      try object.set(
        relationship.destination.name,
        .object(ContentReference(entity: entity, key: reference.key))
      )
    }
  }
}

extension DuplicateClusters {
  /// The one-to-one relationships after insertions that update existing objects.
  ///
  /// Objects get their partners one after the other, and the previous owner of a partner loses it.
  struct MergedPartners {
    /// One side of a relationship: the property's name in the new model, and the object's key in
    /// the original store.
    private struct Side: Hashable {
      let object: ContentReference
      let property: String
    }

    private let clusters: DuplicateClusters
    private let mapping: MappingModel
    private var partners: [Side: Side] = [:]
    private var sides: Set<Side> = []

    /// Sets the relationships of every object in the order in which a migration that copies the
    /// objects sets them.
    init(of clusters: DuplicateClusters, mapping: MappingModel) throws {
      self.clusters = clusters
      self.mapping = mapping
      let original = clusters.original
      let pairs = Dictionary(
        keepingFirst: mapping.entities.compactMap { entity in
          entity.source.map { ($0, self.pairs(of: entity)) }
        }
      )
      for table in original.layout.tables
      where table.entities.contains(where: { pairs[$0]?.isEmpty == false }) {
        let cursor = try original.objects(of: table.root)
        while let object = try cursor.next() {
          for (former, new, inverse) in pairs[object.entity] ?? [] {
            guard case .object(let target)? = object[former] else { continue }
            lead(
              Side(object: successor(of: object.reference), property: new),
              to: Side(object: successor(of: target), property: inverse)
            )
          }
        }
      }
    }

    /// The one-to-one relationships that are set from an entity's side, with old name, new name and
    /// inverse.
    ///
    /// If both sides exist in the source, the side whose name sorts first is set.
    private func pairs(of entity: EntityMapping) -> [(former: String, new: String, inverse: String)]
    {
      entity.relationships.compactMap { link in
        let new = link.destination
        guard let former = link.source, !former.isTransient, !new.isToMany, !new.isTransient,
          let inverse = mapping.destination.inverse(of: new), !inverse.isToMany
        else { return nil }
        let carriesInverse = mapping.mappings(to: new.destination).contains { other in
          other.relationships.contains {
            $0.destination.name == inverse.name && $0.source != nil
          }
        }
        let isFirst = new.name + new.destination <= inverse.name + inverse.destination
        return isFirst || !carriesInverse ? (former.name, new.name, inverse.name) : nil
      }
    }

    /// The object in the new store that replaces an object of the original store.
    private func successor(of object: ContentReference) -> ContentReference {
      ContentReference(
        entity: mapping.mapping(from: object.entity)?.destination ?? object.entity,
        key: clusters.survivor(of: object)
      )
    }

    private mutating func lead(_ side: Side, to other: Side) {
      for side in [side, other] {
        if let former = partners[side] { partners[former] = nil }
        sides.insert(side)
      }
      partners[side] = other
      partners[other] = side
    }

    func apply(to expected: inout ExpectedContent) throws {
      var values: [ContentReference: [String: ContentValue]] = [:]
      for side in sides {
        values[side.object, default: [:]][side.property] =
          partners[side].map { .object($0.object) } ?? .null
      }
      for entity in Set(values.keys.map(\.entity)).sorted() {
        try expected.change(entity) { object in
          for (property, value) in values[object.reference] ?? [:] {
            try object.set(property, value)
          }
        }
      }
    }
  }
}

import DataModel
import PersistentStore

/// The duplicates of an original and what merging them must bring about, found without the code
/// that merges: read once by plain SQL, told apart in memory.
struct DuplicateClusters {
  /// What merging does to the objects of one entity and of its sub-entities.
  struct Merge {
    let entity: String
    let attributes: [String]
    /// By the duplicate's key.
    var survivors: [Int64: Int64] = [:]
  }

  let original: StoreContent
  private(set) var merges: [Merge] = []

  /// The number of objects that are to go.
  var count: Int { merges.reduce(0) { $0 + $1.survivors.count } }

  init(_ constraints: [UniqueConstraint], in original: StoreContent) throws {
    self.original = original
    for constraint in constraints { merges.append(try Self.merge(constraint, in: original)) }
  }

  private static func merge(
    _ constraint: UniqueConstraint,
    in original: StoreContent
  ) throws -> Merge {
    var clusters: [UInt64: [(key: Int64, rank: Double)]] = [:]
    let cursor = try original.objects(of: constraint.entity)
    let shape = ObjectDigest.Shape(entity: constraint.entity, properties: constraint.attributes)
    while let object = try cursor.next() {
      var digest = ObjectDigest(shape)
      let values = shape.properties.compactMap { object[$0] }
      guard !values.contains(.null) else { continue }
      for value in values { digest.add(value) }
      clusters[digest.value, default: []].append((object.key, rank(object, constraint.survivor)))
    }
    var merge = Merge(entity: constraint.entity, attributes: constraint.attributes)
    for members in clusters.values where members.count > 1 {
      // The cursor goes by key, so that of equals the first is the one with the lowest.
      let best = members.reduce(members[0]) { $1.rank > $0.rank ? $1 : $0 }
      for member in members where member.key != best.key {
        merge.survivors[member.key] = best.key
      }
    }
    return merge
  }

  private static func rank(_ object: ContentObject, _ choice: SurvivorChoice) -> Double {
    let values = choice.attributes.map { object[$0] ?? .null }
    switch choice.rule {
    case .first: return 0
    case .mostComplete: return Double(values.filter { $0 != .null }.count)
    case .newest:
      switch values.first {
      case .integer(let seconds)?: return Double(seconds)
      case .real(let seconds)?: return seconds
      default: return -.infinity
      }
    }
  }

  /// Expects duplicates to be gone and with them all that delete rules take.
  ///
  /// - Returns: The objects that are no duplicates and go, by the name of their root entity.
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

  /// Expects duplicates to be gone and what led to them, or what they led to, at the survivors.
  func apply(
    to expected: inout ExpectedContent,
    layout: StoreLayout,
    mapping: MappingModel
  ) throws {
    // One-to-ones are emptied before the duplicate goes, whatever its delete rule.
    expected.nullification = .always
    for merge in merges where !merge.survivors.isEmpty {
      try expected.remove(merge.entity, keys: Set(merge.survivors.keys))
      try adopt(merge, &expected, mapping)
      try addPairs(merge, &expected, layout, mapping)
    }
  }

  /// The key of the object that stands for another in the end, its own where that is no duplicate.
  func survivor(of object: ContentReference) -> Int64 {
    let merge = merges.first { table($0.entity) == table(object.entity) }
    return merge?.survivors[object.key] ?? object.key
  }

  /// The root entity's table of an entity of the original.
  private func table(_ entity: String) -> String? { original.layout.table(of: entity)?.name }

  /// To-ones that led to a duplicate lead to its survivor; one-to-ones lead nowhere.
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

  /// The survivors that objects whose to-one led to a duplicate must lead to, by their keys.
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

  /// Pairs with a duplicate become pairs with its survivor, where they are not there already.
  private func addPairs(
    _ merge: Merge,
    _ expected: inout ExpectedContent,
    _ layout: StoreLayout,
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
      if let name = presentName(of: first, layout, mapping) { expected.addPairs(name, new) }
    }
  }

  /// The relationship's name in the model after the migration.
  private func presentName(
    of side: JoinTable.Side,
    _ layout: StoreLayout,
    _ mapping: MappingModel
  ) -> String? {
    guard let entity = mapping.mapping(from: side.entity),
      let relationship = entity.relationships.first(where: { $0.source?.name == side.relationship })
    else { return nil }
    return "\(entity.destination).\(relationship.destination.name)"
  }
}

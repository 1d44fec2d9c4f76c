import DataModel
import PersistentStore

@testable import Generators

/// A profile of a random model: entities with no or few objects; columns with no or one value, or
/// lengths 0 to 3; cyclic relationships whose sides disagree.
struct RandomProfile {
  private var draws: Draws
  private(set) var profile: StoreProfile

  init(seed: Int) {
    draws = Draws(state: UInt64(seed))
    profile = StoreProfile(
      k: 1,
      model: Model(entities: []),
      flavour: .coreData,
      frameworkVersion: StoreMetadata.currentFrameworkVersion,
      versionIdentifiers: ["1"],
      versionHashes: [:],
      entities: [],
      history: nil
    )
    profile.k = pick([1, 1, 1, 5, 20])
    profile.model = model().workable().model
    profile.entities = profile.model.entities.filter { !$0.isAbstract }.map { self.entity($0) }
    if chance(0.4) { profile.history = history() }
    if chance(0.3) {
      let tables = profile.entities.map { ($0.name, 1 + draws.below(100)) }
      profile.pageUse = PageUse(
        free: pick([0, 0.01, 0.9]),
        fill: Dictionary(uniqueKeysWithValues: tables.map { ("Z" + $0.0, $0.1) })
      )
    }
  }

  /// A scale, or a number of objects of one entity.
  mutating func size() -> LikeRecipe.Size {
    let names = profile.entities.map(\.name)
    guard chance(0.3), !names.isEmpty else { return .scale(pick([0.1, 1, 1, 1.5, 7])) }
    let name = pick(names)
    let most = 7 * max(profile.entity(named: name)?.objects ?? profile.k, 1)
    return .objects([name: draws.below(min(most, 60) + 1)])
  }

  private mutating func chance(_ probability: Double) -> Bool { draws.happens(probability) }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[draws.below(choices.count)]
  }

  // MARK: The model

  private mutating func model() -> Model {
    let count = 1 + draws.below(5)
    let names = (0..<count).map { "E\($0)" }
    var entities = (0..<count).map { index -> Entity in
      let attributes = (0..<draws.below(6)).map { attribute("a\(index)x\($0)") }
      return Entity(
        name: names[index],
        isAbstract: index + 1 < count && chance(0.15),
        superentity: index > 0 && chance(0.35) ? names[draws.below(index)] : nil,
        attributes: attributes
      )
    }
    for number in 0..<draws.below(7) { connect(number, &entities) }
    for index in entities.indices where chance(0.4) {
      let properties =
        entities[index].attributes.filter { !$0.isTransient && $0.derivation == nil }.map(\.name)
        + entities[index].relationships.filter { !$0.isToMany }.map(\.name)
      let first = properties.isEmpty ? nil : pick(properties)
      let second = properties.isEmpty || chance(0.5) ? nil : pick(properties)
      let constraint = [first, second == first ? nil : second].compactMap(\.self)
      if !constraint.isEmpty { entities[index].uniquenessConstraints = [constraint] }
    }
    return Model(entities: entities, versionIdentifiers: ["1"])
  }

  private mutating func attribute(_ name: String) -> Attribute {
    var attribute = Attribute(name: name, type: pick(Self.types), isOptional: chance(0.6))
    switch attribute.type.measure {
    case .numbers where attribute.type != .boolean && chance(0.3):
      let low = draws.below(300) - 100
      attribute.minimum = .integer(Int64(low))
      if chance(0.6) { attribute.maximum = .integer(Int64(low + draws.below(50))) }
    case .lengths where chance(0.3):
      attribute.minimum = .integer(Int64(draws.below(4)))
      if chance(0.6) { attribute.maximum = .integer(Int64(3 + draws.below(9))) }
    case .sizes: attribute.allowsExternalStorage = chance(0.5)
    default: break
    }
    attribute.isTransient = chance(0.05)
    attribute.preservesValueOnDeletion = chance(0.1)
    return attribute
  }

  private static let types = AttributeType.allCases.filter { $0 != .composite && $0 != .objectID }

  private mutating func connect(_ number: Int, _ entities: inout [Entity]) {
    let (first, second) = (draws.below(entities.count), draws.below(entities.count))
    let (name, back) = ("r\(number)", "i\(number)")
    var own = Relationship(
      name: name,
      destination: entities[second].name,
      isToMany: chance(0.5),
      isOptional: chance(0.7)
    )
    if own.isToMany {
      own.isOrdered = chance(0.3)
      if chance(0.2) { own.maximumCount = 1 + draws.below(4) }
    }
    if chance(0.85) {
      // Make the relationship its own inverse, or add an inverse.
      if first == second, chance(0.25) {
        own.inverse = name
        own.isOrdered = false
      } else {
        own.inverse = back
        var inverse = Relationship(
          name: back,
          destination: entities[first].name,
          inverse: name,
          isToMany: chance(0.5),
          isOptional: chance(0.7)
        )
        inverse.isOrdered = inverse.isToMany && chance(0.3)
        // If source and target share a table, not both sides of a one-to-one can be required.
        if !own.isToMany, !inverse.isToMany, !own.isOptional,
          entities[first].superentity != nil || entities[second].superentity != nil
        {
          inverse.isOptional = true
        }
        entities[second].relationships.append(inverse)
      }
    }
    entities[first].relationships.append(own)
  }

  // MARK: The shape

  private mutating func objects() -> Int {
    let k = profile.k
    return pick([k, k, k + draws.below(3), k + draws.below(40), k * 3])
  }

  private mutating func entity(_ entity: Entity) -> EntityProfile {
    guard chance(0.85) else { return EntityProfile(name: entity.name, objects: nil) }
    guard profile.k > 1 || chance(0.9) else { return EntityProfile(name: entity.name, objects: 0) }
    let objects = objects()
    return EntityProfile(
      name: entity.name,
      objects: objects,
      columns: profile.model.attributes(of: entity).filter { !$0.isTransient && chance(0.95) }
        .map { self.column($0, objects: objects) },
      relationships: profile.model.relationships(of: entity).filter { _ in chance(0.95) }
        .map { relationship in
          relationship.isToMany
            ? RelationshipProfile(name: relationship.name, fanOut: bins(objects, of: .lengths))
            : RelationshipProfile(
              name: relationship.name,
              nulls: pick([0, objects, draws.below(objects + 1)])
            )
        }
    )
  }

  private mutating func column(_ attribute: Attribute, objects: Int) -> ColumnProfile {
    let measure = attribute.type.measure
    var column = ColumnProfile(name: attribute.name, measure: measure)
    column.nulls = pick([0, 0, objects, draws.below(objects + 1)])
    let values = objects - column.nulls
    guard values > 0 else { return column }
    column.bins = measure == .none ? [] : bins(values, of: measure)
    column.grain = attribute.type.isWhole ? .whole : pick([.whole, .fractional, .fractional])
    if measure == .dates, chance(0.3) { column.grain = .day }
    if chance(0.4) { column.sharing = sharing(values, column) }
    return column
  }

  /// Returns bins whose counts add up to `objects`.
  private mutating func bins(_ objects: Int, of measure: ColumnProfile.Measure) -> [Bin] {
    var bins: [Bin] = []
    var left = objects
    var from = start(measure)
    while left > 0 {
      let count = chance(0.4) ? left : 1 + draws.below(left)
      let width = pick([0, 0, 1, 1, 2, 100, measure == .numbers ? 1e12 : 5_000])
      bins.append(Bin(from: from, to: from + width, count: count))
      from += max(width, 1) + Double(draws.below(3))
      left -= count
    }
    return bins
  }

  private mutating func start(_ measure: ColumnProfile.Measure) -> Double {
    switch measure {
    case .lengths, .sizes, .none: pick([0, 0, 1, 2, 3, 17, 40_000])
    case .dates: pick([-63_114_076_800, -1, 0, 700_000_000.25, 1.6e12])
    case .numbers: pick([-9e18, -40_000, -1, 0, 0, 1, 0.3, 255, 3e9, 9.3e18])
    }
  }

  private mutating func sharing(_ objects: Int, _ column: ColumnProfile) -> Sharing {
    var sharing = Sharing(ranks: [], clusters: [])
    var left = objects
    while left > 0, chance(0.6) {
      sharing.ranks.append(1 + draws.below(left))
      left -= sharing.ranks[sharing.ranks.count - 1]
      sharing.rankNumbers.append(chance(0.8) ? column.bins.first?.from ?? 0 : 1e9)
    }
    sharing.ranks.sort(by: >)
    if chance(0.4) { sharing.rankNumbers = [] }
    if left > 0 || sharing.ranks.isEmpty {
      let size = Double(1 + draws.below(9))
      sharing.clusters = [Bin(from: size, to: size + Double(draws.below(4)), count: max(left, 1))]
    }
    return sharing
  }

  private mutating func history() -> HistoryProfile {
    var history = HistoryProfile(transactions: chance(0.8) ? objects() : nil)
    history.changesPerTransaction = chance(0.7) ? bins(history.transactions ?? 1, of: .lengths) : []
    history.times = chance(0.7) ? bins(history.transactions ?? 1, of: .dates) : []
    history.changes = profile.entities.filter { _ in chance(0.7) }.map {
      HistoryProfile.Changes(
        entity: $0.name,
        inserts: draws.below(80),
        updates: draws.below(80),
        deletes: chance(0.5) ? 0 : draws.below(80)
      )
    }
    return history
  }
}

import Basics
import DataModel
import PersistentStore
import SQLite

/// Merges objects that violate a new unique constraint, one at a time, as an app's own code does.
///
/// Before a duplicate is deleted, its children are moved to the survivor (the object that is kept).
/// If the case leaves the children to the delete rules, cascades delete them.
struct ObjectDeduplication {
  let context: ObjectContext
  let constraints: [UniqueConstraint]
  let children: MigrationParameters.Children
  let saves: SavePolicy

  func run() throws {
    for constraint in constraints { try merge(constraint) }
  }

  private func merge(_ constraint: UniqueConstraint) throws {
    let duplicates = try find(constraint)
    for (index, duplicate) in duplicates.enumerated() {
      let object = try context.object(duplicate.id)
      if children == .moved {
        try adopt(from: object, by: context.object(duplicate.survivor))
      }
      try context.delete(object)
      if saves.batchSize > 0, (index + 1) % saves.batchSize == 0 {
        try context.save()
        context.reset()
      }
    }
    try context.save()
    context.reset()
  }

  private func find(
    _ constraint: UniqueConstraint
  ) throws -> [(id: ObjectID, survivor: ObjectID)] {
    let objects = try context.fetch(
      FetchRequest(constraint.entity, fetchBatchSize: saves.fetchBatchSize)
    )
    // Group and sort in memory, because the fetch returns objects in no particular order.
    var clusters: [[Value]: [Ranked]] = [:]
    try objects.each { object in
      let values = try constraint.attributes.map { try object.value(of: $0) }
      guard !values.contains(.null) else { return }
      let rank = try constraint.survivor.rank(
        constraint.survivor.attributes.map { try object.value(of: $0) }
      )
      clusters[values, default: []].append(Ranked(id: object.id, rank: rank))
    }
    return try clusters.values.filter { $0.count > 1 }.flatMap { members in
      let sorted = members.sorted { ($1.rank, $0.id.key) < ($0.rank, $1.id.key) }
      guard members.allSatisfy({ $0.id.entity == sorted[0].id.entity }) else {
        throw constraint.mixedDuplicates
      }
      return sorted.dropFirst().map { (id: $0.id, survivor: sorted[0].id) }
    }.sorted { $0.id.key < $1.id.key }
  }

  private struct Ranked {
    let id: ObjectID
    let rank: Double
  }

  private func adopt(from duplicate: ManagedObject, by survivor: ManagedObject) throws {
    for toMany in duplicate.description.toManys {
      let inverse = context.layout.model.inverse(of: toMany.relationship)
      for target in try duplicate.targets(of: toMany) {
        if let inverse, !inverse.isToMany {
          try target.setTarget(nil, of: inverse.name)
          try survivor.add(target, to: toMany.name)
        } else {
          try duplicate.remove(target, from: toMany.name)
          try survivor.add(target, to: toMany.name)
        }
      }
    }
    for toOne in duplicate.description.toOnes {
      let inverse = context.layout.model.inverse(of: toOne.relationship)
      if inverse?.isToMany == false { try duplicate.setTarget(nil, of: toOne.name) }
    }
    try redirect(to: survivor, from: duplicate)
  }

  /// Redirects the to-one relationships without an inverse, which only a fetch finds, from the
  /// duplicate to the survivor.
  private func redirect(to survivor: ManagedObject, from duplicate: ManagedObject) throws {
    let model = context.layout.model
    let lineage = Set(model.lineage(of: duplicate.description.entity).map(\.name))
    for entity in model.entities {
      for relationship in entity.relationships
      where !relationship.isToMany && relationship.inverse == nil
        && lineage.contains(relationship.destination)
      {
        let sources = try context.fetch(
          FetchRequest(
            entity.name,
            predicate: .comparison(relationship.name, .equal, .integer(duplicate.key))
          )
        )
        try sources.each { try $0.setTarget(survivor, of: relationship.name) }
      }
    }
  }
}

struct UniqueConstraint: Hashable, Sendable {
  let entity: String
  let attributes: [String]
  /// The rule that decides which duplicate is kept.
  let survivor: Survivor

  var mixedDuplicates: Refusal {
    Refusal(
      .badInput,
      "\(entity): objects of different sub-entities have equal values of "
        + "\(attributes.map { "'\($0)'" }.joined(separator: ", ")), so neither can replace the other; "
        + "delete one object of each pair first"
    )
  }

  /// The unique constraints that a migration adds.
  ///
  /// - Throws: ``Refusal`` if a unique attribute is new, or if the survivor rule needs a date that
  ///   the entity lacks.
  static func added(
    by mapping: MappingModel,
    _ parameters: MigrationParameters
  ) throws -> [UniqueConstraint] {
    try mapping.addedConstraints.map { entity, properties in
      let found = mapping.mapping(to: entity)
      let former = found?.source ?? entity
      return UniqueConstraint(
        entity: former,
        attributes: try properties.map { property in
          let attribute = found?.attributes.first { $0.destination.name == property }
          guard let former = attribute?.source else {
            throw Refusal(
              .badInput,
              "\(entity): '\(property)' is unique, but new: existing objects have no values in it by "
                + "which duplicates could be found"
            )
          }
          return former.name
        },
        survivor: try Survivor(parameters, entity: former, model: mapping.source)
      )
    }
  }
}

/// The rule that decides which object in a cluster of duplicates is kept.
///
/// If several objects rank equally, the object with the lowest key is kept.
enum SurvivorRule: String, CaseIterable, Hashable, Sendable {
  case first
  /// The object with the latest date; objects without a date come last.
  case newest
  /// The object with the most attribute values.
  case mostComplete
}

extension UniqueConstraint {
  /// A survivor rule with its attributes, named as in the old model.
  struct Survivor: Hashable, Sendable {
    let rule: SurvivorRule
    /// The attributes that decide the rank: the date for `newest`, all attributes for
    /// `mostComplete`, and no attributes for `first`.
    let attributes: [String]

    init(_ parameters: MigrationParameters, entity name: String, model: Model) throws {
      // If merging is not part of the case, always use the same rule, so that all cases have the
      // same starting store.
      rule = parameters.duplicates == .merged ? parameters.survivor : .first
      guard let entity = model.entity(named: name), rule != .first else {
        attributes = []
        return
      }
      let stored = model.attributes(of: entity).filter { !$0.isTransient }
      if rule == .mostComplete {
        attributes = stored.map(\.name)
        return
      }
      let dates = stored.filter { $0.type == .date }.map(\.name)
      guard let latest = Self.latest(among: dates) else {
        throw Refusal(
          .badInput,
          "\(name) has no date that identifies the newest object; use another 'survivor'"
        )
      }
      attributes = [latest]
    }

    /// The attribute that most likely contains the date of the last change.
    private static func latest(among dates: [String]) -> String? {
      for word in ["modif", "updat", "chang", "creat"] {
        if let found = dates.first(where: { $0.lowercased().contains(word) }) { return found }
      }
      return dates.first
    }

    /// The rank of an object, computed from its values of the rule's attributes.
    ///
    /// The object with the highest rank is kept.
    func rank(_ values: [Value]) -> Double {
      switch rule {
      case .first: 0
      case .newest:
        switch values.first {
        case .integer(let seconds)?: Double(seconds)
        case .real(let seconds)?: seconds
        default: -.infinity
        }
      case .mostComplete: Double(values.filter { $0 != .null }.count)
      }
    }
  }
}

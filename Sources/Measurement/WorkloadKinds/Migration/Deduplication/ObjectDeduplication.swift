import DataModel
import PersistentStore

/// Merges objects that a unique constraint will not allow beside each other, object by object.
///
/// The same outcome as ``SetBasedDeduplication``, by the code that an app would write: children are
/// moved to the survivor before the duplicate is deleted, or the cascade takes them, as with the
/// naive rule to fetch the duplicates and delete them.
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

  /// The duplicates with their survivors, by the duplicates' keys.
  private func find(
    _ constraint: UniqueConstraint
  ) throws -> [(id: ObjectID, survivor: ObjectID)] {
    let objects = try context.fetch(
      FetchRequest(constraint.entity, fetchBatchSize: saves.fetchBatchSize)
    )
    // The fetch has no order of its own.
    var clusters: [[Value]: [Ranked]] = [:]
    for index in 0..<objects.count {
      let object = try objects.object(at: index)
      let values = try constraint.attributes.map { try object.value(of: $0) }
      guard !values.contains(.null) else { continue }
      let rank = try constraint.survivor.rank(
        constraint.survivor.attributes.map { try object.value(of: $0) }
      )
      clusters[values, default: []].append(Ranked(id: object.id, rank: rank))
    }
    return try clusters.values.filter { $0.count > 1 }.flatMap { members in
      let sorted = members.sorted { ($1.rank, $0.id.key) < ($0.rank, $1.id.key) }
      guard members.allSatisfy({ $0.id.entity == sorted[0].id.entity }) else {
        throw MigrationCaseError.mixedDuplicates(constraint)
      }
      return sorted.dropFirst().map { (id: $0.id, survivor: sorted[0].id) }
    }.sorted { $0.id.key < $1.id.key }
  }

  /// An object of a cluster and what the survivor rule makes of it.
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

  /// Leads to-ones without inverse, which only a fetch can find, to the survivor.
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
        for index in 0..<sources.count {
          try sources.object(at: index).setTarget(survivor, of: relationship.name)
        }
      }
    }
  }
}

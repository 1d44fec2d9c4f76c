import DataModel
import PersistentStore

/// One-to-one relationships as insertions that are merged in silence leave them: objects are led to
/// their partners one after the other, and whoever had such a partner before has none from then on.
struct MergedPartners {
  /// One side of a relationship, in the names of the new model and the keys of the original.
  private struct Side: Hashable {
    let object: ContentReference
    let property: String
  }

  private let clusters: DuplicateClusters
  private let mapping: MappingModel
  private var partners: [Side: Side] = [:]
  private var sides: Set<Side> = []

  /// Leads every object in the order in which a copy does.
  init(of clusters: DuplicateClusters, mapping: MappingModel) throws {
    self.clusters = clusters
    self.mapping = mapping
    let original = clusters.original
    let plan = CopyPlan(mapping: mapping, source: original.layout)
    for root in plan.roots {
      let entities = original.layout.table(of: root)?.entities ?? []
      guard entities.contains(where: { !pairs(of: plan.entities[$0]).isEmpty }) else { continue }
      let cursor = try original.objects(of: root)
      while let object = try cursor.next() {
        for (link, inverse) in pairs(of: plan.entities[object.entity]) {
          guard case .object(let target)? = object[link.source.name] else { continue }
          lead(
            Side(object: successor(of: object.reference), property: link.destination.name),
            to: Side(object: successor(of: target), property: inverse.name)
          )
        }
      }
    }
  }

  /// The one-to-ones that a copy writes from an entity's side, with their inverses.
  private func pairs(
    of copy: CopyPlan.EntityCopy?
  ) -> [(link: CopyPlan.Link, inverse: Relationship)] {
    (copy?.links ?? []).compactMap { link in
      guard !link.destination.isToMany,
        let inverse = mapping.destination.inverse(of: link.destination), !inverse.isToMany
      else { return nil }
      return (link, inverse)
    }
  }

  /// The object that an object of the original has become.
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

  /// Expects every object that was led anywhere at its last partner.
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

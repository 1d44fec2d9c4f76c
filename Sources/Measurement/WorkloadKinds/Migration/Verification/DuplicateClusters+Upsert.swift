import DataModel
import PersistentStore

extension DuplicateClusters {
  /// Expects the first object of a cluster with the last one's values, as insertions leave it that
  /// are merged in silence.
  ///
  /// A to-one leads to the last target that there was. Whom a one-to-one leads to is played through;
  /// in which order ordered objects come is left open.
  func applyUpsert(
    to expected: inout ExpectedContent,
    layout: StoreLayout,
    mapping: MappingModel
  ) throws {
    try apply(to: &expected, layout: layout, mapping: mapping)
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
        // Sub-entities have attributes of their own, and their own successor.
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
      let filled = ContentValue(attribute.destination.defaultValue)
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

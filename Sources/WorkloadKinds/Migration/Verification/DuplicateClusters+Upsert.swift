import DataModel
import PersistentStore

extension DuplicateClusters {
  /// Expects what comes from merging insertions in silence: the first object of a cluster with the
  /// last one's values, and of each to-one the last target that there was.
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
          let key = merge.survivors[target.key] ?? target.key
          let isOwn =
            original.layout.table(of: target.entity)?.root
            == original.layout.table(of: merge.entity)?.root
          targets[survivor, default: [:]][property.name] = .object(
            ContentReference(entity: target.entity, key: isOwn ? key : target.key)
          )
        }
      }
      try change(merge.entity, last, targets, &expected, mapping)
    }
  }

  private func change(
    _ entity: String,
    _ last: [Int64: ContentObject],
    _ targets: [Int64: [String: ContentValue]],
    _ expected: inout ExpectedContent,
    _ mapping: MappingModel
  ) throws {
    guard let successor = mapping.mapping(from: entity) else { return }
    try expected.change(successor.destination) { object in
      guard let values = last[object.key] else { return }
      for attribute in successor.attributes {
        guard let former = attribute.source, let value = values[former.name] else { continue }
        let filled = ContentValue(attribute.destination.defaultValue)
        let isMissing = value == .null && !attribute.destination.isOptional
        try object.set(attribute.destination.name, isMissing ? filled : value)
      }
      for relationship in successor.relationships where !relationship.destination.isToMany {
        guard let former = relationship.source, let target = targets[object.key]?[former.name],
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
}

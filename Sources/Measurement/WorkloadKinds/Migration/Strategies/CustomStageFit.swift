import DataModel
import Runner

/// Chooses the attribute that a custom stage transforms, by what the two models share.
struct CustomStageFit {
  let parameters: MigrationParameters
  let mapping: MappingModel
  let store: StoreOffer

  /// Checks the names that the case gives, in the destination's names, and chooses the others: of
  /// the entity with most objects the first attribute that can be transformed, required ones first.
  func choose(_ fit: inout CaseFit) {
    guard parameters.entity.isEmpty || mapping.mapping(to: parameters.entity)?.source != nil else {
      let known = mapping.entities.filter { $0.source != nil }.map(\.destination)
      fit.reject(
        parameters.$entity,
        "no entity '\(parameters.entity)' is in both models"
          + nameHint(parameters.entity, among: known)
      )
      return
    }
    guard let (entity, attribute) = candidates.first else {
      let error = MigrationCaseError.noAttribute(
        entity: parameters.entity,
        attribute: parameters.attribute,
        transformation: parameters.transformation.rawValue
      )
      if parameters.attribute.isEmpty {
        fit.ruleOut("\(error)")
      } else {
        fit.reject(parameters.$attribute, "\(error)")
      }
      return
    }
    guard parameters.entity.isEmpty || parameters.attribute.isEmpty else { return }
    let reason = "the stage transforms '\(entity).\(attribute)'"
    fit.choose(parameters.$entity, entity, because: reason)
    fit.choose(parameters.$attribute, attribute, because: reason)
  }

  private var candidates: [(entity: String, attribute: String)] {
    let entities = mapping.entities.filter { entity in
      parameters.entity.isEmpty || entity.destination == parameters.entity
    }.map { (mapping: $0, count: $0.source.map(store.ownCount) ?? 0) }
    // A sort that keeps the order of equals.
    let sorted = entities.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element.mapping)
    let found = sorted.flatMap { entity in
      entity.attributes.filter { fits($0, of: entity) }.map { (entity.destination, $0.destination) }
    }
    return (found.filter { !$0.1.isOptional } + found.filter(\.1.isOptional)).map {
      ($0.0, $0.1.name)
    }
  }

  /// Whether the attribute is the one named, or one that may be chosen: nothing depends on it.
  private func fits(_ found: AttributeMapping, of entity: EntityMapping) -> Bool {
    guard entity.source != nil, let former = found.source, !former.isTransient,
      !found.destination.isTransient,
      parameters.transformation.resolved(for: found.destination) != nil
    else { return false }
    guard parameters.attribute.isEmpty else {
      return found.destination.name == parameters.attribute
    }
    return found.destination.derivation == nil && !isUnique(found.destination.name, in: entity)
  }

  private func isUnique(_ attribute: String, in entity: EntityMapping) -> Bool {
    let described = mapping.destination.entity(named: entity.destination)
    return described.map { entity in
      mapping.destination.lineage(of: entity).flatMap(\.uniquenessConstraints).joined()
        .contains(attribute)
    } ?? false
  }
}

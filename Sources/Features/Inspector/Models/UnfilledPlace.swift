import DataModel

/// An element of the new model that gets no value from the old model.
package struct UnfilledPlace: Hashable, Encodable, Sendable {
  package enum Kind: String, CaseIterable, Encodable, Sendable {
    /// A required attribute without a default, for which no lightweight migration can be inferred.
    case requiredAttribute
    /// A required relationship, which is checked only when an object is saved.
    case requiredRelationship
    /// A new one-to-one relationship whose inverse already exists.
    case inverse
    /// A to-many relationship that becomes ordered, but whose existing objects have no positions.
    case places
    case entity
    /// An attribute that gets its default value in every object.
    case defaulted
    /// An optional property, which stays empty.
    case optional

    /// The phrase that describes this kind of element in a report.
    package var words: String {
      switch self {
      case .requiredAttribute: "required, without a default and without a source"
      case .requiredRelationship: "required, but existing objects may have no target"
      case .inverse: "new side of a one-to-one, and empty"
      case .places: "becomes ordered, but existing objects have no positions"
      case .entity: "new, but no object of the old model becomes one of its objects"
      case .defaulted: "new, all objects have the default"
      case .optional: "new and empty, which is allowed"
      }
    }

    package var advice: String {
      switch self {
      case .requiredAttribute:
        "give it a default or make it optional, and lightweight is enough; or fill it by a map; if "
          + "it was renamed, set the renaming identifier"
      case .requiredRelationship:
        "the migration succeeds and the next save of such an object fails: set it at the first "
          + "launch, make it optional, or fill it by a map"
      case .inverse: "set it at the first launch, from the other side"
      case .places: "give the objects an order at the first launch"
      case .entity:
        "make objects at the first launch, or map an entity of the old model to it; if it was "
          + "renamed, set the renaming identifier"
      case .defaulted: "if older objects need another value, set it in a custom stage or by a map"
      case .optional: "nothing is required; fill it if the app expects values"
      }
    }

    /// Whether the app will fail because of the missing value.
    package var isRequired: Bool { self == .requiredAttribute || self == .requiredRelationship }
  }

  package let kind: Kind
  package let entity: String
  /// The property without a value; `nil` if the whole entity has no source.
  package let property: String?
  /// The number of affected objects; `nil` if no store was given, or for an entity without a
  /// source.
  package private(set) var objects: Int64?

  /// The entity's name, followed by the property's name if there is one.
  package var name: String { property.map { "\(entity).\($0)" } ?? entity }

  /// Returns the elements that a mapping leaves unfilled, the most serious kind first.
  ///
  /// `counts` has the number of objects by entity of the old model, if known from a store.
  static func all(in mapping: MappingModel, counts: [String: Int64]?) -> [UnfilledPlace] {
    var places: [UnfilledPlace] = []
    var known: [String: Int] = [:]
    for entity in mapping.destination.entities where !entity.isAbstract {
      let mappings = mapping.mappings(to: entity.name).filter { $0.source != nil }
      if mappings.isEmpty {
        places.append(UnfilledPlace(kind: .entity, entity: entity.name, property: nil))
      }
      for carried in mappings {
        let objects = counts.map { $0[carried.source ?? ""] ?? 0 }
        for place in Unfilled(mapping: mapping, entity: entity).places(of: carried) {
          if let index = known[place.name] {
            places[index].objects = objects.map { $0 + (places[index].objects ?? 0) }
            continue
          }
          known[place.name] = places.count
          places.append(place)
          places[places.count - 1].objects = objects
        }
      }
    }
    return Kind.allCases.flatMap { kind in places.filter { $0.kind == kind } }
  }

  private init(kind: Kind, entity: String, property: String?) {
    (self.kind, self.entity, self.property) = (kind, entity, property)
  }

  /// Finds the properties that get no value when the objects of one entity are mapped.
  private struct Unfilled {
    let mapping: MappingModel
    let entity: Entity

    func places(of carried: EntityMapping) -> [UnfilledPlace] {
      carried.attributes.compactMap { attribute in
        kind(of: attribute).map { place($0, attribute.destination.name) }
      }
        + carried.relationships.compactMap { relationship in
          kind(of: relationship).map { place($0, relationship.destination.name) }
        }
    }

    private func place(_ kind: Kind, _ property: String) -> UnfilledPlace {
      UnfilledPlace(kind: kind, entity: declarer(of: property), property: property)
    }

    private func declarer(of property: String) -> String {
      mapping.destination.declarer(of: property, in: entity)?.name ?? entity.name
    }

    private func kind(of attribute: AttributeMapping) -> Kind? {
      let new = attribute.destination
      let isFilled = attribute.value != nil || attribute.source?.isTransient == false
      guard !isFilled, !new.isTransient, new.derivation == nil else { return nil }
      if new.hasDefault { return .defaulted }
      return new.isOptional ? .optional : .requiredAttribute
    }

    private func kind(of relationship: RelationshipMapping) -> Kind? {
      let (new, name) = (relationship.destination, relationship.destination.name)
      let declarer = declarer(of: name)
      guard !new.isTransient else { return nil }
      func leaves(_ gap: MigrationGap) -> Bool { mapping.gaps.contains(gap) }
      if leaves(.inverse(entity: declarer, relationship: name)) { return .inverse }
      if leaves(.requiredRelationship(entity: declarer, relationship: name)) {
        return .requiredRelationship
      }
      if leaves(.places(entity: declarer, relationship: name)) { return .places }
      // A new relationship is also filled if its inverse has a source in the old model.
      let former = relationship.source ?? mapping.formerInverse(of: relationship)
      let isFilled = relationship.expression.map { $0 != .none } ?? (former?.isTransient == false)
      guard !isFilled else { return nil }
      return mapping.destination.allowsNothing(in: new) ? .optional : .requiredRelationship
    }
  }
}

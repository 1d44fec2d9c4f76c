import DataModel

/// What of a model is documented to make it another version (Apple's "Understanding Versions").
///
/// Two models of one shape are one version to the frameworks, which refuse a plan that lists both.
struct VersionShape: Hashable {
  private struct EntityShape: Hashable {
    let name: String
    let parent: String?
    let attributes: [AttributeShape]
    let relationships: [RelationshipShape]
  }

  private struct AttributeShape: Hashable {
    let name: String
    let type: AttributeType
    let isOptional: Bool
    let modifier: String?
  }

  private struct RelationshipShape: Hashable {
    let name: String
    let destination: String
    let inverse: String?
    let isOptional: Bool
    let counts: [Int]
    let rule: DeleteRule
    let modifier: String?
  }

  private let entities: [EntityShape]

  /// The shape of the classes that are written of a model.
  init(_ model: Model) {
    entities = model.entities.map { entity in
      EntityShape(
        name: entity.name,
        parent: entity.superentity,
        attributes: entity.attributes.filter { !$0.isTransient }.map {
          AttributeShape(
            name: $0.name,
            type: $0.type,
            isOptional: $0.isOptional,
            modifier: $0.versionHashModifier
          )
        },
        relationships: entity.relationships.filter { !$0.isTransient }.map {
          RelationshipShape(
            name: $0.name,
            destination: $0.destination,
            inverse: $0.inverse,
            isOptional: $0.isOptional,
            counts: [$0.minimumCount, $0.maximumCount],
            rule: $0.deleteRule,
            modifier: $0.versionHashModifier
          )
        }
      )
    }
  }
}

/// An entity of a model (`NSEntityDescription`), with its own properties, not the inherited ones.
package struct Entity: Hashable, Sendable {
  package var name: String
  /// The class of the objects; ``genericClassName`` where the model names none.
  package var className: String
  package var isAbstract: Bool
  /// The name of the direct super-entity; `nil` for a root entity.
  package var superentity: String?
  package var attributes: [Attribute]
  package var relationships: [Relationship]
  package var fetchIndexes: [FetchIndex]
  /// The attributes of each unique constraint, in the constraint's order.
  package var uniquenessConstraints: [[String]]
  /// The entity's former name, by which a migration finds it.
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]

  package init(
    name: String,
    className: String? = nil,
    isAbstract: Bool = false,
    superentity: String? = nil,
    attributes: [Attribute] = [],
    relationships: [Relationship] = [],
    fetchIndexes: [FetchIndex] = [],
    uniquenessConstraints: [[String]] = [],
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.className = className ?? name
    self.isAbstract = isAbstract
    self.superentity = superentity
    self.attributes = attributes
    self.relationships = relationships
    self.fetchIndexes = fetchIndexes
    self.uniquenessConstraints = uniquenessConstraints
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }

  /// The class of objects that have none of their own.
  package static let genericClassName = "NSManagedObject"

  /// The entity's own attribute of that name.
  package func attribute(named name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  /// The entity's own relationship of that name.
  package func relationship(named name: String) -> Relationship? {
    relationships.first { $0.name == name }
  }
}

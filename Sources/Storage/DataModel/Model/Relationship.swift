/// A relationship of an entity (`NSRelationshipDescription`).
package struct Relationship: Hashable, Sendable {
  package var name: String
  /// The name of the destination entity.
  package var destination: String
  /// The name of the inverse relationship on the destination; `nil` where there is none.
  package var inverse: String?
  package var isToMany: Bool
  package var isOrdered: Bool
  package var isOptional: Bool
  package var isTransient: Bool
  package var minimumCount: Int
  /// The largest number of objects; 0 is unlimited, 1 a to-one.
  package var maximumCount: Int
  package var deleteRule: DeleteRule
  /// Whether the system's search index holds the objects' values.
  package var isIndexedBySpotlight: Bool
  /// The relationship's former name, by which a migration finds it.
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]

  package init(
    name: String,
    destination: String,
    inverse: String? = nil,
    isToMany: Bool = false,
    isOrdered: Bool = false,
    isOptional: Bool = true,
    isTransient: Bool = false,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    deleteRule: DeleteRule = .nullify,
    isIndexedBySpotlight: Bool = false,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
    self.deleteRule = deleteRule
    self.isIndexedBySpotlight = isIndexedBySpotlight
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

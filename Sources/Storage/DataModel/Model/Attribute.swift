/// An attribute of an entity (`NSAttributeDescription`).
package struct Attribute: Hashable, Sendable {
  package var name: String
  package var type: AttributeType
  package var isOptional: Bool
  /// Whether the attribute lives in memory only and has no column.
  package var isTransient: Bool
  /// The value of a new object, in storage form; `.null` where the model gives none.
  package var defaultValue: Value
  /// The attribute's former name, by which a migration finds it (`renamingIdentifier`).
  package var renamingIdentifier: String?
  /// Whether large values may be kept as files (`allowsExternalBinaryDataStorage`).
  package var allowsExternalStorage: Bool
  /// Whether a deleted object's value is kept in its tombstone (`preservesValueInHistoryOnDeletion`).
  package var preservesValueOnDeletion: Bool
  /// The expression of a derived attribute, such as `count:(tasks)`.
  package var derivation: String?
  /// The value transformer's name of a transformable attribute.
  package var transformerName: String?
  /// The class of a transformable attribute's values, where the model names one.
  package var valueClassName: String?
  /// Whether the system's search index holds the values.
  package var isIndexedBySpotlight: Bool
  /// The attributes inside a composite attribute.
  package var elements: [Attribute]
  package var minimum: Value
  package var maximum: Value
  /// The regular expression that a string must match.
  package var pattern: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]

  package init(
    name: String,
    type: AttributeType,
    isOptional: Bool = true,
    isTransient: Bool = false,
    defaultValue: Value = .null,
    renamingIdentifier: String? = nil,
    allowsExternalStorage: Bool = false,
    preservesValueOnDeletion: Bool = false,
    derivation: String? = nil,
    transformerName: String? = nil,
    valueClassName: String? = nil,
    isIndexedBySpotlight: Bool = false,
    elements: [Attribute] = [],
    minimum: Value = .null,
    maximum: Value = .null,
    pattern: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.defaultValue = defaultValue
    self.renamingIdentifier = renamingIdentifier
    self.allowsExternalStorage = allowsExternalStorage
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.derivation = derivation
    self.transformerName = transformerName
    self.valueClassName = valueClassName
    self.isIndexedBySpotlight = isIndexedBySpotlight
    self.elements = elements
    self.minimum = minimum
    self.maximum = maximum
    self.pattern = pattern
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

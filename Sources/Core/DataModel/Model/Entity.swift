/// An entity of a model (`NSEntityDescription`), without inherited properties.
package struct Entity: Hashable, Sendable {
  package var name: String
  /// The class of the objects; ``genericClassName`` if the model does not name a class.
  package var className: String
  package var isAbstract: Bool
  /// The name of the direct super-entity; `nil` for a root entity.
  package var superentity: String?
  package var attributes: [Attribute]
  package var relationships: [Relationship]
  /// The fetched properties, which have no columns in a store.
  package var fetchedProperties: [FetchedProperty]
  package var fetchIndexes: [FetchIndex]
  /// The unique constraints, each as the ordered names of its attributes and to-one relationships.
  package var uniquenessConstraints: [[String]]
  /// The entity's former name, by which a migration finds it in an older model.
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]
  /// The properties that could not be read from an archived model; their columns are unknown.
  package var unreadProperties: [String] = []

  package init(
    name: String,
    className: String? = nil,
    isAbstract: Bool = false,
    superentity: String? = nil,
    attributes: [Attribute] = [],
    relationships: [Relationship] = [],
    fetchedProperties: [FetchedProperty] = [],
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
    self.fetchedProperties = fetchedProperties
    self.fetchIndexes = fetchIndexes
    self.uniquenessConstraints = uniquenessConstraints
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }

  /// The class name of entities for which the model names no class.
  package static let genericClassName = "NSManagedObject"

  /// The entity's own attribute of the given name, if any.
  package func attribute(named name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  /// The entity's own relationship of the given name, if any.
  package func relationship(named name: String) -> Relationship? {
    relationships.first { $0.name == name }
  }
}

/// An attribute of an entity (`NSAttributeDescription`).
package struct Attribute: Hashable, Sendable {
  package var name: String
  package var type: AttributeType
  package var isOptional: Bool
  /// Whether the attribute exists only in memory and has no column.
  ///
  /// In a model, this is always true for the types `undefined` and `objectID`, which a store cannot
  /// hold.
  package var isTransient: Bool
  /// The default value, in storage form; `.null` if the model has none.
  package var defaultValue: Value
  /// The Swift expression of a default that only the app can compute, such as `UUID()`.
  package var computedDefault: String?
  /// The attribute's former name (`renamingIdentifier`), by which a migration finds it in an older
  /// model.
  package var renamingIdentifier: String?
  /// Whether large values may be stored as separate files (`allowsExternalBinaryDataStorage`).
  package var allowsExternalStorage: Bool
  /// Whether the tombstone of a deleted object keeps the value
  /// (`preservesValueInHistoryOnDeletion`).
  package var preservesValueOnDeletion: Bool
  /// The expression of a derived attribute, such as `count:(tasks)`.
  package var derivation: String?
  /// The name of a transformable attribute's value transformer.
  package var transformerName: String?
  /// The class of a transformable attribute's values, if the model names it.
  package var valueClassName: String?
  /// Whether Spotlight indexes the values.
  package var isIndexedBySpotlight: Bool
  /// The attributes inside a composite attribute.
  package var elements: [Attribute]
  package var minimum: Value
  package var maximum: Value
  /// The regular expression that strings must match.
  package var pattern: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]

  package init(
    name: String,
    type: AttributeType,
    isOptional: Bool = true,
    isTransient: Bool = false,
    defaultValue: Value = .null,
    computedDefault: String? = nil,
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
    self.computedDefault = computedDefault
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

  /// Whether the attribute has a default, even one that only the app can compute.
  package var hasDefault: Bool { defaultValue != .null || computedDefault != nil }
}

/// The type of an attribute, with the raw values of `NSAttributeType`.
package enum AttributeType: Int, CaseIterable, Hashable, Sendable {
  /// A type for values that exist only in memory; the model editor calls it "Undefined".
  case undefined = 0
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100

  /// The type's name in model files, such as `string` or `integer64`.
  package var name: String { String(describing: self) }

  /// Whether the type holds only whole numbers.
  package var isWhole: Bool { [.integer16, .integer32, .integer64, .boolean].contains(self) }

  /// The type with this name in model files, if any.
  package init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }
}

/// A relationship of an entity (`NSRelationshipDescription`).
package struct Relationship: Hashable, Sendable {
  package var name: String
  /// The name of the destination entity.
  package var destination: String
  /// The name of the destination's inverse relationship, if any.
  package var inverse: String?
  package var isToMany: Bool
  package var isOrdered: Bool
  package var isOptional: Bool
  package var isTransient: Bool
  package var minimumCount: Int
  /// The maximum number of objects; 0 means unlimited, and 1 makes the relationship to-one.
  package var maximumCount: Int
  package var deleteRule: DeleteRule
  /// Whether Spotlight indexes the objects' values.
  package var isIndexedBySpotlight: Bool
  /// The relationship's former name, by which a migration finds it in an older model.
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

/// The effect of deleting an object on its related objects, with the raw values of `NSDeleteRule`.
package enum DeleteRule: Int, CaseIterable, Hashable, Sendable {
  case noAction = 0
  case nullify = 1
  case cascade = 2
  case deny = 3

  /// The delete rule's name in model files, such as `cascade`.
  package var name: String { String(describing: self) }
}

/// An index of an entity's table that the model declares (`NSFetchIndexDescription`).
package struct FetchIndex: Hashable, Sendable {
  /// One column of a fetch index.
  package struct Element: Hashable, Sendable {
    /// The structure in which SQLite stores the index: a B-tree or an R-tree.
    package enum Kind: Int, Hashable, Sendable {
      case binary = 0
      case rTree = 1
    }

    /// The property's name.
    ///
    /// The expression `entity` stands for the entity number, Z_ENT, and `self` for the primary key,
    /// Z_PK; no property can have these names.
    package var property: String
    package var isAscending: Bool
    package var kind: Kind

    package init(property: String, isAscending: Bool = true, kind: Kind = .binary) {
      self.property = property
      self.isAscending = isAscending
      self.kind = kind
    }
  }

  package var name: String
  package var elements: [Element]
  /// The predicate of a partial index, as written in the model.
  package var partialPredicate: String?

  package init(name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }

  init(ofAttribute name: String) {
    self.init(name: name, elements: [Element(property: name)])
  }

  /// Creates a compound index of a model that predates fetch indexes (iOS 11), with the name that
  /// the model compiler gives it.
  init(compound properties: [String], number: Int) {
    self.init(
      name: number == 0 ? "compoundIndex" : "compoundIndex\(number)",
      elements: properties.map { Element(property: $0) }
    )
  }
}

/// A named fetch request of a model (`fetchRequestTemplatesByName`); a store does not contain it.
package struct FetchRequestTemplate: Hashable, Sendable {
  package var name: String
  /// The name of the entity that the request fetches, if the model names it.
  package var entity: String?
  /// The format string of the request's predicate.
  package var predicate: String?
  /// The request's other settings, by their names in the model editor's files, such as
  /// `fetchLimit`.
  package var settings: [String: String] = [:]
}

/// A fetched property of an entity (`NSFetchedPropertyDescription`).
package struct FetchedProperty: Hashable, Sendable {
  package var name: String
  /// The request that finds the property's objects; its name is not used.
  package var request: FetchRequestTemplate
  package var userInfo: [String: String] = [:]
}

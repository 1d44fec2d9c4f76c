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
  /// The fetched properties; a store holds nothing of them.
  package var fetchedProperties: [FetchedProperty]
  package var fetchIndexes: [FetchIndex]
  /// The attributes and to-one relationships of each unique constraint, in the constraint's order.
  package var uniquenessConstraints: [[String]]
  /// The entity's former name, by which a migration finds it.
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: String]
  /// Properties of an archive that were not understood: which columns they have is not known.
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

/// An attribute of an entity (`NSAttributeDescription`).
package struct Attribute: Hashable, Sendable {
  package var name: String
  package var type: AttributeType
  package var isOptional: Bool
  /// Whether the attribute lives in memory only and has no column; in a model always true for the
  /// types `undefined` and `objectID`, of which a store keeps no value.
  package var isTransient: Bool
  /// The value of a new object, in storage form; `.null` where the model gives none.
  package var defaultValue: Value
  /// The Swift expression of a default that only the app's code can compute, such as `UUID()`.
  package var computedDefault: String?
  /// The attribute's former name, by which a migration finds it (`renamingIdentifier`).
  package var renamingIdentifier: String?
  /// Whether large values may be kept as files (`allowsExternalBinaryDataStorage`).
  package var allowsExternalStorage: Bool
  /// Whether a deleted object's value is kept in its tombstone
  /// (`preservesValueInHistoryOnDeletion`).
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

  /// Whether a new object has a value, known or not.
  package var hasDefault: Bool { defaultValue != .null || computedDefault != nil }
}

/// The type of an attribute, numbered as `NSAttributeType` numbers them.
package enum AttributeType: Int, CaseIterable, Hashable, Sendable {
  /// "Undefined" in the model editor, for values that live in memory only.
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

  /// The spelling in model files, such as `string` or `integer64`.
  package var name: String { String(describing: self) }

  /// Whether every value is a whole number.
  package var isWhole: Bool { [.integer16, .integer32, .integer64, .boolean].contains(self) }

  /// The type spelled so in a model file, or `nil` for an unknown spelling.
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

/// What deleting an object does along a relationship, numbered as `NSDeleteRule` numbers them.
package enum DeleteRule: Int, CaseIterable, Hashable, Sendable {
  case noAction = 0
  case nullify = 1
  case cascade = 2
  case deny = 3

  /// The spelling in model files.
  package var name: String { String(describing: self) }
}

/// An index of an entity's table that the model asks for (`NSFetchIndexDescription`).
package struct FetchIndex: Hashable, Sendable {
  /// One column of a fetch index.
  package struct Element: Hashable, Sendable {
    /// How the element is stored: in a B-tree or in an R-tree.
    package enum Kind: Int, Hashable, Sendable {
      case binary = 0
      case rTree = 1
    }

    /// The property's name; `entity` stands for the entity number, Z_ENT, and `self` for the
    /// primary key, Z_PK: expressions, which no property is called like.
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
  /// The predicate of a partial index, as the model spells it.
  package var partialPredicate: String?

  package init(name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }

  init(ofAttribute name: String) {
    self.init(name: name, elements: [Element(property: name)])
  }

  /// A compound index of models before fetch indexes (iOS 11), named as the compiler names them.
  init(compound properties: [String], number: Int) {
    self.init(
      name: number == 0 ? "compoundIndex" : "compoundIndex\(number)",
      elements: properties.map { Element(property: $0) }
    )
  }
}

/// A fetch request that a model keeps by name (`fetchRequestTemplatesByName`); a store holds nothing
/// of it.
package struct FetchRequestTemplate: Hashable, Sendable {
  package var name: String
  /// The name of the entity whose objects it fetches, where the model names one.
  package var entity: String?
  /// The predicate's format text.
  package var predicate: String?
  /// Any other setting, by its name in the model editor's files, such as `fetchLimit`.
  package var settings: [String: String] = [:]
}

/// A fetched property of an entity (`NSFetchedPropertyDescription`).
package struct FetchedProperty: Hashable, Sendable {
  package var name: String
  /// The request that finds the property's objects; its name says nothing.
  package var request: FetchRequestTemplate
  package var userInfo: [String: String] = [:]
}

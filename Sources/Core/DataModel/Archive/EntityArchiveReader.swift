import Basics

struct EntityArchiveReader {
  private static let deepest = 8

  let decoder: ArchiveDecoder
  let entity: String
  var depth = 0

  private static let commonKeys: Set<String> = [
    "_P", "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "NSIsIndexed",
    "NSRenamingIdentifier", "NSVersionHashModifier", "NSUserInfo", "NSValidationPredicates",
    "NSValidationWarnings", "NSIndexedBySpotlight",
  ]
  private static let attributeKeys = commonKeys.union([
    "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName",
    "NSFlagsKey", ModelArchive.OwnKey.derivation, ModelArchive.OwnKey.pattern,
    ModelArchive.OwnKey.minimumLength, ModelArchive.OwnKey.maximumLength,
    ModelArchive.OwnKey.elements,
  ])
  private static let derivedKeys = attributeKeys.union([
    "NSDerivationExpression", "NSFilteringPredicate", "NSIsReadOnly",
  ])
  private static let fetchedKeys = commonKeys.union([
    "NSIsReadOnly", "NSFetchRequest", "_NSFetchRequestEntityName",
  ])
  private static let relationshipKeys = commonKeys.union([
    "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship",
    "_NSInverseRelationshipName", "NSDeleteRule", "NSMinCount", "NSMaxCount", "NSIsOrdered",
  ])

  /// A property of an entity; all fields are `nil` if it could not be read.
  struct Property {
    var attribute: Attribute?
    var relationship: Relationship?
    var fetched: FetchedProperty?
    var isIndexed = false

    var isUnread: Bool { attribute == nil && relationship == nil && fetched == nil }
  }

  func property(_ value: PropertyList) throws -> Property {
    guard let object = try decoder.object(value) else {
      throw decoder.damage("a property of '\(entity)' is not an object")
    }
    let name = try decoder.requiredString(object.fields["NSPropertyName"], "a property")
    let path = "\(entity).\(name)"
    let isIndexed = flag("NSIsIndexed", of: object)
    switch object.className {
    case "NSAttributeDescription":
      decoder.check(object, knows: EntityArchiveReader.attributeKeys, as: path)
      return Property(attribute: try attribute(object, name: name), isIndexed: isIndexed)
    case "NSDerivedAttributeDescription":
      decoder.check(object, knows: EntityArchiveReader.derivedKeys, as: path)
      return Property(attribute: try attribute(object, name: name), isIndexed: isIndexed)
    case "NSCompositeAttributeDescription":
      var composite = try attribute(object, name: name)
      if composite.elements.isEmpty { composite.elements = try compositeElements(object) }
      return Property(attribute: composite, isIndexed: isIndexed)
    case "NSRelationshipDescription":
      decoder.check(object, knows: EntityArchiveReader.relationshipKeys, as: path)
      return Property(relationship: try relationship(object, name: name))
    case "NSFetchedPropertyDescription":
      decoder.check(object, knows: EntityArchiveReader.fetchedKeys, as: path)
      let fields = object.fields
      var request = try decoder.fetchRequest(fields["NSFetchRequest"], name: "")
      request.entity = try decoder.string(fields["_NSFetchRequestEntityName"]) ?? request.entity
      let userInfo = try decoder.userInfo(fields["NSUserInfo"], of: path)
      return Property(fetched: FetchedProperty(name: name, request: request, userInfo: userInfo))
    default:
      // An unknown class is probably a newer subclass of a known class, so read the known class's
      // fields.
      let action = "read by the fields that are known"
      if object.fields["NSAttributeType"] != nil {
        decoder.note("\(path): a property of class \(object.className)", action: action)
        return Property(attribute: try attribute(object, name: name), isIndexed: isIndexed)
      }
      if object.fields["_NSDestinationEntityName"] != nil {
        decoder.note("\(path): a property of class \(object.className)", action: action)
        return Property(relationship: try relationship(object, name: name))
      }
      decoder.note("\(path): a property of class \(object.className)")
      return Property()
    }
  }

  /// The attributes inside a composite attribute.
  ///
  /// The key of this list is unknown, because no real archive with a composite attribute is known.
  /// The reader uses the only list of attributes among the fields.
  private func compositeElements(_ object: ArchiveDecoder.Object) throws -> [Attribute] {
    for (_, value) in object.fields.sorted(by: { $0.key < $1.key }) {
      guard let list = try decoder.object(value), list.fields["NS.objects"] != nil,
        let first = try decoder.items(value).first,
        try decoder.object(first)?.className.hasSuffix("AttributeDescription") == true
      else { continue }
      return try elements(value)
    }
    decoder.note("\(entity).\(object.className): its elements", kind: "composite elements")
    return []
  }

  private func flag(_ key: String, of object: ArchiveDecoder.Object) -> Bool {
    object.fields[key] == .boolean(true) || object.fields[key] == .integer(1)
  }

  private func attribute(_ object: ArchiveDecoder.Object, name: String) throws -> Attribute {
    let (fields, path) = (object.fields, "\(entity).\(name)")
    let number = fields["NSAttributeType"]?.integer ?? 0
    let type = Int(exactly: number).flatMap(AttributeType.init(rawValue:))
    if type == nil {
      decoder.note("\(path): the attribute type \(number)", action: "kept without a column")
    }
    let flags = fields["NSFlagsKey"]?.integer ?? 0
    let others =
      flags & ~(ModelArchive.Flags.externalStorage | ModelArchive.Flags.preservedOnDeletion)
    if others != 0 {
      decoder.note("\(path): the bits \(others) of NSFlagsKey", action: "ignored", kind: "bits")
    }
    var attribute = Attribute(
      name: name,
      type: type ?? .undefined,
      isOptional: flag("NSIsOptional", of: object),
      isTransient: flag("NSIsTransient", of: object),
      renamingIdentifier: try decoder.string(fields["NSRenamingIdentifier"]),
      allowsExternalStorage: flags & ModelArchive.Flags.externalStorage != 0,
      preservesValueOnDeletion: flags & ModelArchive.Flags.preservedOnDeletion != 0,
      derivation: try decoder.string(fields[ModelArchive.OwnKey.derivation]),
      transformerName: try decoder.string(fields["NSValueTransformerName"]),
      isIndexedBySpotlight: flag("NSIndexedBySpotlight", of: object),
      pattern: try decoder.string(fields[ModelArchive.OwnKey.pattern]),
      versionHashModifier: try decoder.string(fields["NSVersionHashModifier"]),
      userInfo: try decoder.userInfo(fields["NSUserInfo"], of: path)
    )
    try addValues(of: object, to: &attribute)
    return attribute
  }

  private func addValues(of object: ArchiveDecoder.Object, to attribute: inout Attribute) throws {
    let (fields, path) = (object.fields, "\(entity).\(attribute.name)")
    let className = try decoder.string(fields["NSAttributeValueClassName"])
    if className != ModelArchive.valueClassName(of: attribute.type) {
      attribute.valueClassName = className
    }
    attribute.defaultValue =
      try decoder.value(fields["NSDefaultValue"], type: attribute.type, as: "\(path): the default")
    attribute.elements = try elements(fields[ModelArchive.OwnKey.elements])
    if let expression = try decoder.object(fields["NSDerivationExpression"]) {
      attribute.derivation = try decoder.expressionText(expression)
      if attribute.derivation == nil { decoder.note("\(path): the derivation") }
    }
    if try decoder.object(fields["NSFilteringPredicate"]) != nil {
      decoder.note("\(path): the filter of the derivation")
    }
    try addBounds(of: object, to: &attribute)
  }

  private func elements(_ value: PropertyList?) throws -> [Attribute] {
    var reader = self
    reader.depth += 1
    guard reader.depth < EntityArchiveReader.deepest else {
      throw decoder.damage("an attribute of '\(entity)' contains itself")
    }
    return try decoder.items(value).compactMap { try reader.property($0).attribute }
  }

  /// Reads a relationship; returns `nil` if the archive does not name the destination, which
  /// determines the storage.
  private func relationship(_ object: ArchiveDecoder.Object, name: String) throws -> Relationship? {
    let (fields, path) = (object.fields, "\(entity).\(name)")
    guard
      let destination = try decoder.string(fields["_NSDestinationEntityName"])
        ?? decoder.string(decoder.object(fields["NSDestinationEntity"])?.fields["NSEntityName"])
    else {
      decoder.note("\(path): a relationship without a destination entity")
      return nil
    }
    let inverse =
      try decoder.string(fields["_NSInverseRelationshipName"])
      ?? decoder.string(decoder.object(fields["NSInverseRelationship"])?.fields["NSPropertyName"])
    let ruleNumber = Int(clamping: fields["NSDeleteRule"]?.integer ?? 1)
    let rule = DeleteRule(rawValue: ruleNumber)
    if rule == nil {
      decoder.note("\(path): the delete rule \(ruleNumber)", action: "taken as No Action")
    }
    if try !decoder.items(fields["NSValidationPredicates"]).isEmpty {
      decoder.note("\(path): validation predicates of a relationship")
    }
    let maximum = Int(clamping: fields["NSMaxCount"]?.integer ?? 0)
    return Relationship(
      name: name,
      destination: destination,
      inverse: inverse,
      isToMany: maximum != 1,
      isOrdered: flag("NSIsOrdered", of: object),
      isOptional: flag("NSIsOptional", of: object),
      isTransient: flag("NSIsTransient", of: object),
      minimumCount: Int(clamping: fields["NSMinCount"]?.integer ?? 0),
      maximumCount: maximum,
      deleteRule: rule ?? .noAction,
      isIndexedBySpotlight: flag("NSIndexedBySpotlight", of: object),
      renamingIdentifier: try decoder.string(fields["NSRenamingIdentifier"]),
      versionHashModifier: try decoder.string(fields["NSVersionHashModifier"]),
      userInfo: try decoder.userInfo(fields["NSUserInfo"], of: path)
    )
  }
}

extension EntityArchiveReader {
  func addBounds(of object: ArchiveDecoder.Object, to attribute: inout Attribute) throws {
    let fields = object.fields
    if let length = fields[ModelArchive.OwnKey.minimumLength]?.integer {
      attribute.minimum = .integer(length)
    }
    if let length = fields[ModelArchive.OwnKey.maximumLength]?.integer {
      attribute.maximum = .integer(length)
    }
    for item in try decoder.items(fields["NSValidationPredicates"]) {
      guard let predicate = try decoder.object(item) else { continue }
      if try !addBound(predicate, to: &attribute) {
        let text = try decoder.predicateText(predicate) ?? predicate.className
        decoder.note("\(entity).\(attribute.name): the validation \(text)")
      }
    }
  }

  private func addBound(
    _ predicate: ArchiveDecoder.Object,
    to attribute: inout Attribute
  ) throws -> Bool {
    guard predicate.className == "NSComparisonPredicate",
      let left = try decoder.object(predicate.fields["NSLeftExpression"]),
      let right = try decoder.object(predicate.fields["NSRightExpression"]),
      let number = try decoder.object(predicate.fields["NSPredicateOperator"])?
        .fields["NSOperatorType"]?.integer,
      let comparison = ModelArchive.Comparison(rawValue: number),
      right.className == "NSConstantValueExpression"
    else { return false }
    let constant = right.fields["NSConstantValue"]
    let isLength = try decoder.expressionText(left) == "length" && attribute.type == .string
    guard isLength || left.className == "NSSelfExpression" else { return false }
    if comparison == .matches {
      attribute.pattern = try decoder.string(constant)
      return attribute.pattern != nil && !isLength
    }
    let path = "\(entity).\(attribute.name): the bound"
    let type = isLength ? AttributeType.integer64 : attribute.type
    let value = try decoder.value(constant, type: type, as: path)
    if comparison == .atLeast { attribute.minimum = value } else { attribute.maximum = value }
    return true
  }
}

extension EntityArchiveReader {
  func fetchIndexes(_ fields: [String: PropertyList], indexed: [String]) throws -> [FetchIndex] {
    var indexes = try decoder.items(fields["NSFetchIndexDescriptions"]).compactMap {
      value -> FetchIndex? in
      do {
        return try fetchIndex(value)
      } catch is Refusal {
        // An index that cannot be read does not affect the rest of the model.
        decoder.note("\(entity): a fetch index")
        return nil
      }
    }
    // Framework versions before fetch indexes (iOS 11) write compound indexes only, as lists of
    // property names. Later archives repeat some fetch indexes in this form (coredata-format.md,
    // section 16).
    if indexes.isEmpty {
      indexes = try lists(fields["NSCompoundIndexes"]).enumerated().map {
        FetchIndex(compound: $0.element, number: $0.offset)
      }
    }
    let missing = indexed.filter { name in !indexes.contains { $0.name == name } }
    return missing.map(FetchIndex.init(ofAttribute:)) + indexes
  }

  func lists(_ value: PropertyList?) throws -> [[String]] {
    try decoder.items(value).map { list in
      try decoder.items(list).map { item in
        let name = try decoder.object(item)?.fields["NSPropertyName"] ?? item
        return try decoder.requiredString(name, "a property in an index of '\(entity)'")
      }
    }
  }

  private func fetchIndex(_ value: PropertyList) throws -> FetchIndex? {
    let object = try decoder.required(value, "NSFetchIndexDescription")
    let name = try decoder.requiredString(object.fields["NSIndexName"], "an index")
    let path = "\(entity).\(name)"
    decoder.check(
      object,
      knows: [
        "NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity",
        ModelArchive.OwnKey.predicate,
      ],
      as: path
    )
    var predicate = try decoder.string(object.fields[ModelArchive.OwnKey.predicate])
    if let archived = try decoder.object(object.fields["NSPartialIndexPredicate"]) {
      predicate = try decoder.predicateText(archived)
      if predicate == nil {
        decoder.note("\(path): the predicate", action: "the index is left out")
        return nil
      }
    }
    let items = try decoder.items(object.fields["NSIndexElements"])
    let elements = try items.compactMap { try element($0, of: path) }
    guard elements.count == items.count else { return nil }
    return FetchIndex(name: name, elements: elements, partialPredicate: predicate)
  }

  private func element(_ value: PropertyList, of path: String) throws -> FetchIndex.Element? {
    let object = try decoder.required(value, "NSFetchIndexElementDescription")
    decoder.check(
      object,
      knows: [
        "NSPropertyName", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSAscending",
        "NSIndexedProperty",
      ],
      as: path
    )
    let number = object.fields["NSFetchIndexElementType"]?.integer ?? 0
    let name = try expression(object.fields["NSIndexedProperty"], of: path)
    guard let property = try name ?? decoder.string(object.fields["NSPropertyName"]),
      let kind = FetchIndex.Element.Kind(rawValue: Int(clamping: number))
    else {
      decoder.note(
        "\(path): an element that names no property, or of type \(number)",
        action: "the index is left out"
      )
      return nil
    }
    return FetchIndex.Element(
      property: property,
      isAscending: flag("NSAscending", of: object),
      kind: kind
    )
  }

  private func expression(_ value: PropertyList?, of path: String) throws -> String? {
    guard let object = try decoder.object(value), object.className == "NSExpressionDescription",
      let expression = try decoder.object(object.fields["NSExpression"])
    else { return nil }
    let text = try decoder.expressionText(expression)
    return text == "SELF" ? "self" : text
  }
}

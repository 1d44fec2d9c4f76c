import Basics

struct ModelArchiveWriter {
  private let model: Model
  private var encoder = ArchiveEncoder()
  private let root: Int
  /// The indexes of the entities' archive objects, reserved first, because entities refer to one
  /// another.
  private var entities: [String: Int] = [:]
  private var relationships: [[String]: Int] = [:]
  private let noUserInfo: PropertyList

  private static let emptyToken = "__empty_slot_token_4c24_98dc_ac1e_b773__"

  init(_ model: Model) {
    self.model = model
    root = encoder.reserve()
    for entity in model.entities {
      entities[entity.name] = encoder.reserve()
      for relationship in model.relationships(of: entity) {
        relationships[[entity.name, relationship.name]] = encoder.reserve()
      }
    }
    noUserInfo = encoder.dictionary("NSDictionary", [])
  }

  mutating func archive() -> [UInt8] {
    for entity in model.entities { write(entity) }
    var fields: [String: PropertyList] = [
      "NSEntities": knownKeys(),
      "NSFetchRequestTemplates": ArchiveEncoder.null,
    ]
    let identifiers = model.versionIdentifiers.map { encoder.text($0) }
    fields["NSVersionIdentifiers"] = encoder.list("NSSet", identifiers)
    if !model.configurations.isEmpty {
      let sorted = model.configurations.sorted { $0.key < $1.key }
      let sets = sorted.map { name, members in
        (key: name, value: encoder.list("NSSet", members.map { reference(to: $0) }))
      }
      fields["NSConfigurations"] = encoder.dictionary("NSMutableDictionary", sets)
    }
    if !model.fetchRequests.isEmpty {
      let requests = model.fetchRequests.map { (key: $0.name, value: texts(of: $0)) }
      fields[ModelArchive.OwnKey.fetchRequests] = encoder.dictionary("NSDictionary", requests)
    }
    encoder.fill(root, "NSManagedObjectModel", fields)
    return encoder.archive(root: root)
  }

  private mutating func knownKeys() -> PropertyList {
    let names = model.entities.map(\.name)
    let keys = encoder.list("NSArray", names.map { encoder.text($0) })
    let mapping = encoder.add(
      "NSKnownKeysMappingStrategy1",
      ["keys": keys, "length": .integer(Int64(names.count)), "version": .integer(1)]
    )
    let values = encoder.list("NSArray", names.map { reference(to: $0) })
    return encoder.add(
      "NSKnownKeysDictionary1",
      [
        "searchMapping": mapping, "values": values, "version": .integer(1),
        "emptyToken": encoder.text(ModelArchiveWriter.emptyToken),
      ]
    )
  }

  private func reference(to entity: String?) -> PropertyList {
    entity.flatMap { entities[$0] }.map { .uid($0) } ?? ArchiveEncoder.null
  }

  private mutating func write(_ entity: Entity) {
    guard let uid = entities[entity.name] else { return }
    let below = model.subentities(of: entity.name).map {
      (key: $0.name, value: reference(to: $0.name))
    }
    let isGeneric = entity.className == Entity.genericClassName
    var fields: [String: PropertyList] = [
      "NSEntityName": encoder.text(entity.name),
      "NSClassNameForEntity": encoder.text(isGeneric ? nil : entity.className),
      "NSManagedObjectModel": .uid(root),
      "NSSuperentity": reference(to: entity.superentity),
      "NSSubentities": encoder.dictionary("NSMutableDictionary", below),
      "NSProperties": properties(of: entity),
      "NSRenamingIdentifier": encoder.text(entity.renamingIdentifier ?? entity.name),
      "NSVersionHashModifier": encoder.text(entity.versionHashModifier),
      "NSUserInfo": userInfo(entity.userInfo),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.fetchIndexes.isEmpty {
      let indexes = entity.fetchIndexes.map { fetchIndex($0, of: uid) }
      fields["NSFetchIndexDescriptions"] = encoder.list("NSMutableArray", indexes)
      fields["NSCompoundIndexes"] = lists(compoundIndexes(of: entity))
    }
    if !entity.fetchedProperties.isEmpty {
      let properties = entity.fetchedProperties.map {
        (key: $0.name, value: texts(of: $0.request, $0.userInfo))
      }
      fields[ModelArchive.OwnKey.fetchedProperties] = encoder.dictionary("NSDictionary", properties)
    }
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = lists(entity.uniquenessConstraints)
    }
    encoder.fill(uid, "NSEntityDescription", fields)
  }

  private mutating func texts(
    of request: FetchRequestTemplate,
    _ userInfo: [String: String] = [:]
  ) -> PropertyList {
    var pairs = request.settings.map { (key: "." + $0.key, value: $0.value) }
    pairs += userInfo.map { (key: "/" + $0.key, value: $0.value) }
    if let entity = request.entity { pairs.append((key: "entity", value: entity)) }
    if let predicate = request.predicate { pairs.append((key: "predicate", value: predicate)) }
    let sorted = pairs.sorted { $0.key < $1.key }
    return encoder.dictionary(
      "NSDictionary",
      sorted.map { (key: $0.key, value: encoder.text($0.value)) }
    )
  }

  private mutating func properties(of entity: Entity) -> PropertyList {
    var entries: [(key: String, value: PropertyList)] = []
    let owner = reference(to: entity.name)
    for attribute in model.attributes(of: entity) {
      let isIndexed = hasOwnIndex(attribute.name, in: entity)
      let object = self.attribute(attribute, of: owner, isIndexed: isIndexed)
      entries.append((attribute.name, object))
    }
    for relationship in model.relationships(of: entity) {
      guard let uid = relationships[[entity.name, relationship.name]] else { continue }
      fill(uid, with: relationship, of: owner)
      entries.append((relationship.name, .uid(uid)))
    }
    return encoder.dictionary("NSMutableDictionary", entries.sorted(byBytesOf: \.key))
  }

  private func hasOwnIndex(_ attribute: String, in entity: Entity) -> Bool {
    model.lineage(of: entity).flatMap(\.fetchIndexes).contains {
      $0.name == attribute && $0.elements.map(\.property) == [attribute]
    }
  }

  private mutating func userInfo(_ pairs: [String: String]) -> PropertyList {
    if pairs.isEmpty { return noUserInfo }
    let sorted = pairs.sorted { $0.key < $1.key }
    return encoder.dictionary(
      "NSDictionary",
      sorted.map { (key: $0.key, value: encoder.text($0.value)) }
    )
  }
}

extension ModelArchiveWriter {
  /// The multi-attribute indexes in the form for framework versions that predate fetch indexes.
  private func compoundIndexes(of entity: Entity) -> [[String]] {
    let attributes = Set(model.attributes(of: entity).map(\.name))
    return entity.fetchIndexes.map { $0.elements.map(\.property) }.filter { properties in
      properties.count > 1 && properties.allSatisfy(attributes.contains)
    }
  }

  private mutating func lists(_ lists: [[String]]) -> PropertyList {
    let arrays = lists.map { names in
      encoder.list("NSMutableArray", names.map { encoder.text($0) })
    }
    return encoder.list("NSMutableArray", arrays)
  }

  private mutating func fetchIndex(_ index: FetchIndex, of entity: Int) -> PropertyList {
    let uid = encoder.reserve()
    let elements = index.elements.map { element in
      encoder.add(
        "NSFetchIndexElementDescription",
        [
          "NSPropertyName": encoder.text(element.property),
          "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
          "NSAscending": .boolean(element.isAscending),
          "NSFetchIndexDescription": .uid(uid),
        ]
      )
    }
    var fields: [String: PropertyList] = [
      "NSIndexName": encoder.text(index.name),
      "NSIndexElements": encoder.list("NSArray", elements),
      "NSPartialIndexPredicate": ArchiveEncoder.null,
      "NSEntity": .uid(entity),
    ]
    if let predicate = index.partialPredicate {
      fields[ModelArchive.OwnKey.predicate] = encoder.text(predicate)
    }
    encoder.fill(uid, "NSFetchIndexDescription", fields)
    return .uid(uid)
  }
}

extension ModelArchiveWriter {
  /// The bits of `_P`, derived from real archives: some mark a missing part (such as user info),
  /// others are Boolean options.
  private enum Bits {
    static let always: Int64 = 0x1
    static let optional: Int64 = 0x2
    static let transient: Int64 = 0x8
    static let noValidation: Int64 = 0x30
    static let noUserInfo: Int64 = 0x40
    static let noHashModifier: Int64 = 0x80
    static let spotlight: Int64 = 0x100
    static let ordered: Int64 = 0x400
  }

  private mutating func attribute(
    _ attribute: Attribute,
    of entity: PropertyList,
    isIndexed: Bool = false
  ) -> PropertyList {
    var fields: [String: PropertyList] = [
      "NSPropertyName": encoder.text(attribute.name),
      "NSEntity": entity,
      "NSAttributeType": .integer(Int64(attribute.type.rawValue)),
      "NSAttributeValueClassName": encoder.text(
        attribute.valueClassName ?? ModelArchive.valueClassName(of: attribute.type)
      ),
      "NSDefaultValue": value(attribute.defaultValue, type: attribute.type),
      "NSFlagsKey": .integer(
        (attribute.allowsExternalStorage ? ModelArchive.Flags.externalStorage : 0)
          | (attribute.preservesValueOnDeletion ? ModelArchive.Flags.preservedOnDeletion : 0)
      ),
      "NSValueTransformerName": encoder.text(attribute.transformerName),
      "NSRenamingIdentifier": encoder.text(attribute.renamingIdentifier ?? attribute.name),
    ]
    if attribute.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if attribute.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if attribute.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = .boolean(true) }
    if isIndexed { fields["NSIsIndexed"] = .boolean(true) }
    addOwn(attribute, of: entity, to: &fields)
    let hasBounds = addBounds(of: attribute, to: &fields)
    add(attribute.versionHashModifier, attribute.userInfo, to: &fields)
    fields["_P"] = .integer(
      bits(
        optional: attribute.isOptional,
        transient: attribute.isTransient,
        spotlight: attribute.isIndexedBySpotlight,
        modifier: attribute.versionHashModifier,
        userInfo: attribute.userInfo
      ) & (hasBounds ? ~Bits.noValidation : ~0)
    )
    return encoder.add("NSAttributeDescription", fields)
  }

  private mutating func fill(_ uid: Int, with relationship: Relationship, of entity: PropertyList) {
    let inverse = relationship.inverse.flatMap { relationships[[relationship.destination, $0]] }
    var fields: [String: PropertyList] = [
      "NSPropertyName": encoder.text(relationship.name),
      "NSEntity": entity,
      "NSDestinationEntity": reference(to: relationship.destination),
      "_NSDestinationEntityName": encoder.text(relationship.destination),
      "NSInverseRelationship": inverse.map { .uid($0) } ?? ArchiveEncoder.null,
      "_NSInverseRelationshipName": encoder.text(relationship.inverse),
      "NSDeleteRule": .integer(Int64(relationship.deleteRule.rawValue)),
      "NSMinCount": .integer(Int64(relationship.minimumCount)),
      "NSMaxCount": .integer(Int64(relationship.maximumCount)),
      "NSRenamingIdentifier": encoder.text(relationship.renamingIdentifier ?? relationship.name),
    ]
    if relationship.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if relationship.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    if relationship.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = .boolean(true) }
    add(relationship.versionHashModifier, relationship.userInfo, to: &fields)
    fields["_P"] = .integer(
      bits(
        optional: relationship.isOptional,
        transient: relationship.isTransient,
        spotlight: relationship.isIndexedBySpotlight,
        modifier: relationship.versionHashModifier,
        userInfo: relationship.userInfo
      ) | (relationship.isOrdered ? Bits.ordered : 0)
    )
    encoder.fill(uid, "NSRelationshipDescription", fields)
  }

  private func bits(
    optional: Bool,
    transient: Bool,
    spotlight: Bool,
    modifier: String?,
    userInfo: [String: String]
  ) -> Int64 {
    Bits.always | Bits.noValidation
      | (optional ? Bits.optional : 0) | (transient ? Bits.transient : 0)
      | (userInfo.isEmpty ? Bits.noUserInfo : 0) | (modifier == nil ? Bits.noHashModifier : 0)
      | (spotlight ? Bits.spotlight : 0)
  }

  private mutating func add(
    _ modifier: String?,
    _ userInfo: [String: String],
    to fields: inout [String: PropertyList]
  ) {
    if let modifier { fields["NSVersionHashModifier"] = encoder.text(modifier) }
    if !userInfo.isEmpty { fields["NSUserInfo"] = self.userInfo(userInfo) }
  }

  private mutating func addOwn(
    _ attribute: Attribute,
    of entity: PropertyList,
    to fields: inout [String: PropertyList]
  ) {
    if let derivation = attribute.derivation {
      fields[ModelArchive.OwnKey.derivation] = encoder.text(derivation)
    }
    if let pattern = attribute.pattern {
      fields[ModelArchive.OwnKey.pattern] = encoder.text(pattern)
    }
    if !attribute.elements.isEmpty {
      let elements = attribute.elements.map { self.attribute($0, of: entity) }
      fields[ModelArchive.OwnKey.elements] = encoder.list("NSArray", elements)
    }
    guard attribute.type == .string else { return }
    if case .integer(let length) = attribute.minimum {
      fields[ModelArchive.OwnKey.minimumLength] = .integer(length)
    }
    if case .integer(let length) = attribute.maximum {
      fields[ModelArchive.OwnKey.maximumLength] = .integer(length)
    }
  }
}

extension ModelArchiveWriter {
  /// The error codes of Core Data's validation, such as `NSValidationNumberTooSmallError`
  /// (CoreDataErrors.h).
  private enum Warning {
    static let tooLarge: Int64 = 1610
    static let tooSmall: Int64 = 1620
    static let tooLate: Int64 = 1630
    static let tooSoon: Int64 = 1640
  }

  private mutating func addBounds(
    of attribute: Attribute,
    to fields: inout [String: PropertyList]
  ) -> Bool {
    guard attribute.type != .string else { return false }
    let isDate = attribute.type == .date
    var (predicates, warnings): ([PropertyList], [PropertyList]) = ([], [])
    if attribute.minimum != .null {
      predicates.append(bound(.atLeast, attribute.minimum, type: attribute.type))
      let warning = isDate ? Warning.tooSoon : Warning.tooSmall
      warnings.append(encoder.scalar(.integer(warning)))
    }
    if attribute.maximum != .null {
      predicates.append(bound(.atMost, attribute.maximum, type: attribute.type))
      let warning = isDate ? Warning.tooLate : Warning.tooLarge
      warnings.append(encoder.scalar(.integer(warning)))
    }
    guard !predicates.isEmpty else { return false }
    fields["NSValidationPredicates"] = encoder.list("NSMutableArray", predicates)
    fields["NSValidationWarnings"] = encoder.list("NSMutableArray", warnings)
    return true
  }

  private mutating func bound(
    _ comparison: ModelArchive.Comparison,
    _ value: Value,
    type: AttributeType
  ) -> PropertyList {
    let number = PropertyList.integer(comparison.rawValue)
    let left = encoder.add("NSSelfExpression", ["NSExpressionType": .integer(1)])
    let right = encoder.add(
      "NSConstantValueExpression",
      ["NSExpressionType": .integer(0), "NSConstantValue": self.value(value, type: type)]
    )
    let comparison = encoder.add(
      "NSComparisonPredicateOperator",
      [
        "NSOperatorType": number, "NSVariant": number, "NSModifier": .integer(0),
        "NSOptions": .integer(0),
      ]
    )
    return encoder.add(
      "NSComparisonPredicate",
      ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": comparison]
    )
  }

  private mutating func value(_ value: Value, type: AttributeType) -> PropertyList {
    switch (type, value) {
    case (_, .null): ArchiveEncoder.null
    case (.boolean, .integer(let value)): encoder.scalar(.boolean(value != 0))
    case (.decimal, _):
      ArchivedDecimal.fields(of: value).map { encoder.add("NSDecimalNumberPlaceholder", $0) }
        ?? ArchiveEncoder.null
    case (.date, .real(let seconds)): encoder.add("NSDate", ["NS.time": .real(seconds)])
    case (.uuid, .blob(let bytes)): encoder.add("NSUUID", ["NS.uuidbytes": .data(bytes)])
    case (.uri, .text(let text)):
      encoder.add("NSURL", ["NS.base": ArchiveEncoder.null, "NS.relative": encoder.text(text)])
    case (_, .integer(let value)): encoder.scalar(.integer(value))
    case (_, .real(let value)): encoder.scalar(.real(value))
    case (_, .text(let text)): encoder.text(text)
    case (_, .blob(let bytes)): encoder.scalar(.data(bytes))
    }
  }
}

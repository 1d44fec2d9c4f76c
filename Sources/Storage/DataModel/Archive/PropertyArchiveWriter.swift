/// Writes the attributes and relationships of an archived entity.
struct PropertyArchiveWriter {
  var encoder: ArchiveEncoder
  let entity: PropertyList

  /// The bits of `_P`, read off real archives: set where something is absent, or for a flag.
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

  mutating func attribute(_ attribute: Attribute, isIndexed: Bool = false) -> PropertyList {
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
    addOwn(attribute, to: &fields)
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

  mutating func fill(
    _ uid: Int,
    with relationship: Relationship,
    destination: PropertyList,
    inverse: PropertyList
  ) {
    var fields: [String: PropertyList] = [
      "NSPropertyName": encoder.text(relationship.name),
      "NSEntity": entity,
      "NSDestinationEntity": destination,
      "_NSDestinationEntityName": encoder.text(relationship.destination),
      "NSInverseRelationship": inverse,
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
    if !userInfo.isEmpty {
      let entries = userInfo.sorted { $0.key < $1.key }.map {
        (key: $0.key, value: encoder.text($0.value))
      }
      fields["NSUserInfo"] = encoder.dictionary("NSDictionary", entries)
    }
  }

  /// Adds what stands under keys of our own.
  private mutating func addOwn(_ attribute: Attribute, to fields: inout [String: PropertyList]) {
    if let derivation = attribute.derivation {
      fields[ModelArchive.OwnKey.derivation] = encoder.text(derivation)
    }
    if let pattern = attribute.pattern {
      fields[ModelArchive.OwnKey.pattern] = encoder.text(pattern)
    }
    if !attribute.elements.isEmpty {
      let elements = attribute.elements.map { self.attribute($0) }
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

extension PropertyArchiveWriter {
  /// NSValidationNumberTooSmallError and so on (CoreDataErrors.h).
  private enum Warning {
    static let tooLarge: Int64 = 1610
    static let tooSmall: Int64 = 1620
    static let tooLate: Int64 = 1630
    static let tooSoon: Int64 = 1640
  }

  /// Whether the attribute has bounds that real archives show the form of.
  mutating func addBounds(
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
    _ comparison: ComparisonOperator,
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

  /// A value as archives hold it; nothing for one that is not of the type.
  mutating func value(_ value: Value, type: AttributeType) -> PropertyList {
    switch (type, value) {
    case (_, .null): ArchiveEncoder.null
    case (.boolean, .integer(let value)): encoder.scalar(.boolean(value != 0))
    case (.decimal, _):
      ArchivedDecimal.fields(of: value).map { encoder.add("NSDecimalNumberPlaceholder", $0) }
        ?? ArchiveEncoder.null
    case (.date, .real(let seconds)): encoder.add("NSDate", ["NS.time": .real(seconds)])
    case (.uuid, .blob(let bytes)): encoder.add("NSUUID", ["NS.uuidbytes": .data(bytes)])
    case (.uri, .text(let text)):
      encoder.add(
        "NSURL",
        ["NS.base": ArchiveEncoder.null, "NS.relative": encoder.text(text)]
      )
    case (_, .integer(let value)): encoder.scalar(.integer(value))
    case (_, .real(let value)): encoder.scalar(.real(value))
    case (_, .text(let text)): encoder.text(text)
    case (_, .blob(let bytes)): encoder.scalar(.data(bytes))
    }
  }
}

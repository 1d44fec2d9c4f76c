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

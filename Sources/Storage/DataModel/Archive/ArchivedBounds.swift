/// The comparison operators of a predicate, numbered as `NSComparisonPredicate.Operator` is.
enum ComparisonOperator: Int64 {
  case atMost = 1
  case atLeast = 3
  case matches = 6
}

extension PropertyArchiveReader {
  /// Adds the smallest and largest value, the limits of a text's length and its pattern.
  func addBounds(
    of object: ArchiveDecoder.Object,
    to attribute: inout Attribute
  ) throws {
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

  /// Whether the predicate was one that the attribute can say.
  private func addBound(
    _ predicate: ArchiveDecoder.Object,
    to attribute: inout Attribute
  ) throws -> Bool {
    guard predicate.className == "NSComparisonPredicate",
      let left = try decoder.object(predicate.fields["NSLeftExpression"]),
      let right = try decoder.object(predicate.fields["NSRightExpression"]),
      let number = try decoder.object(predicate.fields["NSPredicateOperator"])?
        .fields["NSOperatorType"]?.integer,
      let comparison = ComparisonOperator(rawValue: number),
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

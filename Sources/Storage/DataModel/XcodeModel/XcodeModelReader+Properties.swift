extension XcodeModelReader {
  private static let attributeKeys: Set<String> = [
    "name", "attributeType", "optional", "transient", "defaultValueString",
    "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
    "maxDateTimeInterval", "regularExpressionString", "elementID", "versionHashModifier",
    "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "derived", "derivationExpression",
    "valueTransformerName", "customClassName", "spotlightIndexingEnabled", "indexed",
    // What generated code and synchronisation look like.
    "usesScalarValueType", "syncable",
  ]
  private static let relationshipKeys: Set<String> = [
    "name", "optional", "transient", "toMany", "ordered", "minCount", "maxCount", "deletionRule",
    "destinationEntity", "inverseName", "inverseEntity", "elementID", "versionHashModifier",
    "spotlightIndexingEnabled", "syncable",
  ]
  private static let types: [(word: String, type: AttributeType)] = [
    ("Integer 16", .integer16), ("Integer 32", .integer32), ("Integer 64", .integer64),
    ("Decimal", .decimal), ("Double", .double), ("Float", .float), ("String", .string),
    ("Boolean", .boolean), ("Date", .date), ("Binary", .binary), ("UUID", .uuid), ("URI", .uri),
    ("Transformable", .transformable), ("Object ID", .objectID), ("Composite", .composite),
  ]
  private static let rules: [(word: String, rule: DeleteRule)] = [
    ("Nullify", .nullify), ("Cascade", .cascade), ("Deny", .deny), ("No Action", .noAction),
  ]

  mutating func attribute(_ element: MarkupElement, of entity: String) -> Attribute? {
    guard let name = required("name", of: element),
      let word = required("attributeType", of: element)
    else { return nil }
    let path = "\(entity).\(name)"
    let composite = word == "Composite" ? compositeType(of: element) : nil
    check(
      element,
      knows: XcodeModelReader.attributeKeys.union(composite.map { [$0.key] } ?? []),
      as: path
    )
    guard let type = XcodeModelReader.types.first(where: { $0.word == word })?.type else {
      note("\(path): the attribute type \(word)")
      return nil
    }
    let facts = element.attributes
    var attribute = Attribute(
      name: name,
      type: type,
      isOptional: facts["optional"] == "YES",
      isTransient: facts["transient"] == "YES",
      renamingIdentifier: facts["elementID"],
      allowsExternalStorage: facts["allowsExternalBinaryDataStorage"] == "YES",
      preservesValueOnDeletion: facts["preserveAfterDeletion"] == "YES",
      derivation: facts["derivationExpression"],
      transformerName: facts["valueTransformerName"],
      valueClassName: facts["customClassName"],
      isIndexedBySpotlight: facts["spotlightIndexingEnabled"] == "YES",
      pattern: facts["regularExpressionString"],
      versionHashModifier: facts["versionHashModifier"]
    )
    let boundType = type == .string ? AttributeType.integer64 : type
    attribute.defaultValue = value("default", of: element, type: type)
    attribute.minimum = value("min", of: element, type: boundType)
    attribute.maximum = value("max", of: element, type: boundType)
    attribute.elements = composite?.elements ?? []
    if type == .composite, composite == nil { note("\(path): which composite type it has") }
    for child in element.children {
      if child.name == "userInfo" {
        attribute.userInfo = userInfo(child)
      } else {
        note("\(path): the element '\(child.name)'")
      }
    }
    return attribute
  }

  /// The composite type that an attribute names.
  ///
  /// Under which key it does so was not seen in a real file: any is taken whose value is the name
  /// of a composite of this model.
  private func compositeType(
    of element: MarkupElement
  ) -> (key: String, elements: [Attribute])? {
    element.attributes.sorted { $0.key < $1.key }.lazy
      .filter { $0.key != "name" && $0.key != "attributeType" }
      .compactMap { key, value in self.composites[value].map { (key, $0) } }.first
  }

  /// The value of `defaultValueString` and its like, or of `defaultDateTimeInterval` for dates.
  private func value(_ prefix: String, of element: MarkupElement, type: AttributeType) -> Value {
    let key = type == .date ? "\(prefix)DateTimeInterval" : "\(prefix)ValueString"
    guard let text = element.attributes[key] else { return .null }
    if let value = XcodeModelReader.value(of: text, type: type) { return value }
    report("'\(key)' cannot be '\(text)' for an attribute of type \(type.name)", at: element)
    return .null
  }

  private static func value(of text: String, type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64:
      // The editor writes whole numbers as `0.0` where the type was another one before.
      Int64(text).map { .integer($0) }
        ?? Double(text).flatMap { Int64(exactly: $0) }.map { .integer($0) }
    case .boolean:
      ["YES", "1", "true"].contains(text)
        ? .integer(1) : ["NO", "0", "false"].contains(text) ? .integer(0) : nil
    case .double, .float, .date: Double(text).map { .real($0) }
    case .decimal: Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
    case .string, .uri: .text(text)
    case .uuid: UUIDText.bytes(of: text).map { .blob($0) }
    case .binary, .transformable, .objectID, .composite: nil
    }
  }

  mutating func relationship(_ element: MarkupElement, of entity: String) -> Relationship? {
    guard let name = required("name", of: element),
      let destination = required("destinationEntity", of: element)
    else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: XcodeModelReader.relationshipKeys, as: path)
    let facts = element.attributes
    let isToMany = facts["toMany"] == "YES"
    let word = facts["deletionRule"] ?? "Nullify"
    let rule = XcodeModelReader.rules.first { $0.word == word }?.rule
    if rule == nil { report("the delete rule '\(word)' is unknown", at: element) }
    var relationship = Relationship(
      name: name,
      destination: destination,
      inverse: facts["inverseName"],
      isToMany: isToMany,
      isOrdered: facts["ordered"] == "YES",
      isOptional: facts["optional"] == "YES",
      isTransient: facts["transient"] == "YES",
      minimumCount: count("minCount", of: element) ?? 0,
      maximumCount: isToMany ? count("maxCount", of: element) : 1,
      deleteRule: rule ?? .nullify,
      isIndexedBySpotlight: facts["spotlightIndexingEnabled"] == "YES",
      renamingIdentifier: facts["elementID"],
      versionHashModifier: facts["versionHashModifier"]
    )
    for child in element.children {
      if child.name == "userInfo" {
        relationship.userInfo = userInfo(child)
      } else {
        note("\(path): the element '\(child.name)'")
      }
    }
    return relationship
  }

  private func count(_ key: String, of element: MarkupElement) -> Int? {
    guard let text = element.attributes[key] else { return nil }
    if let count = Int(text), count >= 0 { return count }
    report("'\(key)' must be a count, not '\(text)'", at: element)
    return nil
  }
}

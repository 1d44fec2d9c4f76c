extension XcodeModelReader {
  private static let attributeKeys: Set<String> = [
    "name", "attributeType", "optional", "transient", "defaultValueString",
    "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
    "maxDateTimeInterval", "regularExpressionString", "elementID", "renamingIdentifier",
    "versionHashModifier", "allowsExternalBinaryDataStorage", "preserveAfterDeletion",
    "preservesValueInHistoryOnDeletion", "derived", "derivationExpression", "composite",
    "valueTransformerName", "customClassName", "spotlightIndexingEnabled", "indexed",
    // Ignore settings for generated code, synchronization and cloud encryption, which do not affect
    // a store.
    "usesScalarValueType", "syncable", "storedInTruthFile", "allowsCloudEncryption",
  ]
  private static let relationshipKeys: Set<String> = [
    "name", "optional", "transient", "toMany", "ordered", "minCount", "maxCount", "deletionRule",
    "destinationEntity", "inverseName", "inverseEntity", "elementID", "renamingIdentifier",
    "versionHashModifier", "spotlightIndexingEnabled", "syncable", "indexed", "storedInTruthFile",
  ]
  private static let types: [String: AttributeType] = [
    "undefined": .undefined, "integer16": .integer16, "integer32": .integer32,
    "integer64": .integer64, "decimal": .decimal, "double": .double, "float": .float,
    "string": .string, "boolean": .boolean, "date": .date, "binary": .binary,
    "binarydata": .binary, "uuid": .uuid, "uri": .uri, "transformable": .transformable,
    "objectid": .objectID, "composite": .composite,
  ]
  private static let rules: [String: DeleteRule] = [
    "nullify": .nullify, "cascade": .cascade, "deny": .deny, "no action": .noAction,
  ]

  mutating func attribute(_ element: MarkupReader.Element, of entity: String) -> Attribute? {
    guard let name = name(of: element) else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: Self.attributeKeys, as: path)
    let type = type(of: element, as: path)
    let facts = element.attributes
    var attribute = Attribute(
      name: name,
      type: type,
      isOptional: element.isSet("optional"),
      isTransient: element.isSet("transient"),
      renamingIdentifier: element.renamingIdentifier,
      allowsExternalStorage: element.isSet("allowsExternalBinaryDataStorage"),
      preservesValueOnDeletion: element.isSet("preserveAfterDeletion")
        || element.isSet("preservesValueInHistoryOnDeletion"),
      derivation: element.value("derivationExpression"),
      transformerName: element.value("valueTransformerName"),
      valueClassName: element.value("customClassName"),
      isIndexedBySpotlight: element.isSet("spotlightIndexingEnabled"),
      pattern: element.value("regularExpressionString"),
      versionHashModifier: element.value("versionHashModifier")
    )
    let boundType = type == .string ? AttributeType.integer64 : type
    attribute.defaultValue = value("default", of: element, type: type, as: path)
    attribute.minimum = value("min", of: element, type: boundType, as: path)
    attribute.maximum = value("max", of: element, type: boundType, as: path)
    if type == .composite { attribute.elements = elements(of: element, as: path) }
    if element.isSet("derived"), facts["derivationExpression"] == nil {
      unknownNotes.add("\(path): its derivation is empty", at: element.place, action: "ignored")
    }
    attribute.userInfo = userInfo(in: element, as: path)
    return attribute
  }

  private mutating func type(of element: MarkupReader.Element, as path: String) -> AttributeType {
    let word = element.value("attributeType") ?? "Undefined"
    let type = Self.types[word.lowercased().filter { $0 != " " }]
    let action = "kept without a column"
    if type == nil {
      unknownNotes.add("\(path): the type '\(word)' is unknown", at: element.place, action: action)
    } else if type == .undefined, !element.isSet("transient") {
      unusualNotes.add("\(path): it is stored but has no type", at: element.place, action: action)
    } else if type == .objectID, !element.isSet("transient") {
      let note = "\(path): a store keeps no object IDs"
      unusualNotes.add(note, at: element.place, action: action)
    }
    return type ?? .undefined
  }

  private mutating func elements(of element: MarkupReader.Element, as path: String) -> [Attribute] {
    guard let name = element.value("composite"), let composite = composites[name],
      openComposites.insert(name).inserted
    else {
      let note = "\(path): its composite type '\(element.value("composite") ?? "")' is not declared"
      unusualNotes.add(note, at: element.place, action: "kept without elements")
      return []
    }
    defer { openComposites.remove(name) }
    return composite.children(named: "attribute").compactMap { attribute($0, of: name) }
  }

  private mutating func value(
    _ prefix: String,
    of element: MarkupReader.Element,
    type: AttributeType,
    as path: String
  ) -> Value {
    let isDate = type == .date
    let key = isDate ? "\(prefix)DateTimeInterval" : "\(prefix)ValueString"
    // Only older versions of the editor wrote dates as text; Apple's tools ignore such values.
    let text = element.attributes[key] ?? (isDate ? element.value("\(prefix)ValueString") : nil)
    guard let text else { return .null }
    if let value = Self.value(of: text, type: type) { return value }
    // The editor may leave an empty string after a change of type, for example to binary.
    if text.isEmpty { return .null }
    let note = "\(path): \(key) '\(text.prefix(60))' is not a value of type \(type.name)"
    unusualNotes.add(note, at: element.place, action: "ignored, as Apple's tools do")
    return .null
  }

  private static func value(of text: String, type: AttributeType) -> Value? {
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
    let truth = Bool(editorText: text).map { $0 ? Int64(1) : 0 }
    switch type {
    case .integer16, .integer32, .integer64:
      // The editor may leave `0.0` or YES in an integer attribute after a change of type.
      return (Int64(text) ?? number.flatMap { Int64(exactly: $0) } ?? truth).map { .integer($0) }
    case .boolean:
      let zero = number.flatMap { [0, 1].contains($0) ? Int64($0) : nil }
      return (truth ?? zero).map { .integer($0) }
    case .double, .float: return (number ?? truth.map(Double.init)).map { .real($0) }
    case .date: return number.map { .real($0) }
    case .decimal: return Int64(text).map { .integer($0) } ?? number.map { .real($0) }
    case .string, .uri: return .text(text)
    case .uuid: return UUIDText.bytes(of: text).map { .blob($0) }
    case .undefined, .binary, .transformable, .objectID, .composite: return nil
    }
  }

  mutating func relationship(_ element: MarkupReader.Element, of entity: String) -> Relationship? {
    guard let name = name(of: element) else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: Self.relationshipKeys, as: path)
    guard let destination = element.value("destinationEntity") else {
      unusualNotes.add("\(path): it has no destination", at: element.place, action: "left out")
      return nil
    }
    let word = element.value("deletionRule") ?? "Nullify"
    let rule = Self.rules[word.lowercased()]
    if rule == nil {
      let note = "\(path): the delete rule '\(word)' is unknown"
      unknownNotes.add(note, at: element.place, action: "taken as Nullify")
    }
    let maximum = count("maxCount", of: element, as: path)
    var isToMany = element.isSet("toMany")
    if isToMany, maximum == 1 {
      // Core Data treats any relationship with a maximum of 1 as to-one.
      let note = "\(path): it is to-many with a maximum of 1"
      unusualNotes.add(note, at: element.place, action: "taken as a to-one")
      isToMany = false
    }
    return Relationship(
      name: name,
      destination: destination,
      inverse: element.value("inverseName"),
      isToMany: isToMany,
      isOrdered: element.isSet("ordered"),
      isOptional: element.isSet("optional"),
      isTransient: element.isSet("transient"),
      minimumCount: count("minCount", of: element, as: path) ?? 0,
      maximumCount: isToMany ? maximum : 1,
      deleteRule: rule ?? .nullify,
      isIndexedBySpotlight: element.isSet("spotlightIndexingEnabled"),
      renamingIdentifier: element.renamingIdentifier,
      versionHashModifier: element.value("versionHashModifier"),
      userInfo: userInfo(in: element, as: path)
    )
  }

  private mutating func count(
    _ key: String,
    of element: MarkupReader.Element,
    as path: String
  ) -> Int? {
    guard let text = element.value(key) else { return nil }
    if let count = Int(text), count >= 0 { return count }
    let note = "\(path): \(key) '\(text.prefix(60))' is not a number of objects"
    unusualNotes.add(note, at: element.place, action: "ignored")
    return nil
  }
}

extension MarkupReader.Element {
  func value(_ key: String) -> String? {
    attributes[key].flatMap { $0.isEmpty ? nil : $0 }
  }

  func isSet(_ key: String) -> Bool {
    attributes[key].flatMap(Bool.init(editorText:)) ?? false
  }

  var renamingIdentifier: String? {
    value("elementID") ?? value("renamingIdentifier")
  }
}

extension Bool {
  fileprivate init?(editorText text: String) {
    switch text.lowercased() {
    case "yes", "true", "1": self = true
    case "no", "false", "0": self = false
    default: return nil
    }
  }
}

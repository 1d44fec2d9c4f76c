/// Reads the XML of Xcode's model editor: the `contents` of an `.xcdatamodel`.
struct XcodeModelReader {
  private let diagnostics: Diagnostics
  /// By name, what is not understood and therefore not kept.
  private(set) var unknown: [String] = []
  private(set) var isUsedWithCloudKit = false
  /// The attributes inside each composite type that the model declares.
  private var composites: [String: [Attribute]] = [:]

  init(diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

  /// The model of the top element, or `nil` after reporting why there is none.
  mutating func model(_ root: MarkupReader.Element) -> Model? {
    guard root.name == "model" else {
      diagnostics.report("the file holds no model but '\(root.name)'", at: root.place)
      return nil
    }
    check(root, knows: Self.modelKeys, as: "the model")
    isUsedWithCloudKit = root.attributes["usedWithCloudKit"] == "YES"
    readComposites(root)
    var entities: [Entity] = []
    var configurations: [String: [String]] = [:]
    for child in root.children {
      switch child.name {
      case "entity": if let entity = entity(child) { entities.append(entity) }
      case "configuration":
        check(child, knows: ["name", "usedWithCloudKit"], as: "a configuration")
        if child.attributes["usedWithCloudKit"] == "YES" { isUsedWithCloudKit = true }
        let members = child.children(named: "memberEntity").compactMap { $0.attributes["name"] }
        configurations[child.attributes["name"] ?? ""] = members
      // Where the editor draws the entities.
      case "elements", "composite", "compositeAttribute": break
      default: note("the element '\(child.name)' \(child.attributes["name"] ?? "")")
      }
    }
    let identifier = root.attributes["userDefinedModelVersionIdentifier"] ?? ""
    return Model(
      entities: entities,
      versionIdentifiers: [identifier],
      configurations: configurations
    )
  }

  private mutating func note(_ text: String) {
    if !unknown.contains(text) { unknown.append(text) }
  }

  /// Notes every attribute of an element that is not among those known.
  private mutating func check(
    _ element: MarkupReader.Element,
    knows keys: Set<String>,
    as what: String
  ) {
    for key in element.attributes.keys.sorted() where !keys.contains(key) {
      note("\(what): \(key)=\"\(element.attributes[key] ?? "")\"")
    }
  }

  private func report(_ message: String, at element: MarkupReader.Element) {
    diagnostics.report(message, at: element.place)
  }

  /// The value of an attribute that has to be there.
  private func required(_ key: String, of element: MarkupReader.Element) -> String? {
    if let value = element.attributes[key] { return value }
    report("the element '\(element.name)' lacks '\(key)'", at: element)
    return nil
  }

  private static let modelKeys: Set<String> = [
    "userDefinedModelVersionIdentifier", "usedWithCloudKit",
    // Which tools wrote the file, and for which.
    "type", "name", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "macOSVersion", "iOSVersion", "sourceLanguage", "usedWithSwiftData",
  ]

  /// Reads the composite types, which attributes of any entity may have.
  private mutating func readComposites(_ root: MarkupReader.Element) {
    for element in root.children where ["composite", "compositeAttribute"].contains(element.name) {
      guard let name = required("name", of: element) else { continue }
      composites[name] = element.children(named: "attribute").compactMap {
        attribute($0, of: name)
      }
    }
  }

  /// What says nothing about the model itself: code generation and synchronisation.
  private static let entityKeys: Set<String> = [
    "name", "representedClassName", "isAbstract", "parentEntity", "elementID",
    "versionHashModifier", "syncable", "codeGenerationType",
  ]

  private mutating func entity(_ element: MarkupReader.Element) -> Entity? {
    guard let name = required("name", of: element) else { return nil }
    check(element, knows: Self.entityKeys, as: name)
    var entity = Entity(
      name: name,
      className: element.attributes["representedClassName"].flatMap { $0.isEmpty ? nil : $0 }
        ?? Entity.genericClassName,
      isAbstract: element.attributes["isAbstract"] == "YES",
      superentity: element.attributes["parentEntity"],
      renamingIdentifier: element.attributes["elementID"],
      versionHashModifier: element.attributes["versionHashModifier"]
    )
    var indexed: [String] = []
    for child in element.children {
      switch child.name {
      case "attribute":
        if let attribute = attribute(child, of: name) { entity.attributes.append(attribute) }
        if child.attributes["indexed"] == "YES" {
          indexed += child.attributes["name"].map { [$0] } ?? []
        }
      case "relationship":
        if let relationship = relationship(child, of: name) {
          entity.relationships.append(relationship)
        }
      case "fetchIndex":
        if let index = fetchIndex(child, of: name) { entity.fetchIndexes.append(index) }
      case "uniquenessConstraints":
        entity.uniquenessConstraints = lists(child, of: "uniquenessConstraint", "constraint")
      case "compoundIndexes": addCompoundIndexes(child, to: &entity)
      case "userInfo": entity.userInfo = userInfo(child)
      default: note("\(name): the element '\(child.name)' \(child.attributes["name"] ?? "")")
      }
    }
    addIndexesOfAttributes(indexed, to: &entity)
    return entity
  }

  /// The user info among a property's children; any other child is noted.
  private mutating func userInfo(in element: MarkupReader.Element, as path: String) -> [String:
    String]
  {
    var pairs: [String: String] = [:]
    for child in element.children {
      if child.name == "userInfo" {
        pairs = userInfo(child)
      } else {
        note("\(path): the element '\(child.name)'")
      }
    }
    return pairs
  }

  private func userInfo(_ element: MarkupReader.Element) -> [String: String] {
    var pairs: [String: String] = [:]
    for entry in element.children(named: "entry") {
      guard let key = entry.attributes["key"] else { continue }
      pairs[key] = entry.attributes["value"] ?? ""
    }
    return pairs
  }
}

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

  private mutating func attribute(_ element: MarkupReader.Element, of entity: String) -> Attribute?
  {
    guard let name = required("name", of: element),
      let word = required("attributeType", of: element)
    else { return nil }
    let path = "\(entity).\(name)"
    let composite = word == "Composite" ? compositeType(of: element) : nil
    check(
      element,
      knows: Self.attributeKeys.union(composite.map { [$0.key] } ?? []),
      as: path
    )
    guard let type = Self.types.first(where: { $0.word == word })?.type else {
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
    attribute.userInfo = userInfo(in: element, as: path)
    return attribute
  }

  /// The composite type that an attribute names.
  ///
  /// Under which key it does so was not seen in a real file: any is taken whose value is the name
  /// of a composite of this model.
  private func compositeType(
    of element: MarkupReader.Element
  ) -> (key: String, elements: [Attribute])? {
    element.attributes.sorted { $0.key < $1.key }.lazy
      .filter { $0.key != "name" && $0.key != "attributeType" }
      .compactMap { key, value in self.composites[value].map { (key, $0) } }.first
  }

  /// The value of `defaultValueString` and its like, or of `defaultDateTimeInterval` for dates.
  private func value(_ prefix: String, of element: MarkupReader.Element, type: AttributeType)
    -> Value
  {
    let key = type == .date ? "\(prefix)DateTimeInterval" : "\(prefix)ValueString"
    guard let text = element.attributes[key] else { return .null }
    if let value = Self.value(of: text, type: type) { return value }
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

  private mutating func relationship(_ element: MarkupReader.Element, of entity: String)
    -> Relationship?
  {
    guard let name = required("name", of: element),
      let destination = required("destinationEntity", of: element)
    else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: Self.relationshipKeys, as: path)
    let facts = element.attributes
    let isToMany = facts["toMany"] == "YES"
    let word = facts["deletionRule"] ?? "Nullify"
    let rule = Self.rules.first { $0.word == word }?.rule
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
    relationship.userInfo = userInfo(in: element, as: path)
    return relationship
  }

  private func count(_ key: String, of element: MarkupReader.Element) -> Int? {
    guard let text = element.attributes[key] else { return nil }
    if let count = Int(text), count >= 0 { return count }
    report("'\(key)' must be a count, not '\(text)'", at: element)
    return nil
  }
}

extension XcodeModelReader {
  /// The values of elements two levels down, such as the attributes of unique constraints.
  private mutating func lists(_ element: MarkupReader.Element, of item: String, _ part: String)
    -> [[String]]
  {
    for other in element.children where other.name != item {
      note("\(element.name): the element '\(other.name)'")
    }
    return element.children(named: item).map { list in
      for other in list.children where other.name != part || other.attributes["value"] == nil {
        note("\(item): an element '\(other.name)' without a value")
      }
      return list.children(named: part).compactMap { $0.attributes["value"] }
    }
  }

  private mutating func addCompoundIndexes(_ element: MarkupReader.Element, to entity: inout Entity)
  {
    for (number, properties) in lists(element, of: "compoundIndex", "index").enumerated() {
      entity.fetchIndexes.append(FetchIndex(compound: properties, number: number))
    }
  }

  /// Adds the indexes that the frameworks make of attributes that are indexed alone.
  ///
  /// Apple's compiler marks such an attribute as indexed, and the frameworks give each an index of
  /// its own name before all others: every real store of such a model has both.
  private func addIndexesOfAttributes(_ marked: [String], to entity: inout Entity) {
    var names: [String] = []
    for index in entity.fetchIndexes where index.elements.count == 1 {
      let element = index.elements[0]
      let isPlain = element.kind == .binary && element.isAscending
      let isAttribute = entity.attribute(named: element.property) != nil
      if isPlain, isAttribute { names.append(element.property) }
    }
    var seen = Set(entity.fetchIndexes.map(\.name))
    let missing = (names + marked).filter { seen.insert($0).inserted }
    entity.fetchIndexes.insert(contentsOf: missing.map(FetchIndex.init(ofAttribute:)), at: 0)
  }

  private mutating func fetchIndex(_ element: MarkupReader.Element, of entity: String)
    -> FetchIndex?
  {
    guard let name = required("name", of: element) else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: ["name", "partialIndexPredicate"], as: path)
    var elements: [FetchIndex.Element] = []
    for child in element.children {
      check(
        child,
        knows: ["property", "expression", "expressionType", "type", "order"],
        as: path
      )
      // An expression such as `entity` takes the place of a property.
      guard let property = child.attributes["property"] ?? child.attributes["expression"] else {
        note("\(path): the element '\(child.name)'")
        continue
      }
      let isRTree = child.attributes["type"] == "RTree"
      elements.append(
        FetchIndex.Element(
          property: property,
          isAscending: child.attributes["order"] != "descending",
          kind: isRTree ? .rTree : .binary
        )
      )
    }
    // The key of the predicate is assumed to be the property's name; no real file shows one.
    return FetchIndex(
      name: name,
      elements: elements,
      partialPredicate: element.attributes["partialIndexPredicate"]
    )
  }
}

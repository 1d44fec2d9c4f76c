/// Reads the XML of Xcode's model editor: the `contents` of an `.xcdatamodel`.
///
/// Whatever Xcode compiles is read. What is not understood, and what says nothing that a store could
/// hold, is noted with its place and with what was done instead (coredata-format.md, section 16).
struct XcodeModelReader {
  private let diagnostics: Diagnostics
  private var unknownNotes = ModelNotes()
  private var unusualNotes = ModelNotes()
  private(set) var isUsedWithCloudKit = false
  /// The composite types that the model declares, by name, and those being read.
  private var composites: [String: MarkupReader.Element] = [:]
  private var openComposites: Set<String> = []
  private var places: [[String?]: Place] = [:]

  init(diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

  /// What is not understood: each with its line and the action taken.
  var unknown: [String] { unknownNotes.sentences }
  /// What a store cannot hold as it stands: each with its line and the action taken.
  var unusual: [String] { unusualNotes.sentences }

  /// The model of the top element, or `nil` after reporting why there is none.
  mutating func model(_ root: MarkupReader.Element) -> Model? {
    guard root.name == "model" else {
      let message = "the file holds no model but '\(root.name)'; give the contents of an .xcdatamodel"
      diagnostics.report(message, at: root.place)
      return nil
    }
    check(root, knows: Self.modelKeys, as: "the model")
    isUsedWithCloudKit = root.isSet("usedWithCloudKit")
    for element in root.children where ["composite", "compositeAttribute"].contains(element.name) {
      if let name = name(of: element) { composites[name] = element }
    }
    var entities: [Entity] = []
    var configurations: [String: [String]] = [:]
    var fetchRequests: [FetchRequestTemplate] = []
    for child in root.children {
      switch child.name {
      case "entity": if let entity = entity(child) { entities.append(entity) }
      case "configuration":
        check(child, knows: ["name", "usedWithCloudKit"], as: "a configuration")
        if child.isSet("usedWithCloudKit") { isUsedWithCloudKit = true }
        let members = child.children(named: "memberEntity").compactMap { $0.attributes["name"] }
        configurations[child.attributes["name"] ?? "", default: []] += members
      case "fetchRequest": fetchRequests.append(fetchRequest(child))
      // Where the editor draws the entities.
      case "elements", "composite", "compositeAttribute": break
      default: noteElement(child, of: "the model")
      }
    }
    return usable(
      Model(
        entities: entities,
        versionIdentifiers: [root.attributes["userDefinedModelVersionIdentifier"] ?? ""],
        configurations: configurations,
        fetchRequests: fetchRequests
      )
    )
  }

  /// The model as a store can hold it, with a note of everything that something is done about.
  private mutating func usable(_ model: Model) -> Model {
    let (usable, problems) = model.workable()
    for problem in problems {
      let place = places[[problem.entity, problem.part]] ?? places[[problem.entity, nil]]
      let action = problem.remedy?.action ?? ""
      unusualNotes.add(problem.description, at: place, action: action)
    }
    return usable
  }

  private mutating func noteElement(_ element: MarkupReader.Element, of what: String) {
    let name = element.attributes["name"].map { " '\($0)'" } ?? ""
    unknownNotes.add(
      "\(what): the element <\(element.name)>\(name) is unknown",
      at: element.place,
      action: "left out",
      kind: element.name
    )
  }

  /// Notes every attribute of an element that is not among those known, once for each kind.
  private mutating func check(
    _ element: MarkupReader.Element,
    knows keys: Set<String>,
    as what: String
  ) {
    for key in element.attributes.keys.sorted() where !keys.contains(key) {
      unknownNotes.add(
        "\(what): \(key)=\"\(element.attributes[key] ?? "")\" is unknown",
        at: element.place,
        action: "ignored",
        kind: "\(element.name) \(key)"
      )
    }
  }

  /// The name of an element that cannot be used without one.
  private mutating func name(of element: MarkupReader.Element) -> String? {
    if let name = element.value("name") { return name }
    let note = "an element <\(element.name)> has no name"
    unusualNotes.add(note, at: element.place, action: "left out", kind: note)
    return nil
  }

  private static let modelKeys: Set<String> = [
    "userDefinedModelVersionIdentifier", "usedWithCloudKit",
    // Which tools wrote the file, and for which.
    "type", "name", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "macOSVersion", "iOSVersion", "tvOSVersion", "watchOSVersion",
    "visionOSVersion", "sourceLanguage", "usedWithSwiftData",
  ]

  /// Besides what is read: code generation, synchronization and Spotlight, which no store holds.
  private static let entityKeys: Set<String> = [
    "name", "representedClassName", "isAbstract", "parentEntity", "elementID",
    "renamingIdentifier", "versionHashModifier", "syncable", "codeGenerationType",
    "coreSpotlightDisplayNameExpression",
  ]

  private mutating func entity(_ element: MarkupReader.Element) -> Entity? {
    guard let name = name(of: element) else { return nil }
    check(element, knows: Self.entityKeys, as: name)
    places[[name, nil]] = element.place
    var entity = Entity(
      name: name,
      className: element.value("representedClassName") ?? Entity.genericClassName,
      isAbstract: element.isSet("isAbstract"),
      superentity: element.value("parentEntity"),
      renamingIdentifier: element.renamingIdentifier,
      versionHashModifier: element.value("versionHashModifier")
    )
    var (indexed, compound): ([String], [[String]]) = ([], [])
    for child in element.children {
      places[[name, child.attributes["name"]]] = child.place
      switch child.name {
      case "attribute":
        guard let attribute = attribute(child, of: name) else { continue }
        entity.attributes.append(attribute)
        if child.isSet("indexed") { indexed.append(attribute.name) }
      case "relationship":
        if let relationship = relationship(child, of: name) {
          entity.relationships.append(relationship)
        }
      case "fetchedProperty":
        if let property = fetchedProperty(child, of: name) {
          entity.fetchedProperties.append(property)
        }
      case "fetchIndex":
        if let index = fetchIndex(child, of: name) { entity.fetchIndexes.append(index) }
      case "uniquenessConstraints":
        entity.uniquenessConstraints += lists(child, of: "uniquenessConstraint", "constraint")
      case "compoundIndexes": compound += lists(child, of: "compoundIndex", "index")
      case "userInfo": entity.userInfo = userInfo(child)
      default: noteElement(child, of: name)
      }
    }
    // The editor turns old compound indexes into fetch indexes and keeps both.
    if entity.fetchIndexes.isEmpty {
      entity.fetchIndexes = compound.enumerated().map {
        FetchIndex(compound: $0.element, number: $0.offset)
      }
    }
    addIndexesOfAttributes(indexed, to: &entity)
    return entity
  }

  /// The user info among a property's children; any other child is noted.
  private mutating func userInfo(
    in element: MarkupReader.Element,
    as path: String,
    besides known: String? = nil
  ) -> [String: String] {
    var pairs: [String: String] = [:]
    for child in element.children where child.name != known {
      if child.name == "userInfo" {
        pairs = userInfo(child)
      } else {
        noteElement(child, of: path)
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

extension MarkupReader.Element {
  /// The text of an attribute, unless it is empty, which the editor writes for nothing.
  fileprivate func value(_ key: String) -> String? {
    attributes[key].flatMap { $0.isEmpty ? nil : $0 }
  }

  fileprivate func isSet(_ key: String) -> Bool {
    attributes[key].flatMap(Bool.init(editorText:)) ?? false
  }

  /// The former name; the editor has written it under both keys.
  fileprivate var renamingIdentifier: String? {
    value("elementID") ?? value("renamingIdentifier")
  }
}

extension Bool {
  /// The editor's YES and NO, and what people write for them.
  fileprivate init?(editorText text: String) {
    switch text.lowercased() {
    case "yes", "true", "1": self = true
    case "no", "false", "0": self = false
    default: return nil
    }
  }
}

extension XcodeModelReader {
  private static let attributeKeys: Set<String> = [
    "name", "attributeType", "optional", "transient", "defaultValueString",
    "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
    "maxDateTimeInterval", "regularExpressionString", "elementID", "renamingIdentifier",
    "versionHashModifier", "allowsExternalBinaryDataStorage", "preserveAfterDeletion",
    "preservesValueInHistoryOnDeletion", "derived", "derivationExpression", "composite",
    "valueTransformerName", "customClassName", "spotlightIndexingEnabled", "indexed",
    // What generated code, synchronization and encryption in the cloud look like.
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

  private mutating func attribute(_ element: MarkupReader.Element, of entity: String) -> Attribute?
  {
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
      unknownNotes.add("\(path): it is derived from nothing", at: element.place, action: "ignored")
    }
    attribute.userInfo = userInfo(in: element, as: path)
    return attribute
  }

  /// An attribute without a type is what the editor calls undefined.
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

  /// The attributes inside a composite attribute, which may have composites inside.
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

  /// The value of `defaultValueString` and its like, or of `defaultDateTimeInterval` for dates.
  private mutating func value(
    _ prefix: String,
    of element: MarkupReader.Element,
    type: AttributeType,
    as path: String
  ) -> Value {
    let isDate = type == .date
    let key = isDate ? "\(prefix)DateTimeInterval" : "\(prefix)ValueString"
    // Only the editor's older versions wrote dates as texts; the tools do not read them.
    let text = element.attributes[key] ?? (isDate ? element.value("\(prefix)ValueString") : nil)
    guard let text else { return .null }
    if let value = Self.value(of: text, type: type) { return value }
    // Left over from another type, as a text is of a binary attribute.
    if text.isEmpty { return .null }
    let note = "\(path): \(key) '\(text.prefix(60))' is no value of type \(type.name)"
    unusualNotes.add(note, at: element.place, action: "ignored, as Apple's tools do")
    return .null
  }

  private static func value(of text: String, type: AttributeType) -> Value? {
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
    let truth = Bool(editorText: text).map { $0 ? Int64(1) : 0 }
    switch type {
    case .integer16, .integer32, .integer64:
      // The editor writes `0.0` or YES where the type was another one before.
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

  private mutating func relationship(
    _ element: MarkupReader.Element,
    of entity: String
  ) -> Relationship? {
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
      // The frameworks take any relationship with a maximum of 1 as a to-one.
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
    let note = "\(path): \(key) '\(text.prefix(60))' is no count"
    unusualNotes.add(note, at: element.place, action: "ignored")
    return nil
  }
}

/// Fetch requests and fetched properties, indexes and unique constraints.
extension XcodeModelReader {
  private func fetchRequest(_ element: MarkupReader.Element) -> FetchRequestTemplate {
    let read: Set<String> = ["name", "entity", "predicateString"]
    return FetchRequestTemplate(
      name: element.attributes["name"] ?? "",
      entity: element.value("entity"),
      predicate: element.value("predicateString"),
      settings: element.attributes.filter { !read.contains($0.key) }
    )
  }

  private mutating func fetchedProperty(
    _ element: MarkupReader.Element,
    of entity: String
  ) -> FetchedProperty? {
    guard let name = name(of: element) else { return nil }
    let path = "\(entity).\(name)"
    let keys: Set<String> = [
      "name", "optional", "transient", "syncable", "elementID", "versionHashModifier", "indexed",
      "spotlightIndexingEnabled",
    ]
    check(element, knows: keys, as: path)
    let request = element.children(named: "fetchRequest").first.map(fetchRequest)
    return FetchedProperty(
      name: name,
      request: request ?? FetchRequestTemplate(name: ""),
      userInfo: userInfo(in: element, as: path, besides: "fetchRequest")
    )
  }

  /// The values of elements two levels down, such as the attributes of unique constraints.
  private mutating func lists(_ element: MarkupReader.Element, of item: String, _ part: String)
    -> [[String]]
  {
    for other in element.children where other.name != item { noteElement(other, of: element.name) }
    return element.children(named: item).map { list in
      for other in list.children where other.name != part || other.attributes["value"] == nil {
        noteElement(other, of: item)
      }
      return list.children(named: part).compactMap { $0.attributes["value"] }
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

  /// Keys of a partial index's predicate: no real file shows one, so that all likely ones are read.
  private static let predicateKeys = [
    "partialIndexPredicate", "partialIndexPredicateString", "predicateString", "predicate",
  ]

  private mutating func fetchIndex(
    _ element: MarkupReader.Element,
    of entity: String
  ) -> FetchIndex? {
    guard let name = name(of: element) else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: Set(["name"] + Self.predicateKeys), as: path)
    var elements: [FetchIndex.Element] = []
    for child in element.children {
      let keys: Set<String> = ["property", "expression", "expressionType", "type", "order"]
      check(child, knows: keys, as: path)
      // An expression such as `entity` takes the place of a property.
      guard let property = child.value("property") ?? child.value("expression") else {
        let note = "\(path): an element names no property"
        unusualNotes.add(note, at: child.place, action: "the index is left out")
        return nil
      }
      let type = (child.value("type") ?? "Binary").lowercased().filter { $0 != "-" }
      if !["binary", "rtree"].contains(type) {
        let note = "\(path): the index type '\(type)' is unknown"
        unknownNotes.add(note, at: child.place, action: "taken as Binary")
      }
      elements.append(
        FetchIndex.Element(
          property: property,
          isAscending: child.attributes["order"]?.lowercased() != "descending",
          kind: type == "rtree" ? .rTree : .binary
        )
      )
    }
    return FetchIndex(
      name: name,
      elements: elements,
      partialPredicate: Self.predicateKeys.lazy.compactMap { element.value($0) }.first
    )
  }
}

/// Reads the `contents` of an `.xcdatamodel` from Xcode's model editor.
///
/// The reader accepts everything that Xcode compiles. Parts that are unknown, or that a store
/// cannot hold, are noted with their location and the action taken (coredata-format.md, section
/// 16).
struct XcodeModelReader {
  let diagnostics: Diagnostics
  var unknownNotes = ModelNotes()
  var unusualNotes = ModelNotes()
  private(set) var isUsedWithCloudKit = false
  var composites: [String: MarkupReader.Element] = [:]
  var openComposites: Set<String> = []
  var places: [[String?]: Place] = [:]

  var unknown: [String] { unknownNotes.sentences }
  var unusual: [String] { unusualNotes.sentences }

  mutating func model(_ root: MarkupReader.Element) -> Model? {
    guard root.name == "model" else {
      let message =
        "the file contains '\(root.name)' instead of a model; give the contents of an .xcdatamodel"
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
      // Ignore the positions of entities in the editor's diagram.
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

  mutating func check(_ element: MarkupReader.Element, knows keys: Set<String>, as what: String) {
    for key in element.attributes.keys.sorted() where !keys.contains(key) {
      unknownNotes.add(
        "\(what): \(key)=\"\(element.attributes[key] ?? "")\" is unknown",
        at: element.place,
        action: "ignored",
        kind: "\(element.name) \(key)"
      )
    }
  }

  mutating func name(of element: MarkupReader.Element) -> String? {
    if let name = element.value("name") { return name }
    let note = "an element <\(element.name)> has no name"
    unusualNotes.add(note, at: element.place, action: "left out", kind: note)
    return nil
  }

  private static let modelKeys: Set<String> = [
    "userDefinedModelVersionIdentifier", "usedWithCloudKit",
    // Ignore the names of tools and target systems.
    "type", "name", "documentVersion", "lastSavedToolsVersion", "systemVersion",
    "minimumToolsVersion", "macOSVersion", "iOSVersion", "tvOSVersion", "watchOSVersion",
    "visionOSVersion", "sourceLanguage", "usedWithSwiftData",
  ]

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
      if let part = child.attributes["name"] { places[[name, part]] = child.place }
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
    // Read compound indexes only if there are no fetch indexes, because the editor converts old
    // compound indexes to fetch indexes and keeps both.
    if entity.fetchIndexes.isEmpty {
      entity.fetchIndexes = compound.enumerated().map {
        FetchIndex(compound: $0.element, number: $0.offset)
      }
    }
    addIndexesOfAttributes(indexed, to: &entity)
    return entity
  }

  mutating func userInfo(
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
    let found = element.children(named: "fetchRequest").first.map(fetchRequest)
    var request = found ?? FetchRequestTemplate(name: "")
    request.name = ""
    return FetchedProperty(
      name: name,
      request: request,
      userInfo: userInfo(in: element, as: path, besides: "fetchRequest")
    )
  }

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

  /// Adds the index that Core Data creates for each attribute with a fetch index of its own.
  ///
  /// Apple's compiler marks such an attribute as indexed, so an index with its name precedes the
  /// model's fetch indexes. Every real store of such a model has both.
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

  /// The likely XML attributes for a partial index's predicate; no known file shows the actual
  /// name.
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
      // An index can contain an expression, such as `entity`, instead of a property.
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

/// Reads the XML of Xcode's model editor: the `contents` of an `.xcdatamodel`.
struct XcodeModelReader {
  private let diagnostics: Diagnostics
  /// By name, what is not understood and therefore not kept.
  private(set) var unknown: [String] = []
  private(set) var isUsedWithCloudKit = false
  /// The attributes inside each composite type that the model declares.
  private(set) var composites: [String: [Attribute]] = [:]

  init(diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

  /// The model of the top element, or `nil` after reporting why there is none.
  mutating func model(_ root: MarkupElement) -> Model? {
    guard root.name == "model" else {
      diagnostics.report("the file holds no model but '\(root.name)'", at: root.place)
      return nil
    }
    check(root, knows: XcodeModelReader.modelKeys, as: "the model")
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

  mutating func note(_ text: String) {
    if !unknown.contains(text) { unknown.append(text) }
  }

  /// Notes every attribute of an element that is not among those known.
  mutating func check(_ element: MarkupElement, knows keys: Set<String>, as what: String) {
    for key in element.attributes.keys.sorted() where !keys.contains(key) {
      note("\(what): \(key)=\"\(element.attributes[key] ?? "")\"")
    }
  }

  func report(_ message: String, at element: MarkupElement) {
    diagnostics.report(message, at: element.place)
  }

  /// The value of an attribute that has to be there.
  func required(_ key: String, of element: MarkupElement) -> String? {
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
  private mutating func readComposites(_ root: MarkupElement) {
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

  private mutating func entity(_ element: MarkupElement) -> Entity? {
    guard let name = required("name", of: element) else { return nil }
    check(element, knows: XcodeModelReader.entityKeys, as: name)
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

  func userInfo(_ element: MarkupElement) -> [String: String] {
    var pairs: [String: String] = [:]
    for entry in element.children(named: "entry") {
      guard let key = entry.attributes["key"] else { continue }
      pairs[key] = entry.attributes["value"] ?? ""
    }
    return pairs
  }
}

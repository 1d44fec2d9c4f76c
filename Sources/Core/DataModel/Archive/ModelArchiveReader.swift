struct ModelArchiveReader {
  /// The maximum number of entities, the same as in ``Model/problems()``.
  private static let mostEntities = 2000

  let decoder: ArchiveDecoder
  var propertyNames: [String: Set<String>] = [:]

  mutating func model() throws -> Model {
    let root = try decoder.required(decoder.root, "NSManagedObjectModel")
    decoder.check(
      root,
      knows: [
        "NSEntities", "NSVersionIdentifiers", "NSConfigurations", "NSFetchRequestTemplates",
        ModelArchive.OwnKey.fetchRequests,
        // Ignore the compiler's version numbers, which do not affect the model.
        "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
      ],
      as: "the model"
    )
    let templates = try decoder.entries(root.fields["NSFetchRequestTemplates"]).map {
      try decoder.fetchRequest($0.value, name: $0.key)
    }
    let ownTemplates = try decoder.entries(root.fields[ModelArchive.OwnKey.fetchRequests]).map {
      var request = try decoder.fetchedProperty(texts: $0.value, name: $0.key).request
      request.name = $0.key
      return request
    }
    let objects = try decoder.entries(root.fields["NSEntities"]).map {
      try decoder.required($0.value, "NSEntityDescription")
    }
    guard objects.count <= ModelArchiveReader.mostEntities else {
      throw decoder.damage("it has more than \(ModelArchiveReader.mostEntities) entities")
    }
    for object in objects {
      let name = try decoder.requiredString(object.fields["NSEntityName"], "an entity")
      let properties = try decoder.entries(object.fields["NSProperties"])
      propertyNames[name] = Set(properties.map(\.key))
    }
    return Model(
      entities: try objects.map { try entity($0) },
      versionIdentifiers: try decoder.items(root.fields["NSVersionIdentifiers"]).map {
        try decoder.requiredString($0, "a version identifier")
      },
      configurations: try configurations(root.fields["NSConfigurations"]),
      fetchRequests: templates + ownTemplates
    )
  }

  private func configurations(_ value: PropertyList?) throws -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for entry in try decoder.entries(value) {
      configurations[entry.key] = try decoder.items(entry.value).map { try entityName($0) }
    }
    return configurations
  }

  private func entityName(_ value: PropertyList?) throws -> String {
    let entity = try decoder.required(value, "NSEntityDescription")
    return try decoder.requiredString(entity.fields["NSEntityName"], "an entity")
  }

  private static let entityKeys: Set<String> = [
    "NSEntityName", "NSClassNameForEntity", "NSProperties", "NSSuperentity", "NSSubentities",
    "NSIsAbstract", "NSRenamingIdentifier", "NSVersionHashModifier", "NSUserInfo",
    "NSFetchIndexDescriptions", "NSUniqueTuples", "NSCompoundIndexes", "NSManagedObjectModel",
    "NSCoreSpotlightDisplayNameExpression", ModelArchive.OwnKey.fetchedProperties,
  ]

  private func entity(_ object: ArchiveDecoder.Object) throws -> Entity {
    let fields = object.fields
    let name = try decoder.requiredString(fields["NSEntityName"], "an entity")
    decoder.check(object, knows: ModelArchiveReader.entityKeys, as: name)
    let above = try decoder.object(fields["NSSuperentity"]).map {
      try decoder.requiredString($0.fields["NSEntityName"], "an entity")
    }
    let inherited = above.flatMap { propertyNames[$0] } ?? []
    var (attributes, relationships): ([Attribute], [Relationship]) = ([], [])
    let ownFetched = try decoder.entries(fields[ModelArchive.OwnKey.fetchedProperties])
    var fetched = try ownFetched.map { try decoder.fetchedProperty(texts: $0.value, name: $0.key) }
    var (indexed, unread): ([String], [String]) = ([], [])
    let reader = EntityArchiveReader(decoder: decoder, entity: name)
    for entry in try decoder.entries(fields["NSProperties"]) where !inherited.contains(entry.key) {
      let property = try reader.property(entry.value)
      if let attribute = property.attribute { attributes.append(attribute) }
      if let relationship = property.relationship { relationships.append(relationship) }
      if let property = property.fetched { fetched.append(property) }
      if property.isIndexed { indexed.append(entry.key) }
      if property.isUnread { unread.append(entry.key) }
    }
    var entity = Entity(
      name: name,
      className: try decoder.string(fields["NSClassNameForEntity"]) ?? Entity.genericClassName,
      isAbstract: fields["NSIsAbstract"] == .boolean(true),
      superentity: above,
      attributes: attributes,
      relationships: relationships,
      fetchedProperties: fetched,
      fetchIndexes: try reader.fetchIndexes(fields, indexed: indexed),
      uniquenessConstraints: try reader.lists(fields["NSUniqueTuples"]),
      renamingIdentifier: try decoder.string(fields["NSRenamingIdentifier"]),
      versionHashModifier: try decoder.string(fields["NSVersionHashModifier"]),
      userInfo: try decoder.userInfo(fields["NSUserInfo"], of: name)
    )
    entity.unreadProperties = unread
    return entity
  }
}

extension ArchiveDecoder {
  func userInfo(_ value: PropertyList?, of what: String) throws -> [String: String] {
    var pairs: [String: String] = [:]
    guard let entries = try? self.entries(value) else {
      // User info may contain arbitrary objects of the app, and its keys need not be strings.
      note("\(what): the user info")
      return pairs
    }
    for entry in entries {
      if let text = try string(entry.value) {
        pairs[entry.key] = text
      } else {
        note(
          "\(what): the user info value \(entry.key) is not a text",
          kind: "user info \(entry.key)"
        )
      }
    }
    return pairs
  }
}

extension ArchiveDecoder {
  func fetchRequest(_ value: PropertyList?, name: String) throws -> FetchRequestTemplate {
    guard let object = try object(value) else { return FetchRequestTemplate(name: name) }
    let fields = object.fields
    let entity = try self.object(fields["NSEntity"]).flatMap {
      try string($0.fields["NSEntityName"])
    }
    let predicate = try self.object(fields["NSPredicate"])
    let text = try predicate.flatMap { try predicateText($0) }
    if predicate != nil, text == nil { note("the predicate of the fetch request '\(name)'") }
    var settings: [String: String] = [:]
    for (key, archived) in [
      ("fetchLimit", "NSFetchLimit"), ("fetchBatchSize", "NSBatchSize"),
      ("resultType", "NSResultType"),
    ] {
      if let number = fields[archived]?.integer, number != 0 { settings[key] = "\(number)" }
    }
    return FetchRequestTemplate(name: name, entity: entity, predicate: text, settings: settings)
  }

  func fetchedProperty(texts value: PropertyList?, name: String) throws -> FetchedProperty {
    var property = FetchedProperty(name: name, request: FetchRequestTemplate(name: ""))
    for entry in try entries(value) {
      let text = try string(entry.value)
      let key = String(entry.key.dropFirst())
      switch entry.key.first {
      case ".": property.request.settings[key] = text
      case "/": property.userInfo[key] = text
      case "e": property.request.entity = text
      default: property.request.predicate = text
      }
    }
    return property
  }
}

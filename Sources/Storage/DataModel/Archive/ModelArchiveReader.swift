/// Reads the entities of an archived model.
struct ModelArchiveReader {
  /// As many as ``Model/problems()`` allows.
  private static let mostEntities = 2000

  private let decoder: ArchiveDecoder
  /// The names of all properties of an entity, inherited ones included.
  private var propertyNames: [String: Set<String>] = [:]

  init(decoder: ArchiveDecoder) {
    self.decoder = decoder
  }

  mutating func model() throws -> Model {
    let root = try decoder.required(decoder.root, "NSManagedObjectModel")
    decoder.check(
      root,
      knows: [
        "NSEntities", "NSVersionIdentifiers", "NSConfigurations", "NSFetchRequestTemplates",
        // Which compiler wrote the file says nothing about the model.
        "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
      ],
      as: "the model"
    )
    for template in try decoder.entries(root.fields["NSFetchRequestTemplates"]) {
      decoder.note("the fetch request template \(template.key)")
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
      configurations: try configurations(root.fields["NSConfigurations"])
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
    var indexed: [String] = []
    let reader = EntityArchiveReader(decoder: decoder, entity: name)
    for entry in try decoder.entries(fields["NSProperties"]) where !inherited.contains(entry.key) {
      let property = try reader.property(entry.value)
      if let attribute = property.attribute { attributes.append(attribute) }
      if let relationship = property.relationship { relationships.append(relationship) }
      if property.isIndexed { indexed.append(entry.key) }
    }
    return Entity(
      name: name,
      className: try decoder.string(fields["NSClassNameForEntity"]) ?? Entity.genericClassName,
      isAbstract: fields["NSIsAbstract"] == .boolean(true),
      superentity: above,
      attributes: attributes,
      relationships: relationships,
      fetchIndexes: try reader.fetchIndexes(fields, indexed: indexed),
      uniquenessConstraints: try reader.lists(fields["NSUniqueTuples"]),
      renamingIdentifier: try decoder.string(fields["NSRenamingIdentifier"]),
      versionHashModifier: try decoder.string(fields["NSVersionHashModifier"]),
      userInfo: try decoder.userInfo(fields["NSUserInfo"], of: name)
    )
  }
}

extension ArchiveDecoder {
  /// The texts of a user info dictionary; anything else in it is noted.
  func userInfo(_ value: PropertyList?, of what: String) throws -> [String: String] {
    var pairs: [String: String] = [:]
    for entry in try entries(value) {
      if let text = try string(entry.value) {
        pairs[entry.key] = text
      } else {
        note("\(what): the user info value \(entry.key) is no text")
      }
    }
    return pairs
  }
}

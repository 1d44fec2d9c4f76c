/// Writes a model as a keyed archive, as a store's model cache holds it.
struct ModelArchiveWriter {
  private let model: Model
  private var encoder = ArchiveEncoder()
  private let root: Int
  /// The entities' objects, reserved first since they refer to one another.
  private var entities: [String: Int] = [:]
  private var relationships: [[String]: Int] = [:]
  private let noUserInfo: PropertyList

  /// The text by which a dictionary of known keys marks a key without a value.
  private static let emptyToken = "__empty_slot_token_4c24_98dc_ac1e_b773__"

  init(_ model: Model) {
    self.model = model
    root = encoder.reserve()
    for entity in model.entities {
      entities[entity.name] = encoder.reserve()
      for relationship in model.relationships(of: entity) {
        relationships[[entity.name, relationship.name]] = encoder.reserve()
      }
    }
    noUserInfo = encoder.dictionary("NSDictionary", [])
  }

  mutating func archive() -> [UInt8] {
    for entity in model.entities { write(entity) }
    var fields: [String: PropertyList] = [
      "NSEntities": knownKeys(),
      "NSFetchRequestTemplates": ArchiveEncoder.null,
    ]
    let identifiers = model.versionIdentifiers.map { encoder.text($0) }
    fields["NSVersionIdentifiers"] = encoder.list("NSSet", identifiers)
    if !model.configurations.isEmpty {
      let sorted = model.configurations.sorted { $0.key < $1.key }
      let sets = sorted.map { name, members in
        (key: name, value: encoder.list("NSSet", members.map { reference(to: $0) }))
      }
      fields["NSConfigurations"] = encoder.dictionary("NSMutableDictionary", sets)
    }
    encoder.fill(root, "NSManagedObjectModel", fields)
    return encoder.archive(root: root)
  }

  private mutating func knownKeys() -> PropertyList {
    let names = model.entities.map(\.name)
    let keys = encoder.list("NSArray", names.map { encoder.text($0) })
    let mapping = encoder.add(
      "NSKnownKeysMappingStrategy1",
      ["keys": keys, "length": .integer(Int64(names.count)), "version": .integer(1)]
    )
    let values = encoder.list("NSArray", names.map { reference(to: $0) })
    return encoder.add(
      "NSKnownKeysDictionary1",
      [
        "searchMapping": mapping, "values": values, "version": .integer(1),
        "emptyToken": encoder.text(ModelArchiveWriter.emptyToken),
      ]
    )
  }

  private func reference(to entity: String?) -> PropertyList {
    entity.flatMap { entities[$0] }.map { .uid($0) } ?? ArchiveEncoder.null
  }

  private mutating func write(_ entity: Entity) {
    guard let uid = entities[entity.name] else { return }
    let below = model.subentities(of: entity.name).map {
      (key: $0.name, value: reference(to: $0.name))
    }
    let isGeneric = entity.className == Entity.genericClassName
    var fields: [String: PropertyList] = [
      "NSEntityName": encoder.text(entity.name),
      "NSClassNameForEntity": encoder.text(isGeneric ? nil : entity.className),
      "NSManagedObjectModel": .uid(root),
      "NSSuperentity": reference(to: entity.superentity),
      "NSSubentities": encoder.dictionary("NSMutableDictionary", below),
      "NSProperties": properties(of: entity),
      "NSRenamingIdentifier": encoder.text(entity.renamingIdentifier ?? entity.name),
      "NSVersionHashModifier": encoder.text(entity.versionHashModifier),
      "NSUserInfo": userInfo(entity.userInfo),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.fetchIndexes.isEmpty {
      let indexes = entity.fetchIndexes.map { fetchIndex($0, of: uid) }
      fields["NSFetchIndexDescriptions"] = encoder.list("NSMutableArray", indexes)
      fields["NSCompoundIndexes"] = lists(compoundIndexes(of: entity))
    }
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = lists(entity.uniquenessConstraints)
    }
    encoder.fill(uid, "NSEntityDescription", fields)
  }

  /// An entity's archive repeats what it inherits.
  private mutating func properties(of entity: Entity) -> PropertyList {
    var entries: [(key: String, value: PropertyList)] = []
    for attribute in model.attributes(of: entity) {
      var writer = PropertyArchiveWriter(encoder: encoder, entity: reference(to: entity.name))
      let isIndexed = hasOwnIndex(attribute.name, in: entity)
      entries.append((attribute.name, writer.attribute(attribute, isIndexed: isIndexed)))
      encoder = writer.encoder
    }
    for relationship in model.relationships(of: entity) {
      guard let uid = relationships[[entity.name, relationship.name]] else { continue }
      let inverse = relationship.inverse.flatMap { relationships[[relationship.destination, $0]] }
      var writer = PropertyArchiveWriter(encoder: encoder, entity: reference(to: entity.name))
      writer.fill(
        uid,
        with: relationship,
        destination: reference(to: relationship.destination),
        inverse: inverse.map { .uid($0) } ?? ArchiveEncoder.null
      )
      encoder = writer.encoder
      entries.append((relationship.name, .uid(uid)))
    }
    entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return encoder.dictionary("NSMutableDictionary", entries)
  }

  private func hasOwnIndex(_ attribute: String, in entity: Entity) -> Bool {
    model.lineage(of: entity).flatMap(\.fetchIndexes).contains {
      $0.name == attribute && $0.elements.map(\.property) == [attribute]
    }
  }

  private mutating func userInfo(_ pairs: [String: String]) -> PropertyList {
    if pairs.isEmpty { return noUserInfo }
    let sorted = pairs.sorted { $0.key < $1.key }
    return encoder.dictionary(
      "NSDictionary",
      sorted.map { (key: $0.key, value: encoder.text($0.value)) }
    )
  }
}

extension ModelArchiveWriter {
  /// The indexes of several attributes, which frameworks before fetch indexes know by these lists.
  private func compoundIndexes(of entity: Entity) -> [[String]] {
    let attributes = Set(model.attributes(of: entity).map(\.name))
    return entity.fetchIndexes.map { $0.elements.map(\.property) }.filter { properties in
      properties.count > 1 && properties.allSatisfy(attributes.contains)
    }
  }

  private mutating func lists(_ lists: [[String]]) -> PropertyList {
    let arrays = lists.map { names in
      encoder.list("NSMutableArray", names.map { encoder.text($0) })
    }
    return encoder.list("NSMutableArray", arrays)
  }

  private mutating func fetchIndex(_ index: FetchIndex, of entity: Int) -> PropertyList {
    let uid = encoder.reserve()
    let elements = index.elements.map { element in
      encoder.add(
        "NSFetchIndexElementDescription",
        [
          "NSPropertyName": encoder.text(element.property),
          "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
          "NSAscending": .boolean(element.isAscending),
          "NSFetchIndexDescription": .uid(uid),
        ]
      )
    }
    var fields: [String: PropertyList] = [
      "NSIndexName": encoder.text(index.name),
      "NSIndexElements": encoder.list("NSArray", elements),
      "NSPartialIndexPredicate": ArchiveEncoder.null,
      "NSEntity": .uid(entity),
    ]
    if let predicate = index.partialPredicate {
      fields[ModelArchive.OwnKey.predicate] = encoder.text(predicate)
    }
    encoder.fill(uid, "NSFetchIndexDescription", fields)
    return .uid(uid)
  }
}

import Basics
import Foundation

/// A model file: one version of a model as hand-written YAML.
///
///     # A to-do list.
///     identifier: "1.0.0"                 # the version identifier; optional
///     entities:
///       Task:
///         attributes:
///           title: string                 # short form: only the type
///           dueDate: { type: date, optional: false, default: 2026-01-01T00:00:00Z }
///         relationships:
///           project: { to: Project, inverse: tasks }             # to-one, delete: nullify
///           steps: { to: Step, many: true, inverse: task, delete: cascade, ordered: true }
///         unique: [[id], [list, position]]
///         indexes:
///           byDueDate: [dueDate, -priority]                      # a minus sign: descending
///
/// As in Core Data's model editor, attributes and relationships are optional, and relationships are
/// to-one with the delete rule `nullify` unless the file says otherwise.
///
/// ``form`` lists all keys. Dates are ISO 8601 in UTC or seconds since 2001-01-01, UUIDs are in
/// their usual text form, and binary values are base64.
package enum ModelFile {
  /// The keys of a model file, for its schema and the reference.
  package static var form: FileForm { .mapping(ModelReader.keys) }

  /// Reads the model of a file; the file name without its extension is the version's name.
  ///
  /// Throws a ``Refusal`` or an ``InvalidInput`` with every problem of the file, including those of
  /// the model.
  package static func read(path: String) throws -> VersionedSchema {
    let diagnostics = Diagnostics(file: path)
    let schema = try read(path: path, into: diagnostics)
    guard let schema, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return schema
  }

  /// Parses the text of a model file; `file` is the file name, used in messages and as the
  /// version's name.
  ///
  /// - Throws: ``InvalidInput`` with every problem.
  package static func parse(_ text: String, file: String) throws -> VersionedSchema {
    let diagnostics = Diagnostics(file: file)
    let schema = schema(from: YAMLDocument.parse(text, into: diagnostics), file: file)
    guard let schema, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return schema
  }

  /// Reads the model of a file and collects its warnings and errors; `nil` if there is no readable
  /// model.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read.
  package static func read(path: String, into diagnostics: Diagnostics) throws -> VersionedSchema? {
    schema(from: try YAMLDocument.read(path: path, into: diagnostics), file: path)
  }

  /// Returns the model in a part of another file, or `nil` after reporting its problems.
  package static func model(_ value: YAMLValue) -> Model? {
    schema(from: value, file: "")?.model
  }

  private static func schema(from value: YAMLValue?, file: String) -> VersionedSchema? {
    guard let value else { return nil }
    var reader = ModelReader(diagnostics: value.diagnostics)
    guard let model = reader.model(value) else { return nil }
    // After a read error, checking the incomplete model would give misleading problems.
    if !value.diagnostics.hasErrors { reader.report(model.problems()) }
    return VersionedSchema(name: versionName(of: file), model: model)
  }

  /// The version name for a file: `v2` for `models/tasks/v2.yaml`.
  static func versionName(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Reads the models of a folder: the versions of one model, `v1.yaml`, `v2.yaml` and so on.
  ///
  /// Numbers in names are compared by value: `v2` before `v10`.
  ///
  /// Throws a ``Refusal`` if a file cannot be read, or an ``InvalidInput`` with the problems of all
  /// files.
  package static func readFolder(path: String) throws -> [VersionedSchema] {
    let files = try ModelSource.names(of: path, endingWith: ".yaml")
    var schemas: [VersionedSchema] = []
    var problems: [Diagnostic] = []
    for file in files {
      let diagnostics = Diagnostics(file: path + "/" + file)
      if let schema = try read(path: diagnostics.file, into: diagnostics) {
        schemas.append(schema)
      }
      if diagnostics.hasErrors { problems += diagnostics.all }
    }
    guard problems.isEmpty else { throw InvalidInput(problems) }
    return schemas
  }
}

struct ModelReader {
  struct Site: Hashable {
    let entity: String
    let part: String?
  }

  let diagnostics: Diagnostics
  var places: [Site: Place] = [:]

  mutating func model(_ value: YAMLValue) -> Model? {
    guard let mapping = FileKind.model.top(value, knowing: Self.keys),
      let entities = mapping.required("entities")?.mapping()
    else { return nil }
    let read = entities.entries.compactMap { entity($0) }
    let identifiers = mapping["identifier"].map { $0.itemsOrSelf().compactMap { $0.string() } }
    return Model(
      entities: read,
      versionIdentifiers: identifiers ?? [""],
      configurations: configurations(mapping["configurations"]),
      fetchRequests: (mapping["fetchRequests"]?.mapping()?.entries ?? []).map(Self.fetchRequest)
    )
  }

  func report(_ problems: [Model.Problem]) {
    for problem in problems {
      let place = problem.entity.flatMap { entity in
        places[Site(entity: entity, part: problem.part)]
          ?? places[Site(entity: entity, part: nil)]
      }
      diagnostics.report(problem.description, at: place, severity: problem.severity)
    }
  }

  private func configurations(_ value: YAMLValue?) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      configurations[entry.key] = entry.value.items()?.compactMap { $0.string() } ?? []
    }
    return configurations
  }

  private mutating func entity(_ entry: YAMLMapping.Entry) -> Entity? {
    places[Site(entity: entry.key, part: nil)] = entry.keyPlace
    guard let mapping = entry.value.mapping(knowing: Self.entityFields.map(\.key)) else {
      return nil
    }
    var entity = Entity(
      name: entry.key,
      attributes: parts(mapping["attributes"], of: entry.key, Self.attribute),
      relationships: parts(mapping["relationships"], of: entry.key, Self.relationship),
      fetchedProperties: parts(mapping["fetched"], of: entry.key, Self.fetchedProperty),
      fetchIndexes: parts(mapping["indexes"], of: entry.key, Self.index),
      uniquenessConstraints: (mapping["unique"]?.items() ?? []).map { constraint in
        (constraint.items() ?? []).compactMap { $0.string() }
      }
    )
    mapping.fill(&entity, Self.entityFields)
    return entity
  }

  private mutating func parts<Part>(
    _ value: YAMLValue?,
    of entity: String,
    _ read: (YAMLMapping.Entry) -> Part?
  ) -> [Part] {
    var result: [Part] = []
    for entry in value?.mapping()?.entries ?? [] {
      places[Site(entity: entity, part: entry.key)] = entry.keyPlace
      if let part = read(entry) { result.append(part) }
    }
    return result
  }
}

extension ModelReader {
  static let keys = [
    FileKey("identifier", .oneOrMore(.text), "version identifiers of the model"),
    FileKey(
      "entities",
      .named("ENTITY", .mapping(entityFields.map(\.key))),
      "the entities, by name",
      isRequired: true
    ),
    FileKey(
      "configurations",
      .named("CONFIGURATION", .list(.text)),
      "names of the entities in each configuration"
    ),
    FileKey(
      "fetchRequests",
      .named("REQUEST", .mapping(requestKeys)),
      "fetch requests of the model, by name; a store contains nothing of them"
    ),
  ]

  private static let requestFields: [FileField<FetchRequestTemplate>] = [
    FileField("entity", \.entity, .text, "entity whose objects are fetched"),
    FileField("where", \.predicate, .text, "predicate"),
    FileField(
      "settings",
      \.settings,
      .texts("SETTING"),
      "settings with Xcode's names, such as fetchLimit"
    ),
  ]
  private static let requestKeys = requestFields.map(\.key)

  private static let entityFields: [FileField<Entity>] =
    [
      FileField("class", \.className, .text, "class of the objects; the entity's name by default"),
      FileField(
        "abstract",
        \.isAbstract,
        .boolean,
        "whether the entity is abstract (only its sub-entities have objects); default false"
      ),
      FileField("parent", \.superentity, .text, "parent entity"),
      FileField(
        "attributes",
        .named("ATTRIBUTE", .either([.choice(typeNames), .mapping(attributeFields.map(\.key))])),
        "the attributes, by name: a type, or its keys"
      ),
      FileField(
        "relationships",
        .named("RELATIONSHIP", .mapping(relationshipFields.map(\.key))),
        "the relationships, by name"
      ),
      FileField(
        "fetched",
        .named("PROPERTY", .mapping(fetchedKeys)),
        "fetched properties, by name; a store contains nothing of them"
      ),
      FileField("unique", .list(.list(.text)), "unique constraints, each a list of properties"),
      FileField(
        "indexes",
        .named("INDEX", .either([.list(.text), .mapping(indexKeys)])),
        "fetch indexes, by name: a list of properties, or its keys; `-name` sorts descending"
      ),
    ] + commonFields(\.renamingIdentifier, \.versionHashModifier, \.userInfo)

  private static let fetchedFields = [
    FileField<FetchedProperty>("userInfo", \.userInfo, .texts("KEY"), "user info")
  ]
  private static let fetchedKeys = requestKeys + fetchedFields.map(\.key)

  private static func commonFields<Part>(
    _ renamed: any WritableKeyPath<Part, String?> & Sendable,
    _ hashModifier: any WritableKeyPath<Part, String?> & Sendable,
    _ userInfo: any WritableKeyPath<Part, [String: String]> & Sendable
  ) -> [FileField<Part>] {
    [
      FileField("renamed", renamed, .text, "renaming identifier: the name in the previous version"),
      FileField("hashModifier", hashModifier, .text, "version hash modifier"),
      FileField("userInfo", userInfo, .texts("KEY"), "user info"),
    ]
  }

  private static let typeNames = AttributeType.allCases.map(\.name)

  private static let attributeFields: [FileField<Attribute>] =
    [
      FileField("type", .choice(typeNames), "type of the attribute", isRequired: true),
      FileField("optional", \.isOptional, .boolean, "whether it may be NULL; default true"),
      FileField("default", .any, "default value"),
      FileField(
        "computedDefault",
        \.computedDefault,
        .text,
        "Swift expression of a default that only the app's code can compute, such as `UUID()`"
      ),
      FileField("transient", \.isTransient, .boolean, "whether it is not stored; default false"),
      FileField(
        "external",
        \.allowsExternalStorage,
        .boolean,
        "whether large values may be kept in separate files"
      ),
      FileField(
        "preserveOnDeletion",
        \.preservesValueOnDeletion,
        .boolean,
        "whether history keeps the value after a deletion"
      ),
      FileField("derivation", \.derivation, .text, "derivation expression, such as `now()`"),
      FileField(
        "transformer",
        \.transformerName,
        .text,
        "value transformer of a transformable attribute"
      ),
      FileField(
        "class",
        \.valueClassName,
        .text,
        "class of the values of a transformable attribute"
      ),
      FileField("spotlight", \.isIndexedBySpotlight, .boolean, "whether Spotlight indexes it"),
      FileField("elements", .named("ATTRIBUTE", .any), "attributes of a composite attribute"),
      FileField("minimum", .any, "smallest value, or shortest length of a text"),
      FileField("maximum", .any, "largest value, or longest length of a text"),
      FileField("pattern", \.pattern, .text, "regular expression of a text"),
    ] + commonFields(\.renamingIdentifier, \.versionHashModifier, \.userInfo)

  private static let counts = FileValue.integer(0...Int(Int32.max))

  private static let relationshipFields: [FileField<Relationship>] =
    [
      FileField("to", .text, "destination entity", isRequired: true),
      FileField("inverse", \.inverse, .text, "inverse relationship"),
      FileField("many", .boolean, "whether it is a to-many; default false"),
      FileField("ordered", \.isOrdered, .boolean, "whether it keeps an order; default false"),
      FileField("optional", \.isOptional, .boolean, "whether it may be empty; default true"),
      FileField("transient", \.isTransient, .boolean, "whether it is not stored; default false"),
      FileField("minimum", \.minimumCount, counts, "fewest objects"),
      FileField("maximum", \.maximumCount, counts, "most objects"),
      FileField(
        "delete",
        \.deleteRule,
        .choice(of: DeleteRule.allCases.map { ($0.name, $0) }),
        "delete rule; default nullify"
      ),
      FileField("spotlight", \.isIndexedBySpotlight, .boolean, "whether Spotlight indexes it"),
    ] + commonFields(\.renamingIdentifier, \.versionHashModifier, \.userInfo)

  private static let indexKeys = [
    FileKey("on", .list(.text), "the properties, in order", isRequired: true),
    FileKey("kind", .choice(indexKinds.map(\.word)), "kind of index; default binary"),
    FileKey("where", .text, "predicate of a partial index"),
  ]
}

extension ModelReader {
  private static func attribute(_ entry: YAMLMapping.Entry) -> Attribute? {
    guard entry.value.isMapping else {
      return type(entry.value).map { Attribute(name: entry.key, type: $0) }
    }
    guard let mapping = entry.value.mapping(knowing: attributeFields.map(\.key)),
      let type = mapping.required("type").flatMap(type)
    else { return nil }
    func value(_ key: String, _ type: AttributeType) -> Value {
      mapping[key].flatMap { Self.value($0, type: type) } ?? .null
    }
    // The bounds of a string attribute are lengths, so read them as integers.
    let boundType = type == .string ? AttributeType.integer32 : type
    var attribute = Attribute(
      name: entry.key,
      type: type,
      defaultValue: value("default", type),
      elements: (mapping["elements"]?.mapping()?.entries ?? []).compactMap(Self.attribute),
      minimum: value("minimum", boundType),
      maximum: value("maximum", boundType)
    )
    mapping.fill(&attribute, attributeFields)
    return attribute
  }

  private static func type(_ value: YAMLValue) -> AttributeType? {
    value.choice(of: AttributeType.allCases.map { ($0.name, $0) })
  }

  private static func relationship(_ entry: YAMLMapping.Entry) -> Relationship? {
    guard let mapping = entry.value.mapping(knowing: relationshipFields.map(\.key)),
      let destination = mapping.required("to")?.string()
    else { return nil }
    var relationship = Relationship(
      name: entry.key,
      destination: destination,
      isToMany: mapping["many"]?.boolean() ?? false
    )
    mapping.fill(&relationship, relationshipFields)
    return relationship
  }

  private static func fetchRequest(_ entry: YAMLMapping.Entry) -> FetchRequestTemplate {
    request(entry.key, entry.value.mapping(knowing: requestKeys))
  }

  private static func request(_ name: String, _ mapping: YAMLMapping?) -> FetchRequestTemplate {
    var request = FetchRequestTemplate(name: name)
    mapping?.fill(&request, requestFields)
    return request
  }

  private static func fetchedProperty(_ entry: YAMLMapping.Entry) -> FetchedProperty? {
    let mapping = entry.value.mapping(knowing: fetchedKeys)
    var property = FetchedProperty(name: entry.key, request: request("", mapping))
    mapping?.fill(&property, fetchedFields)
    return property
  }

  private static let indexKinds: [(word: String, value: FetchIndex.Element.Kind)] = [
    ("binary", .binary), ("rTree", .rTree),
  ]

  private static func index(_ entry: YAMLMapping.Entry) -> FetchIndex? {
    guard entry.value.isMapping else {
      return entry.value.items().map {
        FetchIndex(name: entry.key, elements: elements($0, kind: .binary))
      }
    }
    guard let mapping = entry.value.mapping(knowing: indexKeys),
      let items = mapping.required("on")?.items()
    else { return nil }
    let kind = mapping["kind"]?.choice(of: indexKinds) ?? .binary
    return FetchIndex(
      name: entry.key,
      elements: elements(items, kind: kind),
      partialPredicate: mapping["where"]?.string()
    )
  }

  private static func elements(
    _ items: [YAMLValue],
    kind: FetchIndex.Element.Kind
  ) -> [FetchIndex.Element] {
    items.compactMap { item in
      guard let text = item.string() else { return nil }
      let isDescending = text.hasPrefix("-")
      let property = isDescending ? String(text.dropFirst()) : text
      return FetchIndex.Element(property: property, isAscending: !isDescending, kind: kind)
    }
  }

  private static func value(_ value: YAMLValue, type: AttributeType) -> Value? {
    guard value.scalar != .null else { return .null }
    switch type {
    case .integer16: return value.integer(in: -32_768...32_767).map { .integer(Int64($0)) }
    case .integer32:
      return value.integer(in: Int(Int32.min)...Int(Int32.max)).map { .integer(Int64($0)) }
    case .integer64: return value.integer().map { .integer(Int64($0)) }
    case .boolean: return value.boolean().map { .integer($0 ? 1 : 0) }
    case .double, .float: return value.number().map { .real($0) }
    case .decimal:
      if case .integer(let whole)? = value.scalar { return .integer(whole) }
      return value.number().map { .real($0) }
    case .date:
      guard case .text(let text)? = value.scalar else { return value.number().map { .real($0) } }
      if let seconds = ReferenceDate.seconds(iso8601: text) { return .real(Double(seconds)) }
      value.report("\(value.name) must be a date such as 2026-04-01T12:00:00Z, not '\(text)'")
      return nil
    case .string, .uri: return value.string().map { .text($0) }
    case .uuid:
      guard let text = value.string() else { return nil }
      if let bytes = UUIDText.bytes(of: text) { return .blob(bytes) }
      value.report("\(value.name) must be a UUID, not '\(text)'")
      return nil
    case .binary:
      guard let text = value.string() else { return nil }
      if let data = Data(base64Encoded: text) { return .blob(Array(data)) }
      value.report("\(value.name) must be base64")
      return nil
    case .undefined, .transformable, .objectID, .composite:
      value.report("a model file cannot give a value to an attribute of type \(type.name)")
      return nil
    }
  }
}

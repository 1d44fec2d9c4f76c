import Basics

/// A map file: the mapping of an old model's objects to a new model, as hand-written YAML.
///
///     entities:
///       Project: { from: CDProject }                # properties with the same name need no line
///       Task:
///         from: CDTask
///         where: { isDeleted: false }               # only these objects; `unless` is the opposite
///         attributes:
///           title: taskTitle                        # former name; other types are converted
///           projectName: project.name               # follows a to-one relationship
///           state: { from: status, values: { 0: open, 1: done }, otherwise: open }
///           code: { from: code, as: [trimmed, textToInteger] }
///           label: { join: [code, taskTitle], with: " " }
///           contact: { first: [email, phone] }      # the first value that is not missing
///           source: { value: import }
///           id: { uuid: true }                      # derived from the object's entity and key
///         relationships:
///           project: parent                         # former name
///           note: { same: CDTaskToNote }            # the other object from the same CDTask
///           editor: { from: person, by: CDEditorToPerson }
///       Note: { from: CDTask }                      # second entry for CDTask: splits its objects
///       Person:                                     # a list merges objects
///         - { from: CDAuthor }
///         - { from: CDEditor, attributes: { email: mail } }
///     drop: [CDLogEntry]                            # dropped intentionally
///
/// - Map: `entities` (by the new names), `drop`, `rest` (`infer` maps everything that the file does
///   not name as a lightweight migration does; `drop` drops it).
/// - Entity, or a list of entities: `from` (default: the new name), `name` (default: a name such as
///   `CDTaskToTask`), `where`, `unless`, `attributes`, `relationships`.
/// - Attribute: a name or a path; or one of `from`, `join` (with `with`), `first`, `value`, `now`,
///   `uuid`; then `values` with `otherwise`, then `as`.
/// - Relationship: a name; or `from` with `by`; `same`; `none`.
package enum MapFile {
  /// Reads the map of a file.
  ///
  /// Throws a ``Refusal`` if the file cannot be read, or an ``InvalidInput`` with every problem of
  /// the file.
  package static func read(path: String) throws -> MigrationMap {
    let diagnostics = Diagnostics(file: path)
    return try map(from: try YAMLDocument.read(path: path, into: diagnostics), diagnostics)
  }

  /// Parses the text of a map file; `file` is the file name for messages.
  ///
  /// - Throws: ``InvalidInput`` with every problem.
  package static func parse(_ text: String, file: String) throws -> MigrationMap {
    let diagnostics = Diagnostics(file: file)
    return try map(from: YAMLDocument.parse(text, into: diagnostics), diagnostics)
  }

  /// Reads the map of a file between two models.
  ///
  /// Throws a ``Refusal`` if the file cannot be read, or an ``InvalidInput`` with every problem of
  /// the file and every name that the models lack.
  static func read(
    path: String,
    from source: Model,
    to destination: Model
  ) throws -> MigrationMap {
    let diagnostics = Diagnostics(file: path)
    let value = try YAMLDocument.read(path: path, into: diagnostics)
    let found = value.flatMap(map)
    if let found {
      let resolution = MapResolution(map: found, source: source, destination: destination)
      for problem in resolution.problems {
        diagnostics.report(problem.message, at: found.places[problem.key])
      }
    }
    return try checked(found, diagnostics)
  }

  private static func map(
    from value: YAMLValue?,
    _ diagnostics: Diagnostics
  ) throws -> MigrationMap {
    try checked(value.flatMap(map), diagnostics)
  }

  private static func checked(
    _ map: MigrationMap?,
    _ diagnostics: Diagnostics
  ) throws -> MigrationMap {
    guard let map, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return map
  }

  private static func map(_ value: YAMLValue) -> MigrationMap? {
    guard let mapping = value.mapping(knowing: ["entities", "drop", "rest"]) else { return nil }
    guard mapping["entities"] != nil || mapping["drop"] != nil else {
      value.report(
        "a map has 'entities' or 'drop'; 'inspect OLD NEW --draft-map' writes a first one"
      )
      return nil
    }
    let rest = mapping["rest"]?.choice(of: [("infer", true), ("drop", false)]) ?? true
    var map = MigrationMap(entities: [], infersTheRest: rest)
    for entry in mapping["entities"]?.mapping()?.entries ?? [] {
      for value in entry.value.itemsOrSelf() {
        guard let rule = entity(value, to: entry.key) else { continue }
        for (key, place) in places(of: value, in: entry) {
          map.places["\(map.entities.count).\(key)"] = place
        }
        map.entities.append(rule)
      }
    }
    for value in mapping["drop"]?.itemsOrSelf() ?? [] {
      guard let name = value.string() else { continue }
      map.dropped.insert(name)
      map.places["drop.\(name)"] = value.place
    }
    return map
  }

  /// The places of an entity's names, by the last part of their keys in ``MigrationMap/places``.
  private static func places(
    of value: YAMLValue,
    in entry: YAMLMapping.Entry
  ) -> [String: Place] {
    let mapping = value.isMapping ? value.mapping() : nil
    var places: [String: Place] = [:]
    places["to"] = entry.keyPlace
    places["from"] = mapping?["from"]?.place ?? (mapping == nil ? value.place : entry.keyPlace)
    places["name"] = mapping?["name"]?.place ?? places["from"]
    let lists = [
      ("where", "conditions"), ("unless", "conditions"), ("attributes", "attributes"),
      ("relationships", "relationships"),
    ]
    for (name, key) in lists {
      guard let list = mapping?[name], list.isMapping else { continue }
      for named in list.mapping()?.entries ?? [] {
        places["\(key).\(named.key)"] = named.keyPlace
      }
    }
    return places
  }

  private static func entity(_ value: YAMLValue, to name: String) -> EntityMap? {
    if !value.isMapping {
      return value.string().map { EntityMap(source: $0, destination: name) }
    }
    let keys = ["from", "name", "where", "unless", "attributes", "relationships"]
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    return EntityMap(
      name: mapping["name"]?.string(),
      source: mapping["from"].map { $0.string() } ?? name,
      destination: name,
      conditions: conditions(mapping["where"], isNegated: false)
        + conditions(mapping["unless"], isNegated: true),
      attributes: named(mapping["attributes"], expression, broken: .constant(.null)),
      relationships: named(
        mapping["relationships"],
        relationship,
        broken: RelationshipExpression.none
      )
    )
  }

  /// Reads the values of a mapping; a value with a problem is replaced by `broken`, so that its
  /// name is still checked.
  private static func named<Element>(
    _ value: YAMLValue?,
    _ read: (YAMLValue) -> Element?,
    broken: Element
  ) -> [String: Element] {
    Dictionary(
      keepingFirst: (value?.mapping()?.entries ?? []).map { entry in
        (entry.key, read(entry.value) ?? broken)
      }
    )
  }

  private static func conditions(_ value: YAMLValue?, isNegated: Bool) -> [EntityMap.Condition] {
    (value?.mapping()?.entries ?? []).map { entry in
      let values = entry.value.itemsOrSelf().compactMap(constant)
      return EntityMap.Condition(entry.key, in: values, isNegated: isNegated)
    }
  }

  private static func expression(_ value: YAMLValue) -> ValueExpression? {
    guard value.isMapping else { return value.string().map { .source($0.pathNames) } }
    let keys = [
      "from", "join", "with", "first", "value", "now", "uuid", "values", "otherwise", "as",
    ]
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    let origins = ["from", "join", "first", "value", "now", "uuid"].filter { mapping[$0] != nil }
    guard origins.count == 1, var result = origin(mapping) else {
      if origins.count != 1 {
        value.report(
          "\(value.name) must have one of 'from', 'join', 'first', 'value', 'now' and 'uuid'"
        )
      }
      return nil
    }
    if let values = mapping["values"]?.mapping() {
      result = .replaced(
        result,
        values.entries.compactMap { entry in
          constant(entry.value).map {
            ValueExpression.Replacement(constant(YAMLScalar(plain: entry.key)), by: $0)
          }
        },
        otherwise: mapping["otherwise"].flatMap(constant).map { .constant($0) }
      )
    }
    let words = ValueConversion.allCases.map { (word: $0.rawValue, value: $0) }
    for step in mapping["as"]?.itemsOrSelf() ?? [] {
      if let conversion = step.choice(of: words) { result = .converted(result, conversion) }
    }
    return result
  }

  private static func origin(_ mapping: YAMLMapping) -> ValueExpression? {
    if let from = mapping["from"] { return from.string().map { .source($0.pathNames) } }
    if let join = mapping["join"] {
      let separator = mapping["with"].flatMap { $0.string() } ?? ""
      return join.items().map { .joined($0.compactMap(expression), separator: separator) }
    }
    if let first = mapping["first"] {
      return first.items().map { .firstOf($0.compactMap(expression)) }
    }
    if let value = mapping["value"] { return constant(value).map { .constant($0) } }
    return mapping["uuid"] == nil ? .now : .identifier
  }

  private static func constant(_ value: YAMLValue) -> Value? {
    guard let scalar = value.scalar else {
      value.report("\(value.name) must be a value, not a list or a mapping")
      return nil
    }
    return constant(scalar)
  }

  private static func constant(_ scalar: YAMLScalar) -> Value {
    switch scalar {
    case .null: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let text): .text(text)
    }
  }

  private static func relationship(_ value: YAMLValue) -> RelationshipExpression? {
    guard value.isMapping else { return value.string().map { .source($0) } }
    guard let mapping = value.mapping(knowing: ["from", "by", "same", "none"]) else { return nil }
    if let same = mapping["same"] {
      if case .boolean(true)? = same.scalar { return .sameSource(by: nil) }
      return same.string().map { .sameSource(by: $0) }
    }
    if mapping["none"] != nil { return RelationshipExpression.none }
    guard let name = mapping.required("from")?.string() else { return nil }
    return mapping["by"]?.string().map { .mapped(name, by: $0) } ?? .source(name)
  }
}

extension MigrationMap {
  /// Reads a map between two models: a map file in YAML or a mapping model of Xcode.
  ///
  /// Throws a ``Refusal`` if the file cannot be read, or an ``InvalidInput`` with every problem of
  /// the file.
  package static func read(
    path: String,
    from source: Model,
    to destination: Model
  ) throws -> MigrationMap {
    guard XcodeMappingModel.isMappingModel(path) else {
      return try MapFile.read(path: path, from: source, to: destination)
    }
    return try XcodeMappingModel.read(path: path).map(from: source, to: destination)
  }
}

extension MappingModel {
  /// Returns the mapping that a map file defines between this mapping model's source and
  /// destination.
  ///
  /// Throws a ``Refusal`` if the file cannot be read, or an ``InvalidInput`` with every problem of
  /// the file and every name that the models lack.
  package func mapped(by path: String) throws -> MappingModel {
    let map = try MigrationMap.read(path: path, from: source, to: destination)
    do {
      return try MappingModel(from: source, to: destination, by: map)
    } catch {
      throw InvalidInput(error.problems.map { Diagnostic(file: path, message: $0) })
    }
  }
}

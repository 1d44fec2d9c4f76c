import Basics
import DataModel

/// Writes the code that copies a Core Data store's objects into a new SwiftData store according to
/// a migration map, and a test of that code.
package struct MigratorWriter {
  package let files: [SwiftFile]
  /// The parts of the map that must be implemented in the app's code.
  package let notes: [String]

  /// Writes the code; `source` is the map's name for the comment at the top of each file.
  package init(_ mapping: MappingModel, source: String) {
    let body = MigratorBody(mapping)
    let head = Head(source: source, version: nil)
    let types = Set(mapping.destination.entities.map(\.name))
    let schemaType = types.contains("Schema") ? "SwiftData.Schema" : "Schema"
    let classes = mapping.destination.entities.map { SwiftNames.member($0.name) + ".self" }
    let schema = "\(schemaType)([\(classes.joined(separator: ", "))])"
    let isLong = schema.count + 32 > SwiftText.width
    let list =
      isLong
      ? (["\(schemaType)(["] + classes.map { "      \($0)," } + ["    ])"]).joined(separator: "\n")
      : schema
    let code = MigratorTemplate.migrator
      .replacing("@SCHEMATYPE@", with: schemaType)
      .replacing("@SCHEMA@", with: list)
      .replacing("@STEPS@", with: SwiftText.indented(body.steps, by: 8).joined(separator: "\n"))
      .replacing("@MEMBERS@", with: SwiftText.indented(body.members).joined(separator: "\n"))
    func file(_ name: String, _ text: String) -> SwiftFile {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return head.file(name, imports: [], lines.last == "" ? lines.dropLast() : lines)
    }
    files = [
      file("Migrator/StoreMigrator.swift", code + MigratorTemplate.reading),
      file("Migrator/Journal.swift", MigratorTemplate.journal),
      file("Convert.swift", ConversionCode.source),
      file("MigratorTests/StoreMigratorTests.swift", MigratorTemplate.tests),
    ]
    notes = body.notes
  }
}

private struct MigratorBody {
  private let mapping: MappingModel
  private let names: SwiftNames
  private(set) var steps: [String] = []
  private(set) var members: [String] = []
  private(set) var notes: [String]

  init(_ mapping: MappingModel) {
    self.mapping = mapping
    names = SwiftNames(types: mapping.destination.entities.map(\.name))
    notes = mapping.map?.appCode ?? []
    let ordered = Self.ordered(mapping)
    let linked = ordered.map { ($0, links(of: $0)) }.filter { !$0.1.isEmpty }
    steps =
      ordered.map { "try copy\(Self.title($0))()" }
      + linked.map { "try link\(Self.title($0.0))()" }
    for entity in ordered { members += copy(entity) + [""] }
    for (entity, lines) in linked { members += link(entity, lines) + [""] }
    members += comparisons(ordered)
  }

  private static func name(_ entity: EntityMapping) -> String {
    entity.name ?? "\(entity.source ?? "")To\(entity.destination)"
  }

  private static func title(_ entity: EntityMapping) -> String {
    SwiftNames.identifier(name(entity)).capitalizedFirst
  }

  /// The mappings with a source, the targets of required relationships first.
  private static func ordered(_ mapping: MappingModel) -> [EntityMapping] {
    let all = mapping.entities.filter { entity in
      entity.source != nil
        && mapping.destination.entity(named: entity.destination)?.isAbstract == false
    }
    var (result, open): ([EntityMapping], [EntityMapping]) = ([], all)
    while !open.isEmpty {
      let waiting = Set(open.map(\.destination))
      let place = open.firstIndex { entity in
        !required(entity).contains {
          waiting.contains($0.destination) && $0.destination != entity.destination
        }
      }
      // In a cycle, any mapping can be the first.
      result.append(open.remove(at: place ?? 0))
    }
    return result
  }

  private static func required(_ entity: EntityMapping) -> [Relationship] {
    entity.relationships.map(\.destination).filter {
      !$0.isToMany && !$0.isOptional && !$0.isTransient
    }
  }

  // MARK: Copies

  private func type(_ entity: String) -> String { SwiftNames.member(entity) }

  private func copy(_ entity: EntityMapping) -> [String] {
    guard let source = entity.source, let former = mapping.source.entity(named: source),
      let new = mapping.destination.entity(named: entity.destination)
    else { return [] }
    let code = ExpressionCode(source: mapping.source, former: former, names: names)
    let conditions = entity.conditions.compactMap { condition(of: $0, former, code) }
    let writer = ClassWriter(
      model: mapping.destination,
      entity: new,
      types: mapping.destination.entities.map(\.name)
    )
    let arguments = writer.initialNames.compactMap { argument($0, entity, new, code) }
    let call = (conditions.isEmpty ? "" : "return ") + type(new.name)
    let make = SwiftText.list(call, arguments, "", indent: 6)
    let usesOld = (conditions + arguments).contains { $0.contains("old") }
    return [
      "/// Copies \(source) to \(new.name).", "private func copy\(Self.title(entity))() throws {",
    ]
      + SwiftText.indented(
        [
          "try copy(\(SwiftText.literal(source)), by: \(SwiftText.literal(Self.name(entity)))) { "
            + "\(usesOld ? "old" : "_")\(conditions.isEmpty ? "" : " -> \(type(new.name))?") in"
        ]
          + SwiftText.indented(
            conditions.map { "guard \($0) else { return nil }" } + make
          ) + ["}"]
      ) + ["}"]
  }

  private func condition(
    of condition: EntityMap.Condition,
    _ former: Entity,
    _ code: ExpressionCode
  ) -> String? {
    guard
      let attribute = mapping.source.attributes(of: former).first(where: {
        $0.name == condition.attribute
      }), let value = code.code(attribute, for: attribute)
    else { return nil }
    let literals = SwiftLiteral(names: names)
    let values = condition.values.map { value in
      value == .null ? "nil" : literals.text(value, type: attribute.type) ?? "nil"
    }
    return "\(condition.isNegated ? "!" : "")holds(\(value), [\(values.joined(separator: ", "))])"
  }

  private func argument(
    _ name: String,
    _ entity: EntityMapping,
    _ new: Entity,
    _ code: ExpressionCode
  ) -> String? {
    let label = SwiftNames.quoted(SwiftNames.property(name))
    if let attribute = entity.attributes.first(where: { $0.destination.name == name }) {
      return value(of: attribute, in: entity, code).map { "\(label): \($0)" }
    }
    guard let relationship = entity.relationships.first(where: { $0.destination.name == name }),
      !relationship.destination.isToMany, !relationship.destination.isOptional
    else { return nil }
    let place = SwiftText.literal("\(new.name).\(name)")
    return "\(label): try required(\(target(relationship) ?? "nil"), \(place))"
  }

  private func value(
    of attribute: AttributeMapping,
    in entity: EntityMapping,
    _ code: ExpressionCode
  ) -> String? {
    let new = attribute.destination
    let place = "\(entity.destination).\(new.name)"
    let isMade = attribute.value != nil || attribute.source?.isTransient == false
    let made =
      attribute.value.map { code.code($0, for: new) }
      ?? attribute.source.flatMap { $0.isTransient ? nil : code.code($0, for: new) }
    if isMade, let made {
      if new.isOptional { return made }
      let empty =
        SwiftLiteral(names: names).text(new.defaultValue, type: new.type)
        ?? SwiftLiteral(names: names).placeholder(new)
      return SwiftText.call(
        "filled",
        [made, SwiftText.literal(place), "with: \(empty)"],
        indent: 12 + SwiftNames.property(new.name).count
      )
    }
    if new.isOptional || new.defaultValue != .null { return nil }
    return SwiftLiteral(names: names).placeholder(new)
  }

  // MARK: Links

  private func mappings(from former: Relationship, to destination: String) -> [String] {
    let sources = mapping.source.entity(named: former.destination).map(mapping.source.family) ?? []
    let wanted =
      mapping.destination.entity(named: destination).map(mapping.destination.family) ?? []
    return mapping.entities.filter { entity in
      sources.contains { $0.name == entity.source }
        && wanted.contains { $0.name == entity.destination }
    }.map(Self.name)
  }

  private func list(_ names: [String]) -> String {
    "[" + names.map(SwiftText.literal).joined(separator: ", ") + "]"
  }

  private func target(_ relationship: RelationshipMapping) -> String? {
    let new = relationship.destination
    let call = new.isToMany ? "targets" : "target"
    let type = "as: \(type(new.destination)).self"
    switch relationship.expression {
    case RelationshipExpression.none?, .function?: return nil
    case .sameSource(let mapping)?:
      let makers =
        mapping.map { [$0] }
        ?? self.mapping.mappings(to: new.destination).filter { $0.source != nil }.map(Self.name)
      let found = "copied(name(of: old), by: \(list(makers)))"
      return new.isToMany
        ? "[\(found) as \(self.type(new.destination))?].compactMap { $0 }" : found
    case .mapped(let name, let mapping)?:
      return "\(call)(of: old, \(SwiftText.literal(name)), by: \(list([mapping])), \(type))"
    case .source?, nil:
      guard let former = relationship.source, !former.isTransient else { return nil }
      // A to-one relationship that replaces a to-many relationship gets the first target.
      guard !former.isToMany || new.isToMany else {
        return "targets(of: old, \(SwiftText.literal(former.name)), "
          + "by: \(list(mappings(from: former, to: new.destination))), \(type)).first"
      }
      if !former.isToMany, new.isToMany {
        let one =
          "target(of: old, \(SwiftText.literal(former.name)), "
          + "by: \(list(mappings(from: former, to: new.destination))), \(type))"
        return "[\(one)].compactMap { $0 }"
      }
      return "\(call)(of: old, \(SwiftText.literal(former.name)), "
        + "by: \(list(mappings(from: former, to: new.destination))), \(type))"
    }
  }

  /// Whether setting the inverse also sets this relationship.
  ///
  /// The code sets only one side of each pair: the to-one side, or else the first side by name.
  private func isSetByInverse(_ relationship: RelationshipMapping, of entity: EntityMapping) -> Bool
  {
    let new = relationship.destination
    guard let inverse = mapping.destination.inverse(of: new),
      let other = mapping.mappings(to: new.destination).lazy.compactMap({ mapping in
        mapping.relationships.first { $0.destination.name == inverse.name }
      }).first, target(other) != nil
    else { return false }
    if new.isToMany != inverse.isToMany { return new.isToMany }
    let own = (entity.destination, new.name)
    return own > (new.destination, inverse.name)
  }

  private func links(of entity: EntityMapping) -> [String] {
    let declared = entity.relationships.filter { relationship in
      let new = relationship.destination
      let isInitial = !new.isToMany && !new.isOptional
      return !new.isTransient && !isInitial && !isSetByInverse(relationship, of: entity)
    }
    return declared.compactMap { relationship in
      let name = SwiftNames.member(SwiftNames.property(relationship.destination.name))
      return target(relationship).map { "new.\(name) = \($0)" }
    }
  }

  private func link(_ entity: EntityMapping, _ lines: [String]) -> [String] {
    let old = lines.contains { $0.contains("old") } ? "old" : "_"
    let arguments = [
      SwiftText.literal(entity.source ?? ""), "by: \(SwiftText.literal(Self.name(entity)))",
      "\(type(entity.destination)).self",
    ]
    return [
      "/// Links \(entity.destination) objects that were copied from \(entity.source ?? "").",
      "private func link\(Self.title(entity))() throws {",
    ]
      + SwiftText.indented(
        SwiftText.list("try link", arguments, " { \(old), new in", indent: 4)
          + SwiftText.indented(lines) + ["}"]
      ) + ["}"]
  }

  // MARK: Counts

  private func comparisons(_ ordered: [EntityMapping]) -> [String] {
    let sources = mapping.source.entities.filter { !$0.isAbstract }.map(\.name)
    let whole = ordered.filter(\.conditions.isEmpty)
    var classes: [String] = []
    for entity in ordered where !classes.contains(entity.destination) {
      classes.append(entity.destination)
    }
    let counts =
      SwiftText.list(
        "let entities = ",
        sources.map(SwiftText.literal),
        "",
        indent: 4,
        brackets: ("[", "]")
      ) + ["report.oldObjects = try entities.reduce(0) { $0 + (try objects(of: $1)).count }"]
    let lines =
      counts
      + whole.map { entity in
        "try compare(\(SwiftText.literal(entity.source ?? "")), "
          + "with: \(SwiftText.literal(Self.name(entity))))"
      }
      + classes.flatMap { name -> [String] in
        // A fetch of a class also returns the objects of its subclasses.
        let family =
          mapping.destination.entity(named: name).map(mapping.destination.family) ?? []
        let makers = ordered.filter { entity in
          family.contains { $0.name == entity.destination }
        }.map(Self.name)
        return SwiftText.list(
          "try compare",
          ["\(type(name)).self", SwiftText.literal(name), "with: \(list(makers))"],
          "",
          indent: 4
        )
      }
    return [
      "/// Compares the numbers of old and new objects.", "private func check() throws {",
    ]
      + SwiftText.indented(lines) + ["}"]
  }
}

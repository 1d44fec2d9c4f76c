import Basics
import DataModel

/// Builds a bridge between two versions, with the old and the new properties, and the code that
/// fills the new ones.
struct BridgeBuilder {
  private let mapping: MappingModel
  private let from: WrittenVersion
  private(set) var to: WrittenVersion
  private(set) var refusal: String?
  /// The bridge's property name for each renaming identifier in the new version, by entity.
  private(set) var bridged: [String: [String: String]] = [:]
  private var statements: [(entity: String, lines: [String])] = []
  private var entities: [Entity]
  private var hasBridge = false

  init(mapping: MappingModel, from: WrittenVersion, to: WrittenVersion) {
    (self.mapping, self.from, self.to) = (mapping, from, to)
    entities = from.model.entities
  }

  var bridge: WrittenVersion? {
    guard hasBridge else { return nil }
    return WrittenVersion(
      type: from.type + "Bridge",
      name: nil,
      model: from.model.with(entities),
      identifier: Array(from.identifier.dropLast()) + [(from.identifier.last ?? 0) + 1],
      filled: from.filled
    )
  }

  mutating func add(_ obstacle: MigrationObstacle) {
    switch obstacle {
    case .retyped(let entity, let name, let former, let type):
      bridge(attribute: name, of: entity, converting: ValueConversion(from: former, to: type))
    case .externalStorageGivenUp(let entity, let name):
      bridge(attribute: name, of: entity, converting: nil)
    case .requiredWithoutDefault(let entity, let name):
      to.filled[entity, default: []].insert(name)
      let line =
        "// \(entity).\(name) is empty in every object that had no value: set the right value."
      statements.append((entity, [line]))
    case .toManyMadeToOne(let entity, let name):
      bridge(relationship: name, of: entity, isKept: true)
    case .retargeted(let entity, let name, _, _):
      bridge(relationship: name, of: entity, isKept: false)
    case .hierarchiesMerged, .ambiguous, .notEvaluated:
      refusal = refusal ?? obstacle.description
    }
  }

  private func place(_ entity: String) -> Int? {
    entities.firstIndex { $0.name == entity }
  }

  private func freeName(_ name: String, of place: Int) -> String {
    let known =
      entities[place].attributes.map(\.name) + entities[place].relationships.map(\.name)
      + (to.model.entity(named: entities[place].name).map {
        to.model.attributes(of: $0).map(\.name) + to.model.relationships(of: $0).map(\.name)
      } ?? [])
    var candidate = name + "Migrated"
    while known.contains(candidate) { candidate += "2" }
    return candidate
  }

  private mutating func bridge(
    attribute name: String,
    of entity: String,
    converting conversion: ValueConversion?
  ) {
    let found = mapping.mapping(to: entity)?.attributes.first { $0.destination.name == name }
    guard let place = place(entity), let found, let former = found.source,
      entities[place].attribute(named: former.name) != nil
    else { return refuse(entity, name) }
    // Add only one new property if both the type and the external storage change.
    guard bridged[entity]?[found.destination.renamingIdentifier ?? name] == nil else { return }
    var new = found.destination
    new.name = freeName(name, of: place)
    new.isOptional = true
    new.defaultValue = .null
    new.renamingIdentifier = nil
    entities[place].attributes.append(new)
    if former.type == new.type || conversion != nil {
      let read = ConversionCode.read(former, of: "object")
      let value = conversion.map { ConversionCode.call($0, on: read) } ?? read
      assign(value, to: new.name, of: entity)
    } else if former.type.keepsValues(as: new.type) {
      let read = ConversionCode.read(former, of: "object")
      assign(ConversionCode.kept(read, from: former.type, to: new.type), to: new.name, of: entity)
    } else {
      decide(
        "\(former.name) is \(former.type.name) and \(name) is \(new.type.name): decide how one "
          + "becomes the other, and set object.\(new.name)",
        of: entity
      )
    }
    if !found.destination.isOptional, found.destination.defaultValue == .null {
      to.filled[entity, default: []].insert(name)
    }
    take(found.destination.renamingIdentifier ?? name, as: new.name, in: entity)
  }

  private mutating func bridge(relationship name: String, of entity: String, isKept: Bool) {
    let found = mapping.mapping(to: entity)?.relationships.first { $0.destination.name == name }
    guard let place = place(entity), let found, let former = found.source,
      entities[place].relationship(named: former.name) != nil,
      from.model.entity(named: found.destination.destination) != nil
    else { return refuse(entity, name) }
    guard bridged[entity]?[found.destination.renamingIdentifier ?? name] == nil else { return }
    var new = found.destination
    new.name = freeName(name, of: place)
    new.isOptional = true
    new.inverse = nil
    new.renamingIdentifier = nil
    new.minimumCount = 0
    entities[place].relationships.append(new)
    if isKept, former.destination == new.destination {
      let read = "object.\(SwiftNames.member(SwiftNames.property(former.name)))"
      assign("\(read)\(former.isOptional ? "?" : "").first", to: new.name, of: entity)
    } else {
      decide(
        "\(former.name) leads to \(former.destination) and \(name) to \(new.destination): decide "
          + "which object it is, and set object.\(new.name)",
        of: entity
      )
    }
    take(found.destination.renamingIdentifier ?? name, as: new.name, in: entity)
  }

  private mutating func refuse(_ entity: String, _ name: String) {
    refusal =
      refusal
      ?? "\(entity).\(name) changes in a way that no version between the two can bring along"
  }

  private mutating func assign(_ value: String, to name: String, of entity: String) {
    let target = SwiftNames.member(SwiftNames.property(name))
    statements.append((entity, ["object.\(target) = \(value)"]))
  }

  private mutating func decide(_ text: String, of entity: String) {
    statements.append((entity, SwiftText.comment("Decide: \(text).", indent: 12)))
  }

  private mutating func take(_ identifier: String, as name: String, in entity: String) {
    hasBridge = true
    bridged[entity, default: [:]][identifier] = name
    var entities = to.model.entities
    guard let index = entities.firstIndex(where: { $0.name == entity }) else { return }
    for place in entities[index].attributes.indices
    where
      (entities[index].attributes[place].renamingIdentifier
      ?? entities[index].attributes[place].name) == identifier
    {
      entities[index].attributes[place].renamingIdentifier = name
    }
    for place in entities[index].relationships.indices
    where
      (entities[index].relationships[place].renamingIdentifier
      ?? entities[index].relationships[place].name) == identifier
    {
      entities[index].relationships[place].renamingIdentifier = name
    }
    to.model = to.model.with(entities)
  }

  var code: [String] {
    let type = bridge?.type ?? to.type
    var order: [String] = []
    for (entity, _) in statements where !order.contains(entity) { order.append(entity) }
    return order.flatMap { entity -> [String] in
      let lines = statements.filter { $0.entity == entity }.flatMap(\.lines)
      // Omit the closure around lines that are only comments, because its parameter would be
      // unused.
      let usesObject = lines.contains { !$0.hasPrefix("//") }
      guard usesObject else { return lines }
      return ["try change(\(type).\(SwiftNames.member(entity)).self, in: context) { object in"]
        + SwiftText.indented(lines) + ["}"]
    }
  }
}

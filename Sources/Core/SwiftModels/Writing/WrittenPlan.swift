import Basics
import DataModel

/// A version in generated code: a `VersionedSchema` for a version of the model, or a bridge.
struct WrittenVersion {
  var type: String
  var name: String?
  var model: Model
  var identifier: [Int]
  var filled: [String: Set<String>] = [:]
}

struct WrittenStage {
  enum Kind {
    case lightweight
    /// A stage that runs code on the objects of the new version; the lines are those of its
    /// closure.
    case custom([String])
    /// A stage that cannot migrate the objects in place; the text is the reason.
    case refused(String)
  }

  let from: String
  let to: String
  let kind: Kind
  /// The changes that require the stage's code or, for a lightweight stage, the properties that
  /// become unique.
  let reasons: [String]
}

/// The versions of a family and the stages between them, with a bridge version if a single stage
/// cannot make the change.
///
/// A custom stage runs code before or after a lightweight migration, but cannot replace it. To
/// change a value's type, code first writes the new value into a new property of a bridge version,
/// next to the old property. In the next version, the new property gets the old property's name.
struct WrittenPlan {
  private(set) var versions: [WrittenVersion] = []
  private(set) var stages: [WrittenStage] = []
  private(set) var notes: [WritingNote] = []
  let prefix: String

  init(_ family: [VersionedSchema]) {
    let taken = Set(family.flatMap { $0.model.entities.map(\.name) })
    prefix =
      ["Schema", "AppSchema", "StoreSchema"].first { name in
        !taken.contains { $0.hasPrefix(name + "V") }
      } ?? "WrittenSchema"
    var models: [(name: String, model: Model)] = []
    for version in family {
      if let last = models.last, Self.isOneVersion(last.model, version.model) {
        let unsure = SchemaComparison(ofClasses: last.model, version.model).relevant.first
        let shape =
          unsure.map { "may have the same identity (\($0))" } ?? "have the same shape"
        notes.append(
          WritingNote(
            .versionIdentifier,
            "",
            "'\(last.name)' and '\(version.name)' \(shape), and a plan may list it only once: one "
              + "version stands for both"
          )
        )
        models[models.count - 1] = (version.name, version.model)
      } else {
        models.append((version.name, version.model))
      }
    }
    let identifiers = Self.identifiers(of: models.map(\.model))
    for place in models.indices {
      let written = WrittenVersion(
        type: "\(prefix)V\(place + 1)",
        name: models[place].name,
        model: models[place].model,
        identifier: identifiers[place]
      )
      guard let last = versions.last else {
        versions.append(written)
        continue
      }
      let step = Step(from: last, to: written)
      versions += step.bridge.map { [$0] } ?? []
      versions.append(step.to)
      stages += step.stages
      // Use the property's name in the bridge as the renaming identifier in later versions.
      for later in models.indices.dropFirst(place + 1) {
        models[later].model = step.identified(models[later].model)
      }
    }
    renumber()
    noteRepeats()
  }

  /// Renumbers all versions if the models' identifiers leave no room for the bridges.
  private mutating func renumber() {
    let identifiers = versions.map(\.identifier)
    let isRising = zip(identifiers, identifiers.dropFirst()).allSatisfy {
      $0.lexicographicallyPrecedes($1)
    }
    guard !isRising else { return }
    var number = 0
    for place in versions.indices {
      let isBridge = versions[place].name == nil
      number += isBridge ? 0 : 1
      versions[place].identifier = [number, 0, isBridge ? 1 : 0]
    }
  }

  private static func identifiers(of models: [Model]) -> [[Int]] {
    let own = models.map { model in
      (model.versionIdentifiers.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        .map { Int($0) ?? -1 }
    }
    let isUsable = own.allSatisfy { $0.count == 3 && $0.allSatisfy { (0...99_999).contains($0) } }
    let isRising = zip(own, own.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    if isUsable, isRising { return own }
    return models.indices.map { [$0 + 1, 0, 0] }
  }

  private mutating func noteRepeats() {
    for (index, version) in versions.enumerated() {
      guard
        let first = versions[..<index].first(where: { Self.isOneVersion($0.model, version.model) })
      else { continue }
      notes.append(
        WritingNote(
          .versionIdentifier,
          "",
          "it has the shape of \(first.type) again: stores of both look alike, and a plan may list it "
            + "only once",
          version: version.type
        )
      )
    }
  }

  /// Whether the classes of two models are the same as far as is known; Core Data and SwiftData
  /// reject a plan that lists a version twice.
  ///
  /// Models with different unique constraints are different versions: public plans have versions
  /// that differ only in a constraint, such as that of Hacking with Swift, *How to create a complex
  /// migration*.
  private static func isOneVersion(_ first: Model, _ second: Model) -> Bool {
    constraints(of: first) == constraints(of: second)
      && SchemaComparison(ofClasses: first, second).answer != .changed
  }

  private static func constraints(of model: Model) -> [String: Set<Set<String>>] {
    let pairs = model.entities.map { entity in
      (entity.name, Set(EntityFacts(model: model, entity: entity).constraints.map { Set($0) }))
    }
    return Dictionary(keepingFirst: pairs)
  }

  /// The known risk of the plan if all its stages are lightweight.
  var risk: StagePlanRisk? {
    let isLightweight = stages.allSatisfy { if case .lightweight = $0.kind { true } else { false } }
    guard isLightweight else { return nil }
    return StagePlanRisk(
      versions.map { VersionedSchema(name: $0.name ?? $0.type, model: $0.model) }
    )
  }
}

private struct Step {
  private(set) var to: WrittenVersion
  private(set) var bridge: WrittenVersion?
  private(set) var stages: [WrittenStage] = []
  private var bridged: [String: [String: String]] = [:]

  init(from: WrittenVersion, to: WrittenVersion) {
    self.to = to
    let mapping = MappingModel(from: from.model, to: to.model)
    let renames = mapping.entities.compactMap { entity in
      entity.source.flatMap {
        $0 == entity.destination ? nil : "\($0) becomes \(entity.destination)"
      }
    }
    if !renames.isEmpty {
      let reason =
        "a class has no former name, so \(renames.joined(separator: ", ")) would drop the objects: "
        + "rename the entities by a last Core Data release, or copy the objects"
      stages = [.init(from: from.type, to: to.type, kind: .refused(reason), reasons: renames)]
      return
    }
    let reasons = mapping.obstacles.map(\.description)
    let unique = Self.unique(mapping)
    guard !reasons.isEmpty else {
      stages = [.init(from: from.type, to: to.type, kind: .lightweight, reasons: unique)]
      return
    }
    var builder = BridgeBuilder(mapping: mapping, from: from, to: to)
    for obstacle in mapping.obstacles { builder.add(obstacle) }
    if let reason = builder.refusal {
      stages = [.init(from: from.type, to: to.type, kind: .refused(reason), reasons: reasons)]
      return
    }
    self.to = builder.to
    bridged = builder.bridged
    let code = builder.code
    guard let bridge = builder.bridge else {
      stages = [.init(from: from.type, to: to.type, kind: .custom(code), reasons: reasons)]
      return
    }
    self.bridge = bridge
    stages = [
      .init(from: from.type, to: bridge.type, kind: .custom(code), reasons: reasons),
      .init(from: bridge.type, to: to.type, kind: .lightweight, reasons: unique),
    ]
  }

  /// The properties that become unique in a class, for the documentation of the stage.
  private static func unique(_ mapping: MappingModel) -> [String] {
    mapping.addedConstraints.compactMap { added -> String? in
      guard let entity = mapping.destination.entity(named: added.entity),
        EntityFacts(model: mapping.destination, entity: entity).constraints
          .contains(added.properties)
      else { return nil }
      return "\(added.entity): \(added.properties.joined(separator: " + "))"
    }
  }

  func identified(_ model: Model) -> Model {
    guard !bridged.isEmpty else { return model }
    var entities = model.entities
    for index in entities.indices {
      guard let names = bridged[entities[index].name] else { continue }
      for place in entities[index].attributes.indices {
        let attribute = entities[index].attributes[place]
        let identifier = attribute.renamingIdentifier ?? attribute.name
        if let name = names[identifier] {
          entities[index].attributes[place].renamingIdentifier = name
        }
      }
      for place in entities[index].relationships.indices {
        let relationship = entities[index].relationships[place]
        let identifier = relationship.renamingIdentifier ?? relationship.name
        if let name = names[identifier] {
          entities[index].relationships[place].renamingIdentifier = name
        }
      }
    }
    return model.with(entities)
  }
}

extension Model {
  /// Returns a copy of the model with the given entities.
  package func with(_ entities: [Entity]) -> Model {
    Model(
      entities: entities,
      versionIdentifiers: versionIdentifiers,
      configurations: configurations,
      fetchRequests: fetchRequests
    )
  }
}

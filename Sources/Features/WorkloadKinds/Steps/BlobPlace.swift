import Basics
import DataModel
import PersistentStore
import Runner

/// An attribute with the strategy for its blobs, as written in a scenario's workload file.
struct BlobPlace: Codable, Hashable, Sendable {
  typealias Strategy = BlobParameters.Strategy

  /// The attribute's name: `original` or, if several entities have an attribute of that name,
  /// `Photo.original`.
  let name: String
  let strategy: Strategy
  /// The line and column in the workload file; `nil` if unknown.
  var position: [Int]?

  static let form = ScriptForm(
    "binary attributes, each with one of "
      + Strategy.allCases.map(\.rawValue).joined(separator: ", "),
    .named("ATTRIBUTE", .choice(among: Strategy.self)),
    isMapping: true,
    read: { value in places(value)?.planText }
  )

  private static func places(_ value: YAMLValue) -> [BlobPlace]? {
    guard let entries = value.mapping()?.entries else { return nil }
    guard !entries.isEmpty else {
      value.report("\(value.name) names no attribute: write 'ATTRIBUTE: file', or leave it out")
      return nil
    }
    let places = entries.compactMap { entry -> BlobPlace? in
      let strategy: Strategy? = entry.value.choice()
      let position = entry.keyPlace.map { [$0.line, $0.column] }
      return strategy.map { BlobPlace(name: entry.key, strategy: $0, position: position) }
    }
    return places.count == entries.count ? places : nil
  }

  /// The attribute and strategy as a string, such as `Photo.original=file`, without the position.
  var words: String { "\(name)=\(strategy.rawValue)" }
}

/// An attribute of a model, with the strategy for its blobs.
struct KeptBlob: Hashable, Sendable {
  /// The entity that declares the attribute.
  let entity: String
  let attribute: String
  let strategy: BlobPlace.Strategy
  /// The entity that holds the blobs if the strategy is a separate entity.
  let holder: String

  /// Whether the attribute holds a file name or a reference instead of the blob.
  var isElsewhere: Bool { strategy == .file || strategy == .separateEntity }
  var words: String { "\(entity).\(attribute)" }
}

/// The strategies for the blobs of a case, and the resulting model of its store.
struct BlobPlaces: Sendable {
  let all: [KeptBlob]
  /// The model of the workload's own store, for which the steps are written.
  let given: Model
  /// The model of the case's store.
  let model: Model

  /// Keeps all blobs where the model keeps them.
  init(of model: Model) { (all, given, self.model) = ([], model, model) }

  /// Looks up the attributes; reports unknown and duplicate attributes to `problem` and skips them.
  init(
    _ places: [BlobPlace],
    in model: Model,
    problem: (BlobPlace, String) -> Void = { _, _ in }
  ) {
    var found: [KeptBlob] = []
    var names = Set(model.entities.map { $0.name.lowercased() })
    for place in places {
      do {
        let (entity, attribute) = try Self.find(place.name, in: model)
        if let other = found.first(where: { $0.entity == entity && $0.attribute == attribute }) {
          throw Refusal.badInput(
            "'\(other.words)' has two strategies, '\(other.strategy.rawValue)' and "
              + "'\(place.strategy.rawValue)': leave one of them out"
          )
        }
        var holder = entity + attribute.prefix(1).uppercased() + attribute.dropFirst()
        while !names.insert(holder.lowercased()).inserted { holder += "Blob" }
        found.append(
          KeptBlob(
            entity: entity,
            attribute: attribute,
            strategy: place.strategy,
            holder: holder
          )
        )
      } catch {
        problem(place, "\(error)")
      }
    }
    (all, given) = (found, model)
    self.model = Self.model(model, found, isEmptied: false)
  }

  /// Finds an attribute by its name, which may include the entity, as in `Photo.original`.
  ///
  /// - Returns: The attribute, and the entity that declares it.
  private static func find(
    _ name: String,
    in model: Model
  ) throws -> (entity: String, attribute: String) {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let entity: Entity
    let attribute: Attribute
    if parts.count == 2 {
      let named = try model.knownEntity(parts[0])
      attribute = try model.storedAttribute(parts[1], of: named)
      entity = model.declarer(of: parts[1], in: named) ?? named
    } else {
      let found = model.entities.flatMap { entity in
        entity.attributes.filter { $0.type == .binary && !$0.isTransient }.map { (entity, $0) }
      }
      let matches = found.filter { $0.1.name == name }
      guard let match = matches.first else {
        throw Refusal.badInput(
          "no entity has a binary attribute '\(name)'"
            + nameHint(name, among: Set(found.map(\.1.name)).sorted())
        )
      }
      guard matches.count == 1 else {
        let owners = matches.map { "'\($0.0.name).\(name)'" }
        throw Refusal.badInput(
          "'\(name)' is an attribute of several entities: write \(owners.joined(separator: " or "))"
        )
      }
      (entity, attribute) = match
    }
    guard attribute.type == .binary else {
      throw Refusal.badInput("'\(name)' is no blob: name an attribute of type binary")
    }
    let isKey = model.family(of: entity).contains { member in
      member.uniquenessConstraints.joined().contains(attribute.name)
        || member.fetchIndexes.contains { $0.elements.contains { $0.property == attribute.name } }
    }
    guard !isKey else {
      throw Refusal.badInput(
        "'\(name)' is part of an index or of a unique constraint: it stays in its row, so leave it out"
      )
    }
    return (entity.name, attribute.name)
  }

  /// The model with the attributes changed to suit their strategies or, if `isEmptied` is true,
  /// without these attributes.
  static func model(_ model: Model, _ kept: [KeptBlob], isEmptied: Bool) -> Model {
    guard !kept.isEmpty else { return model }
    var holders: [Entity] = []
    let entities = model.entities.map { entity -> Entity in
      var entity = entity
      for blob in kept where blob.entity == entity.name {
        guard let place = entity.attributes.firstIndex(where: { $0.name == blob.attribute }) else {
          continue
        }
        var attribute = entity.attributes.remove(at: place)
        guard !isEmptied else { continue }
        // The attribute must be optional, because it is filled only after the store has been
        // migrated to this model.
        attribute.isOptional = true
        attribute.defaultValue = .null
        attribute.allowsExternalStorage = blob.strategy == .externalStorage
        switch blob.strategy {
        case .inline, .externalStorage: entity.attributes.append(attribute)
        case .file: entity.attributes.append(Attribute(name: blob.attribute, type: .string))
        case .separateEntity:
          entity.relationships.append(
            Relationship(
              name: blob.attribute,
              destination: blob.holder,
              inverse: BlobScenario.owner,
              deleteRule: .cascade
            )
          )
          holders.append(
            Entity(
              name: blob.holder,
              attributes: [Attribute(name: BlobScenario.data, type: .binary)],
              relationships: [
                Relationship(
                  name: BlobScenario.owner,
                  destination: entity.name,
                  inverse: blob.attribute
                )
              ]
            )
          )
        }
      }
      return entity
    }
    return Model(entities: entities + holders, versionIdentifiers: model.versionIdentifiers)
  }

  // MARK: Looking up blobs and files

  /// An entity's blob attributes for which the case chooses a strategy, including inherited ones.
  func of(_ entity: Entity) -> [KeptBlob] {
    let lineage = Set(given.lineage(of: entity).map(\.name))
    return all.filter { lineage.contains($0.entity) }
  }

  /// The attributes that contain the name of one of the app's own files.
  ///
  /// The content of the file counts as the attribute's value.
  var pathAttributes: Set<PathAttribute> {
    Set(
      all.filter { $0.strategy == .file }.map {
        PathAttribute(entity: $0.entity, attribute: $0.attribute)
      }
    )
  }
}

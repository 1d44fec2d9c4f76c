/// One pass over a model that gathers its problems.
struct ModelCheck {
  /// Far above any real model; keeps the work on hostile ones small.
  private static let mostEntities = 2000

  let model: Model
  private let byName: [String: Entity]
  private(set) var problems: [ModelProblem] = []

  init(_ model: Model) {
    self.model = model
    byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
  }

  mutating func run() {
    guard model.entities.count <= ModelCheck.mostEntities else {
      return report("the model has more than \(ModelCheck.mostEntities) entities")
    }
    checkEntityNames()
    checkConfigurations()
    checkIndexNames()
    for entity in model.entities {
      checkInheritance(of: entity)
      checkProperties(of: entity)
      for attribute in entity.attributes { checkAttribute(attribute, of: entity) }
      for relationship in entity.relationships { checkRelationship(relationship, of: entity) }
      checkIndexes(of: entity)
    }
  }

  mutating func report(
    _ message: String,
    entity: Entity? = nil,
    part: String? = nil,
    severity: Diagnostic.Severity = .error
  ) {
    problems.append(
      ModelProblem(severity: severity, entity: entity?.name, part: part, message: message)
    )
  }

  func entity(named name: String) -> Entity? {
    byName[name]
  }

  var entityNames: [String] { model.entities.map(\.name) }

  /// The entity and what it inherits from, the entity itself first.
  func ancestors(of entity: Entity) -> [Entity] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let name = chain.last?.superentity, seen.insert(name).inserted, let above = byName[name] {
      chain.append(above)
    }
    return chain
  }

  private mutating func checkEntityNames() {
    if model.entities.isEmpty { report("the model has no entities") }
    var tables: [String: String] = [:]
    for entity in model.entities {
      if let fault = nameFault(entity.name) {
        report("the entity name '\(entity.name.prefix(300))' \(fault)", entity: entity)
      } else if entity.name.hasPrefix("_") {
        // Z_PRIMARYKEY, Z_METADATA and the join tables start so.
        report("an entity name cannot start with an underscore", entity: entity)
      }
      let table = entity.name.uppercased()
      if let other = tables[table] {
        let clash = other == entity.name ? "is there twice" : "differs from '\(other)' in case only"
        report("the entity \(clash)", entity: entity)
      }
      tables[table] = entity.name
    }
  }

  private mutating func checkConfigurations() {
    for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
      for member in members where byName[member] == nil {
        let hint = didYouMean(member, among: entityNames)
        report("the configuration '\(name)' names an unknown entity '\(member)'\(hint)")
      }
    }
  }

  private mutating func checkInheritance(of entity: Entity) {
    guard let name = entity.superentity else { return }
    guard byName[name] != nil else {
      let hint = didYouMean(name, among: entityNames)
      return report("the super-entity '\(name)' does not exist\(hint)", entity: entity)
    }
    if let last = ancestors(of: entity).last, let above = last.superentity, byName[above] != nil {
      report("the super-entities form a circle", entity: entity)
    }
  }
}

import DataModel

/// What Core Data and SwiftData need to work on one store side by side.
struct CoexistenceAudit {
  let old: ModelInput
  let new: ModelInput

  var findings: [RuleFinding] { [sameNames, classNames, hashes, history] }

  private var sameNames: RuleFinding {
    let (before, after) = (old.version.model, new.version.model)
    let missing = before.entities.filter { after.entity(named: $0.name) == nil }.map(\.name)
    let properties = before.entities.flatMap { entity -> [String] in
      guard let twin = after.entity(named: entity.name) else { return [] }
      let names = Set(
        after.attributes(of: twin).map(\.name) + after.relationships(of: twin).map(\.name)
      )
      return (entity.attributes.map(\.name) + entity.relationships.map(\.name))
        .filter { !names.contains($0) }.map { "\(entity.name).\($0)" }
    }
    return RuleFinding(
      rule: "coexistence.sameNames",
      text: "entities and properties have the same names in both models",
      advice: "name them alike, or give the former name as originalName",
      source: .migrateToSwiftData,
      places: missing + properties
    )
  }

  /// A class generated from the model is named like its entity, and so is a SwiftData class.
  private var classNames: RuleFinding {
    let taken = Set(new.version.model.entities.map(\.name))
    let clashes = old.version.model.entities.filter { entity in
      taken.contains(entity.className.split(separator: ".").last.map(String.init) ?? "")
    }
    return RuleFinding(
      rule: "coexistence.classNames",
      text: "no class of Core Data is named like one of SwiftData",
      advice: "rename the Core Data class, such as to CDName; the entity keeps its name",
      source: .migrateToSwiftData,
      places: clashes.map { "class \($0.className) of \($0.name)" }
    )
  }

  private var hashes: RuleFinding {
    let (before, after) = (old.hashes ?? [:], new.hashes ?? [:])
    let differing = before.keys.filter { after[$0] != nil && after[$0] != before[$0] }.sorted()
    return RuleFinding(
      rule: "coexistence.hashes",
      text: "entities of the same name have the same version hash",
      advice: "make their properties equal in both models",
      source: .migrateToSwiftData,
      places: differing
    )
  }

  private var history: RuleFinding {
    let lacksHistory = old.store.map { !$0.keepsHistory } ?? false
    return RuleFinding(
      rule: "coexistence.history",
      text: "the store keeps persistent history: SwiftData opens it read-only otherwise",
      advice: "set NSPersistentHistoryTrackingKey in the Core Data stack first",
      source: .migrateToSwiftData,
      places: lacksHistory ? [old.title] : []
    )
  }
}

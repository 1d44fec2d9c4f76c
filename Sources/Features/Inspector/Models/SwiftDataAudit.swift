import DataModel

/// What of a Core Data model SwiftData lacks on a system.
struct SwiftDataAudit {
  private let model: Model
  private let places: ModelPlaces
  private let target: TargetSystem

  init(model: Model, target: TargetSystem) {
    self.model = model
    self.target = target
    places = ModelPlaces(model: model)
  }

  /// Every rule, broken or not, that the target does not lift.
  var findings: [RuleFinding] {
    rules.filter { rule in rule.since.map { target < $0 } ?? true }.map { rule in
      let since = rule.since.map { "SwiftData supports them from \($0.name) on" }
      return RuleFinding(
        rule: "swiftData." + rule.name,
        text: [rule.text, since].compactMap(\.self).joined(separator: "; "),
        advice: rule.advice,
        source: rule.source,
        places: rule.places
      )
    }
  }

  /// What a model of SwiftData's own has that came later than the target.
  var needs: [RuleFinding] {
    rules.compactMap { rule in
      guard let since = rule.since, target < since, rule.name != "history" else { return nil }
      return RuleFinding(
        rule: "swiftData.needs." + rule.name,
        text:
          "the new model needs \(since.name): \(rule.text.replacing("no ", with: "", maxReplacements: 1))",
        advice: "raise the target, or remove it from the model",
        source: rule.source,
        places: rule.places
      )
    }
  }

  private struct Rule {
    let name: String
    let text: String
    /// The system from which on the rule no longer holds.
    var since: TargetSystem?
    let advice: String
    let source: RuleFinding.Source
    let places: [String]
  }

  private var rules: [Rule] { structure + properties + indexing }

  private var structure: [Rule] {
    [
      Rule(
        name: "inheritance",
        text: "no inheritance",
        since: .ios26,
        advice: "repeat the inherited properties in each model, or raise the target",
        source: .inheritance,
        places: places.entities { $0.superentity != nil }
      ),
      Rule(
        name: "abstract",
        text: "no abstract entities: in SwiftData a parent class can have its own objects",
        advice: "never insert objects of the parent, or make the parent concrete on purpose",
        source: .nothingFound,
        places: places.entities(where: \.isAbstract)
      ),
      Rule(
        name: "fetchRequests",
        text: "no fetched properties and no stored fetch requests",
        advice: "write them as a FetchDescriptor in code",
        source: .auditGuide,
        places: model.fetchRequests.map { "the fetch request \($0.name)" }
          + model.entities.flatMap { entity in
            entity.fetchedProperties.map { "\(entity.name).\($0.name)" }
          }
      ),
    ]
  }

  private var properties: [Rule] {
    [
      Rule(
        name: "order",
        text: "no ordered relationships: an array comes back in any order",
        advice: "add an attribute for the position and sort by it",
        source: .cloudKitRules,
        places: places.relationships(where: \.isOrdered)
      ),
      Rule(
        name: "derived",
        text: "no derived attributes",
        advice: "compute the value in code, or store and update it",
        source: .nothingFound,
        places: places.attributes { $0.derivation != nil }
      ),
      Rule(
        name: "transformable",
        text: "a transformable attribute becomes a Codable type; the documentation also allows a "
          + "named value transformer, which the guides do not mention",
        advice: "read the values once with the old class, and write them as Codable",
        source: .options,
        places: places.attributes { $0.type == .transformable }
      ),
      Rule(
        name: "composite",
        text: "a composite attribute becomes a Codable struct",
        advice: "declare a struct with the same elements",
        source: .nothingFound,
        places: places.attributes { $0.type == .composite }
      ),
      Rule(
        name: "objectID",
        text: "no attributes of type object ID",
        advice: "use a relationship, or a UUID",
        source: .nothingFound,
        places: places.attributes { $0.type == .objectID }
      ),
      Rule(
        name: "validation",
        text: "no validation in the model: bounds and patterns",
        advice: "check the values in code before they are saved",
        source: .nothingFound,
        places: places.attributes {
          $0.minimum != .null || $0.maximum != .null || $0.pattern != nil
        }
      ),
      Rule(
        name: "history",
        text: "no attributes that history preserves after deletion",
        since: .ios18,
        advice: "read history with Core Data until then; the documentation lists the option from "
          + "iOS 17",
        source: .whatIsNew,
        places: places.attributes(where: \.preservesValueOnDeletion)
      ),
    ]
  }

  private var indexing: [Rule] {
    [
      Rule(
        name: "compoundUnique",
        text: "no unique constraints over several properties",
        since: .ios18,
        advice: "add one attribute that combines the values, or raise the target",
        source: .whatIsNew,
        places: places.constraints { $0.count > 1 }
      ),
      Rule(
        name: "indexes",
        text: "no indexes",
        since: .ios18,
        advice: "expect slower fetches, or raise the target",
        source: .whatIsNew,
        places: places.indexes { index in index.elements.allSatisfy { $0.kind == .binary } }
      ),
      Rule(
        name: "rTree",
        text: "no R-tree indexes",
        since: .ios18,
        advice: "filter by bounds on the attributes, or raise the target",
        source: .rTree,
        places: places.indexes { index in index.elements.contains { $0.kind == .rTree } }
      ),
      Rule(
        name: "partialIndexes",
        text: "no partial indexes",
        advice: "index the attributes without a predicate",
        source: .nothingFound,
        places: places.indexes { $0.partialPredicate != nil }
      ),
    ]
  }
}

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
      advice: "give them the same names; only attributes and relationships can have a former name "
        + "(originalName), classes cannot",
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
      text: "no Core Data class has the name of a SwiftData class",
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
      advice: "make their properties the same in both models",
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

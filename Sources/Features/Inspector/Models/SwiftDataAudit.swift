import Basics
import DataModel

struct SwiftDataAudit {
  private let model: Model
  private let places: ModelPlaces
  private let target: TargetSystem

  init(model: Model, target: TargetSystem) {
    self.model = model
    self.target = target
    places = ModelPlaces(model: model)
  }

  /// The rules that apply to the target system, whether or not they are violated.
  var findings: [RuleFinding] {
    rules.filter { rule in rule.since.map { target < $0 } ?? true }.map { rule in
      let since = rule.since.map { "SwiftData supports them from \($0.name) on" }
      let text = [rule.text, since].compactMap(\.self).joined(separator: "; ")
      return RuleFinding("swiftData.", (rule.name, text, rule.advice, rule.source, rule.places))
    }
  }

  /// The features of a SwiftData model that the target system lacks.
  var needs: [RuleFinding] {
    rules.compactMap { rule in
      guard let since = rule.since, target < since, rule.name != "history" else { return nil }
      let feature = rule.text.replacing("no ", with: "", maxReplacements: 1)
      return RuleFinding(
        "swiftData.needs.",
        (
          rule.name, "the new model needs \(since.name): \(feature)",
          "raise the target, or remove it from the model", rule.source, rule.places
        )
      )
    }
  }

  /// A rule with the places that violate it; `since` is the first system on which the rule no
  /// longer applies.
  private typealias Rule = (
    name: String, since: TargetSystem?, text: String, advice: String, source: RuleFinding.Source,
    places: [String]
  )

  private var rules: [Rule] { structure + properties + indexing }

  private var structure: [Rule] {
    [
      (
        "inheritance", .ios26, "no inheritance",
        "repeat the inherited properties in each model, or raise the target", .inheritance,
        places.entities { $0.superentity != nil }
      ),
      (
        "abstract", nil,
        "no abstract entities: in SwiftData a parent class can have its own objects",
        "never insert objects of the parent, or make the parent concrete on purpose", .nothingFound,
        places.entities(where: \.isAbstract)
      ),
      (
        "fetchRequests", nil, "no fetched properties and no stored fetch requests",
        "write them as a FetchDescriptor in code", .auditGuide,
        model.fetchRequests.map { "the fetch request \($0.name)" }
          + model.entities.flatMap { entity in
            entity.fetchedProperties.map { "\(entity.name).\($0.name)" }
          }
      ),
    ]
  }

  private var properties: [Rule] {
    [
      (
        "order", nil, "no ordered relationships: an array comes back in any order",
        "first fill an attribute for the position, with Core Data, and sort by it", .cloudKitRules,
        places.relationships(where: \.isOrdered)
      ),
      (
        "derived", nil, "no derived attributes",
        "compute the value in code, or store and update it", .nothingFound,
        places.attributes { $0.derivation != nil }
      ),
      (
        "transformable", nil,
        "a transformable attribute needs its transformer; a Codable type, as in the guides, is "
          + "another type, which needs a copy of the values",
        "declare it with @Attribute(.transformable(by:))", .options,
        places.attributes { $0.type == .transformable }
      ),
      (
        "composite", nil, "a composite attribute becomes a Codable struct",
        "declare a struct with the same elements", .nothingFound,
        places.attributes { $0.type == .composite }
      ),
      (
        "objectID", nil, "no attributes of type object ID", "use a relationship, or a UUID",
        .nothingFound, places.attributes { $0.type == .objectID }
      ),
      (
        "validation", nil, "no validation in the model: bounds and patterns",
        "check the values in code before they are saved", .nothingFound,
        places.attributes { $0.minimum != .null || $0.maximum != .null || $0.pattern != nil }
      ),
      (
        "history", .ios18, "no attributes that history preserves after deletion",
        "read history with Core Data until then; the documentation lists the option from "
          + "iOS 17", .whatIsNew, places.attributes(where: \.preservesValueOnDeletion)
      ),
    ]
  }

  private var indexing: [Rule] {
    [
      (
        "compoundUnique", .ios18, "no unique constraints over several properties",
        "add one attribute that combines the values, or raise the target", .whatIsNew,
        places.constraints { $0.count > 1 }
      ),
      (
        "indexes", .ios18, "no indexes", "expect slower fetches, or raise the target", .whatIsNew,
        places.indexes { index in index.elements.allSatisfy { $0.kind == .binary } }
      ),
      (
        "rTree", .ios18, "no R-tree indexes",
        "filter by bounds on the attributes, or raise the target", .rTree,
        places.indexes { index in index.elements.contains { $0.kind == .rTree } }
      ),
      (
        "partialIndexes", nil, "no partial indexes", "index the attributes without a predicate",
        .nothingFound, places.indexes { $0.partialPredicate != nil }
      ),
    ]
  }
}

/// The conditions under which Core Data and SwiftData can use one store at the same time.
struct CoexistenceAudit {
  let old: ModelInput
  let new: ModelInput

  var findings: [RuleFinding] {
    [sameNames, classNames, hashes, history].map { RuleFinding("coexistence.", $0) }
  }

  private var sameNames: RuleFinding.Row {
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
    return (
      "sameNames", "entities and properties have the same names in both models",
      "give them the same names; only attributes and relationships can have a former name "
        + "(originalName), classes cannot", .migrateToSwiftData, missing + properties
    )
  }

  /// The rule that no Core Data class may have the name of a SwiftData class, since both are named
  /// after their entities.
  private var classNames: RuleFinding.Row {
    let taken = Set(new.version.model.entities.map(\.name))
    let clashes = old.version.model.entities.filter { entity in
      taken.contains(entity.className.split(separator: ".").last.map(String.init) ?? "")
    }
    return (
      "classNames", "no Core Data class has the name of a SwiftData class",
      "rename the Core Data class, such as to CDName; the entity keeps its name",
      .migrateToSwiftData, clashes.map { "class \($0.className) of \($0.name)" }
    )
  }

  private var hashes: RuleFinding.Row {
    let (before, after) = (old.hashes ?? [:], new.hashes ?? [:])
    let differing = old.version.model.entities.map(\.name).filter { name in
      guard let first = before[name], let second = after[name] else { return isChanged(name) }
      return first != second
    }
    return (
      "hashes", "entities of the same name have the same version hash",
      "make their properties the same in both models", .migrateToSwiftData, differing
    )
  }

  /// Whether an entity's properties differ in the new model, so that the entity's version hash must
  /// differ.
  private func isChanged(_ name: String) -> Bool {
    let (before, after) = (old.version.model, new.version.model)
    guard let first = before.entity(named: name), let second = after.entity(named: name) else {
      return false
    }
    func attributes(_ model: Model, _ entity: Entity) -> [String: AttributeType] {
      let pairs = model.attributes(of: entity).map { ($0.name, $0.type) }
      return Dictionary(keepingFirst: pairs)
    }
    func relationships(_ model: Model, _ entity: Entity) -> Set<String> {
      Set(model.relationships(of: entity).map { "\($0.name) \($0.destination) \($0.isToMany)" })
    }
    return attributes(before, first) != attributes(after, second)
      || relationships(before, first) != relationships(after, second)
  }

  /// The rule that Core Data must open the store with persistent history, which SwiftData always
  /// keeps.
  ///
  /// A store without history violates the rule, because Core Data opened it without that option.
  private var history: RuleFinding.Row {
    let lacksHistory = old.store.map { !$0.keepsHistory } ?? false
    return (
      "history",
      "Core Data sets NSPersistentHistoryTrackingKey: SwiftData keeps history, and without this key"
        + " Core Data opens a store with history read-only",
      "set it in every Core Data stack that also opens the store", .historyReadOnly,
      lacksHistory ? [old.title] : []
    )
  }
}

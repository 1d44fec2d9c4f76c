import DataModel
import PersistentStore

/// The guides' checklists, each item answered from the files as far as they go.
struct MigrationChecklist {
  let comparison: ModelComparison

  var items: [ChecklistItem] { audit + versioning + migration + coexistence + safety }

  private func item(
    _ section: String,
    _ text: String,
    _ state: ChecklistItem.State,
    _ evidence: String,
    _ source: RuleSource
  ) -> ChecklistItem {
    ChecklistItem(section: section, text: text, state: state, evidence: evidence, source: source)
  }

  /// An item that a rule answers.
  private func item(_ section: String, _ finding: RuleFinding) -> ChecklistItem {
    item(
      section,
      finding.text,
      finding.isBroken ? .failed : .checked,
      finding.isBroken
        ? "\(PlaceList.text(finding.places)): \(finding.advice)" : "nothing in the model breaks it",
      finding.source
    )
  }

  private var audit: [ChecklistItem] {
    let (model, section) = (comparison.old.version.model, "Audit the model")
    let places = ModelPlaces(model: model)
    let properties = model.entities.map { $0.attributes.count + $0.relationships.count }
    func listed(_ text: String, _ found: [String]) -> ChecklistItem {
      item(section, text, .checked, found.isEmpty ? "none" : PlaceList.text(found), .auditGuide)
    }
    let counted = "\(model.entities.count) entities, \(properties.reduce(0, +)) properties"
    return [
      item(section, "list all entities and their properties", .checked, counted, .auditGuide),
      listed("identify unique constraints", places.constraints { _ in true }),
      listed(
        "note transformable attributes",
        places.attributes { $0.type == .transformable }
      ),
      listed("check for derived attributes", places.attributes { $0.derivation != nil }),
      item(
        section,
        "look through the classes for logic of their own",
        .yours,
        "no file of the model shows it",
        .auditGuide
      ),
    ]
  }

  private var versioning: [ChecklistItem] {
    let (old, section) = (comparison.old, "Versions")
    let isNamed = old.version.model.versionIdentifiers != [""]
    let match = comparison.match
    let unmatched = item(
      section,
      "the store's version is one of the model's versions",
      .yours,
      "compare the store with the whole family: inspect STORE MODEL.xcdatamodeld",
      .safetyChecklist
    )
    return [
      item(
        section,
        "the old version has an identifier; without one, wrap it in a versioned schema first",
        isNamed ? .checked : .failed,
        isNamed ? old.version.model.versionIdentifiers.joined(separator: ", ") : "it has none",
        .safetyChecklist
      ),
      match.map { match in
        item(
          section,
          "the store's version is one of the model's versions",
          match.version == nil ? .failed : .checked,
          "it \(match)",
          .safetyChecklist
        )
      } ?? unmatched,
      item(
        section,
        "users who skip versions arrive from every older one",
        .yours,
        "inspect a store of each version that was ever released",
        .safetyChecklist
      ),
    ]
  }

  private var migration: [ChecklistItem] {
    let (section, mapping) = ("Migration", comparison.mapping)
    let obstacles = mapping.obstacles.map(\.description)
    let renames = comparison.suspectedRenames
    let hasStore = comparison.old.store != nil
    let data = comparison.dataObstacles.map(\.sentence)
    return [
      item(
        section,
        "a lightweight migration does all of it",
        obstacles.isEmpty ? .checked : .failed,
        obstacles.first ?? "no obstacle between the models",
        .lightweight
      ),
      item(
        section,
        "what is renamed carries its former name",
        renames.isEmpty ? .checked : .failed,
        renames.first.map(\.sentence) ?? "nothing goes where its like comes",
        .lightweight
      ),
      item(
        section,
        "no data stands in the way: duplicates, missing values",
        hasStore ? (data.isEmpty ? .checked : .failed) : .yours,
        hasStore ? data.first ?? "counted in the store" : "give a store as OLD",
        .safetyChecklist
      ),
      item(
        section,
        "nothing is dropped that users want to keep",
        comparison.dropped.isEmpty ? .checked : .yours,
        comparison.dropped.isEmpty
          ? "nothing is dropped" : "dropped: \(PlaceList.text(comparison.dropped.map(\.name)))",
        .safetyChecklist
      ),
    ]
  }

  private var coexistence: [ChecklistItem] {
    guard comparison.isTowardsSwiftData else { return [] }
    let section = "SwiftData"
    return comparison.swiftData.filter(\.isBroken).map { item(section, $0) }
      + comparison.coexistence.map { finding in
        finding.rule == "coexistence.history" && comparison.old.store == nil
          ? item(section, finding.text, .yours, "give a store as OLD", finding.source)
          : item(section, finding)
      }
  }

  private var safety: [ChecklistItem] {
    let section = "Before you ship"
    let source = RuleSource.safetyChecklist
    let store = comparison.old.store?.store.name ?? "STORE"
    return [
      item(section, "back up the store before, restore it on failure", .yours, "in code", source),
      item(section, "compare counts before and after", .yours, "in code", source),
      item(
        section,
        "migrate off the main thread, within the launch watchdog's 20 s",
        .yours,
        "time it: storebench run Workloads/migration --store \(store)",
        source
      ),
      item(section, "try it on a device with a user's real store", .yours, "by hand", source),
    ]
  }
}

import Basics
import DataModel
import Foundation
import PersistentStore

/// The checklists of published guides, with answers from the models and stores where possible.
struct MigrationChecklist {
  /// A line of a checklist: its text, its state, the evidence for the state, and the guide.
  private typealias Entry = (String, ChecklistItem.State, String, RuleFinding.Source)

  let comparison: ModelComparison

  private var old: ModelInput { comparison.old }
  private var places: ModelPlaces { ModelPlaces(model: old.version.model) }

  var items: [ChecklistItem] {
    [
      ("Audit the model", audit), ("Versions", versioning), ("Migration", migration),
      ("SwiftData", swiftData), ("The store's files", files), ("Before you ship", shipping),
    ].flatMap { section, entries in
      entries.map { text, state, evidence, source in
        ChecklistItem(
          section: section,
          text: text,
          state: state,
          evidence: evidence,
          source: source
        )
      }
    }
  }

  private var audit: [Entry] {
    let model = old.version.model
    func listed(_ text: String, _ found: [String]) -> Entry {
      (text, .checked, found.isEmpty ? "none" : Figures.few(found), .auditGuide)
    }
    return [
      ("list all entities and their properties", .checked, model.contents, .auditGuide),
      listed("identify unique constraints", places.constraints { _ in true }),
      listed("note transformable attributes", places.attributes { $0.type == .transformable }),
      listed("check for derived attributes", places.attributes { $0.derivation != nil }),
      (
        "look through the classes for custom logic", .yours, "model files do not show it",
        .auditGuide
      ),
    ]
  }

  private var versioning: [Entry] {
    let identifiers = old.version.model.versionIdentifiers
    let isNamed = identifiers != [""]
    let match = comparison.match
    return [
      (
        "the old version has an identifier; without one, wrap it in a versioned schema first",
        isNamed ? .checked : .failed, isNamed ? identifiers.joined(separator: ", ") : "it has none",
        .safetyChecklist
      ),
      (
        "the store's version is one of the model's versions",
        match.map { $0.version == nil ? .failed : .checked } ?? .yours,
        match.map { "it \($0)" }
          ?? "compare the store with the whole family: inspect STORE MODEL.xcdatamodeld",
        .safetyChecklist
      ),
      (
        "users may skip versions and update from any older version", .yours,
        "inspect a store of each version that was ever released", .safetyChecklist
      ),
      (
        "a staged migration (SchemaMigrationPlan, NSStagedMigrationManager) has a custom stage "
          + "between versions that users may skip, or was tested from each version",
        comparison.stagePlanRisk == nil || !comparison.hasPlan ? .yours : .failed,
        comparison.stagePlanRisk.map {
          comparison.hasPlan ? $0.description : "if the app uses a stage manager: \($0)"
        }
          ?? "compare with the whole family to see whether all stages would be lightweight",
        .stagePlan
      ),
    ]
  }

  private var migration: [Entry] {
    let renames = comparison.suspectedRenames
    let data = comparison.dataObstacles.map(\.sentence)
    let dropped = comparison.dropped.map(\.name)
    return [
      wholeness,
      (
        "renamed entities and properties have their former name as renaming identifier",
        renames.isEmpty ? .checked : .failed,
        renames.first.map(\.sentence) ?? "no removed name has a similar new name", .lightweight
      ),
      (
        "no data prevents the migration: duplicates, missing values",
        old.store == nil ? .yours : data.isEmpty ? .checked : .failed,
        old.store == nil ? "give a store as OLD" : data.first ?? "counted in the store",
        .safetyChecklist
      ),
      (
        "no data is dropped that users want to keep", dropped.isEmpty ? .checked : .yours,
        dropped.isEmpty ? "nothing is dropped" : "dropped: \(Figures.few(dropped))",
        .safetyChecklist
      ),
    ]
  }

  /// The item on whether a lightweight migration, or a copy with a map, keeps all objects.
  private var wholeness: Entry {
    let isMapped = comparison.mapping.map != nil
    let lost = comparison.dropped.filter {
      $0.kind == .objects && $0.count != 0 && !$0.isIntended
    }
    let problem =
      comparison.mapping.obstacles.first?.description
      ?? (lost.isEmpty ? nil : "objects would be dropped: \(Figures.few(lost.map(\.name)))")
    return (
      isMapped
        ? "the map has a place for every object and value"
        : "a lightweight migration can make all changes",
      problem == nil ? .checked : .failed, problem ?? "the models allow it",
      isMapped ? .safetyChecklist : .lightweight
    )
  }

  private var swiftData: [Entry] {
    guard comparison.isTowardsSwiftData else { return [] }
    let coexistence = comparison.coexistence.map { finding -> Entry in
      if finding.rule == "coexistence.history", old.store == nil {
        return (finding.text, .yours, "give a store as OLD", finding.source)
      }
      let hasHashes = old.hashes != nil && comparison.new.hashes != nil
      if finding.rule == "coexistence.hashes", !finding.isBroken, !hasHashes {
        return (
          finding.text, .yours, "a source without version hashes does not show it", finding.source
        )
      }
      return entry(of: finding)
    }
    let pair = old.store.map { renaming + paired($0) } ?? []
    return comparison.swiftData.filter(\.isBroken).map(entry(of:)) + coexistence + pair
  }

  /// Returns the checklist item for a rule's finding.
  private func entry(of finding: RuleFinding) -> Entry {
    finding.isBroken
      ? (finding.text, .failed, "\(Figures.few(finding.places)): \(finding.advice)", finding.source)
      : (finding.text, .checked, "the model keeps this rule", finding.source)
  }

  private var renaming: [Entry] {
    guard let first = comparison.renameFirst, !comparison.isSameVersion else { return [] }
    return [
      (
        "a last Core Data release can give the entities their new names, by renaming identifiers",
        first.isPossible ? (first.isDrafted ? .yours : .checked) : .failed,
        first.reason
          ?? (first.isDrafted ? "if the guesses of --draft-map are right, " : "")
            + "a lightweight migration renames them; it is assumed that SwiftData then opens the store",
        .renaming
      ),
      (
        "no SwiftData class relies on an originalName: it is documented only for attributes and "
          + "relationships", .yours,
        "look for @Model(originalName:) in the code; the macro takes no parameter", .originalName
      ),
    ]
  }

  /// Returns the items that the user can check only with the real store and the new app.
  private func paired(_ store: StoreFacts) -> [Entry] {
    let (name, transformables) = (store.store.name, places.attributes { $0.type == .transformable })
    let all: [(applies: Bool, entry: Entry)] = [
      (
        store.keepsHistory,
        (
          "all code that opens the old store sets NSPersistentHistoryTrackingKey: without this "
            + "option, a store with history becomes read-only", .yours,
          "\(name) keeps history (ATRANSACTION): the app, its extensions and the code of the copy",
          .historyReadOnly
        )
      ),
      (
        store.isMirrored,
        (
          "a new store has no sync metadata: every object is uploaded again and appears twice on "
            + "other devices until the duplicates are merged", .failed,
          "\(name) is mirrored to CloudKit (ANSCK… tables): after a copy, merge duplicates by your "
            + "identifier; a store opened in place keeps these tables", .movedMirroring
        )
      ),
      (
        !transformables.isEmpty,
        (
          "transformable values keep their transformer, by .transformable(by:); as Codable values "
            + "they are of another type and copied once", .yours,
          "\(Figures.few(transformables)); 'storebench run "
            + "Workloads/migration/transformable.yaml' shows what it costs", .options
        )
      ),
    ]
    return all.filter(\.applies).map(\.entry)
  }

  private var files: [Entry] {
    guard comparison.isTowardsSwiftData, let store = old.store?.store else { return [] }
    let others = [store.wal, store.supportFolder].filter(FileManager.default.fileExists)
      .map { ($0 as NSString).lastPathComponent }
    return [
      (
        "the store, its -wal and its _SUPPORT folder move together, by replacePersistentStore and "
          + "not as files", .yours,
        others.isEmpty
          ? "only \(store.name) was given, without the other files"
          : ([store.name] + others).joined(separator: ", "), .movedFiles
      ),
      (
        "the ModelConfiguration gives the store's location: default.store, a different name, or the "
          + "App Group", .yours,
        comparison.new.store.map { "the new store is \($0.store.name)" }
          ?? "give the new app's store as NEW", .groupContainer
      ),
      (
        "widgets and other extensions of the old version run until the update is complete: at the "
          + "former path they find no store or an old store", .yours,
        "no file shows which other processes open \(store.name)", .nothingFound
      ),
    ]
  }

  private var shipping: [Entry] {
    [
      ("back up the store before, restore it on failure", .yours, "in code", .safetyChecklist),
      ("compare counts before and after", .yours, "in code", .safetyChecklist),
      (
        "migrate off the main thread, within the launch watchdog's 20 s", .yours,
        "measure its time: the command is at the end", .safetyChecklist
      ),
      ("try it on a device with a user's real store", .yours, "by hand", .safetyChecklist),
    ]
  }
}

/// One line of a guide's checklist, with its answer.
package struct ChecklistItem: Hashable, Encodable, Sendable {
  package enum State: String, Encodable, Sendable {
    /// The files show that the condition is met.
    case checked
    /// The files show that the condition is not met.
    case failed
    /// The files do not show whether the condition is met, so the user must check it.
    case yours
  }

  package let section: String
  package let text: String
  package let state: State
  /// The evidence for the state or, if the user must check the condition, the way to check it.
  package let evidence: String
  package let source: RuleFinding.Source
}

/// The estimated effort of a migration to SwiftData according to the guides, with its reasons.
package struct MigrationComplexity: Hashable, Encodable, Sendable {
  package enum Level: String, Encodable, Sendable {
    case simple
    case moderate
    case complex

    /// The guide's estimate of the time that the migration takes to develop.
    package var weeks: String {
      switch self {
      case .simple: "1 to 2 weeks"
      case .moderate: "3 to 4 weeks"
      case .complex: "6 weeks and more"
      }
    }
  }

  package let level: Level
  /// The reasons for the migration's level of difficulty; empty for a simple migration.
  package let reasons: [String]
  package let source: RuleFinding.Source

  /// The number above which entities make a migration moderate, and changes that are not
  /// lightweight make it complex.
  ///
  /// The number is assumed, because the guide gives no limit.
  private static let many = 10

  /// Estimates the complexity of a migration.
  ///
  /// According to the guide, a migration is simple if it has one container, to-one and to-many
  /// relationships and no CloudKit. The boundary between moderate and complex is assumed.
  init(_ comparison: ModelComparison) {
    let complex = Self.complexReasons(comparison)
    let moderate = Self.moderateReasons(comparison)
    level = !complex.isEmpty ? .complex : !moderate.isEmpty ? .moderate : .simple
    reasons = complex + moderate
    source = .complexityGuide
  }

  /// The rule about features that SwiftData lacks and whose replacement requires a copy of the
  /// objects.
  static let hardRule = "swiftData.inheritance"

  /// The rules about features that SwiftData lacks and that the app's code can replace.
  private static let codeRules: Set = ["swiftData.derived", "swiftData.order"]

  private static func complexReasons(_ comparison: ModelComparison) -> [String] {
    let obstacles = comparison.mapping.obstacles.count
    let isCopied = comparison.hasNothingInCommon && comparison.suspectedRenames.isEmpty
    return [
      obstacles > many ? words(obstacles: obstacles) : nil,
      isCopied
        ? "no entity has a counterpart in the other model: your code has to copy every object"
        : nil,
    ].compactMap(\.self) + missing([hardRule], in: comparison)
      + (comparison.isSynced ? ["the app is synced by CloudKit"] : [])
  }

  private static func words(obstacles: Int) -> String {
    Figures.counted(obstacles, "change is", "changes are") + " not lightweight"
  }

  private static func missing(_ rules: Set<String>, in comparison: ModelComparison) -> [String] {
    guard comparison.isTowardsSwiftData else { return [] }
    return comparison.swiftData.filter { $0.isBroken && rules.contains($0.rule) }
      .map { "\($0.text): \(Figures.few($0.places))" }
  }

  private static func moderateReasons(_ comparison: ModelComparison) -> [String] {
    let model = comparison.old.version.model
    let places = ModelPlaces(model: model)
    let mutual = places.relationships { $0.isToMany && model.inverse(of: $0)?.isToMany == true }
    let transformable = places.attributes { $0.type == .transformable }
    let obstacles = comparison.mapping.obstacles.count
    let reasons: [(Bool, String)] = [
      (0 < obstacles && obstacles <= many, words(obstacles: obstacles)),
      (!mutual.isEmpty, "many-to-many: \(Figures.few(mutual))"),
      (!transformable.isEmpty, "transformable: \(Figures.few(transformable))"),
      (model.entities.count > many, "\(model.entities.count) entities"),
      (model.configurations.count > 1, "\(model.configurations.count) configurations"),
      (
        comparison.hasNothingInCommon && !comparison.suspectedRenames.isEmpty,
        "every entity has a different name in the new model"
      ), (!comparison.dataObstacles.isEmpty, "data to repair first"),
    ]
    return reasons.filter(\.0).map(\.1) + missing(codeRules, in: comparison)
  }
}

import Basics
import DataModel
import Foundation
import Inspector
import PersistentStore

/// A comparison of two models as text for a terminal.
package struct MigrationText {
  private let comparison: ModelComparison
  private let showsChecklist: Bool
  /// The path of the model that was named for stores that do not contain theirs.
  private var modelPath: String?
  private var report: ReportText

  /// The report, wrapped to the columns of the terminal.
  package static func text(
    of comparison: ModelComparison,
    width: Int,
    showsChecklist: Bool,
    modelPath: String? = nil
  ) -> String {
    written(comparison, width, showsChecklist, modelPath).report.text
  }

  /// The same as a page, with what is said of the indexes where both are known.
  package static func html(
    of comparison: ModelComparison,
    showsChecklist: Bool,
    modelPath: String? = nil,
    indexes: IndexDrift? = nil
  ) -> String {
    let report = written(comparison, 80, showsChecklist, modelPath).report
    let drift = indexes.map { IndexDriftText.report(of: $0, width: 80) }
    let title = "From \(comparison.old.title) to \(comparison.new.title)"
    return TextPage(title: title, [report, drift].compactMap { $0 }).page.html
  }

  private static func written(
    _ comparison: ModelComparison,
    _ width: Int,
    _ showsChecklist: Bool,
    _ modelPath: String?
  ) -> MigrationText {
    var text = MigrationText(comparison, width: width, showsChecklist: showsChecklist)
    text.modelPath = modelPath
    text.write()
    return text
  }

  private init(_ comparison: ModelComparison, width: Int, showsChecklist: Bool) {
    self.comparison = comparison
    self.showsChecklist = showsChecklist
    report = ReportText(width: width)
  }

  private mutating func write() {
    report.paragraph(InputLine.text(comparison.old), indent: 0, mark: "from  ")
    report.paragraph(InputLine.text(comparison.new), indent: 0, mark: "to    ")
    if let match = comparison.match {
      report.paragraph("\(comparison.old.title) \(match)", indent: 0, mark: "      ")
    }
    writeUnknown()
    writeMap()
    writeMigration()
    writeStages()
    writeUnfilled()
    writeDrops()
    if comparison.mayBeSynced { writeCloudKit() }
    writeSwiftData()
    writeRenameFirst()
    if showsChecklist { writeChecklist() }
    writeNext()
    report.addSources()
  }

  private mutating func writeUnknown() {
    let unknown = comparison.old.family.unknown + comparison.new.family.unknown
    guard !unknown.isEmpty else { return }
    report.heading("NOT UNDERSTOOD, AND SO NOT COMPARED")
    report.list(unknown, indent: 2, most: 12)
  }

  private mutating func writeMap() {
    guard let path = comparison.mapPath else { return }
    report.heading("MAP \(path)")
    let mapping = comparison.mapping
    report.table(
      mapping.destination.entities.filter { !$0.isAbstract }.map { entity in
        let formers = mapping.mappings(to: entity.name).compactMap(\.source)
        return (
          entity.name, formers.isEmpty ? "no objects" : "from " + formers.joined(separator: ", ")
        )
      }
    )
    let intended = comparison.dropped.filter { $0.isIntended && $0.kind == .objects }
    guard !intended.isEmpty else { return }
    let names = intended.map { drop in
      drop.name + (drop.count.map { " (\(Self.loss(drop.kind, $0)))" } ?? "")
    }
    report.paragraph("Left out on purpose: \(names.joined(separator: ", "))")
  }

  private mutating func writeRenameFirst() {
    guard let first = comparison.renameFirst, !comparison.isSameVersion else { return }
    report.heading("RENAME FIRST")
    guard first.isPossible else {
      report.paragraph(
        "A final Core Data release cannot give the store the new names by a lightweight migration "
          + "\(report.number(of: .renaming)):"
      )
      for blocker in first.blockers { report.paragraph(blocker, mark: "✗ ") }
      return
    }
    report.paragraph(
      "Works: a final Core Data release uses the new names, each with its former name as renaming "
        + "identifier, and migrates automatically \(report.number(of: .renaming)). SwiftData then "
        + "opens the store in place only if the version hashes are equal and the store keeps "
        + "persistent history \(report.number(of: .nothingFound))."
    )
  }

  private mutating func writeMigration() {
    report.heading("MIGRATION")
    report.paragraph(verdict)
    for obstacle in comparison.mapping.obstacles {
      report.paragraph(obstacle.description, mark: "✗ ")
    }
    for obstacle in comparison.dataObstacles { report.paragraph(obstacle.sentence, mark: "✗ ") }
    for rename in comparison.suspectedRenames { report.paragraph(rename.sentence, mark: "? ") }
    let changes = comparison.mapping.changes.map(\.description)
    guard !changes.isEmpty else { return }
    report.paragraph("\(Figures.counted(changes.count, "change")):")
    report.list(changes)
  }

  private var verdict: String {
    if comparison.isSameVersion {
      return "No changes: both have the same version of every entity."
    }
    if comparison.mapping.map != nil {
      return comparison.mapping.obstacles.isEmpty && comparison.dataObstacles.isEmpty
        ? "With the map: a copy into a new store keeps the objects."
        : "With the map, a copy into a new store still has the problems marked ✗."
    }
    if comparison.hasNothingInCommon {
      return "The two models have no entity in common. Opening the store with the new model would "
        + "drop every object. Copy the objects into a new store with a map file, or rename the "
        + "entities first."
    }
    if !comparison.mapping.isLightweight {
      return "Not lightweight: a custom stage with your own code is needed, or the models have to "
        + "change."
    }
    return comparison.dataObstacles.isEmpty
      ? "Lightweight: the frameworks can make all changes."
      : "Lightweight by the models, but the data of this store would make it fail."
  }

  private mutating func writeDrops() {
    let dropped = comparison.dropped.filter { !$0.isIntended }
    guard !dropped.isEmpty else { return }
    report.heading(
      comparison.mapping.map == nil
        ? "DROPPED when the store is opened with the new model" : "DROPPED by the map"
    )
    let kinds: [DroppedColumn.Kind] = [.objects, .attribute, .relationship]
    for kind in kinds {
      let group = dropped.filter { $0.kind == kind }
      guard !group.isEmpty else { continue }
      report.table(
        group.map { drop in
          let whole = drop.kind == .objects ? "all objects" : ""
          return (drop.name, drop.count.map { Self.loss(drop.kind, $0) } ?? whole)
        }
      )
      report.paragraph(Self.remedy(for: kind), indent: 4, mark: "→ ")
    }
  }

  private static func remedy(for kind: DroppedColumn.Kind) -> String {
    switch kind {
    case .objects:
      "if the entity was renamed, set its former name as renaming identifier, or add it to the map; "
        + "otherwise export the objects first"
    case .attribute:
      "keep the attribute; or, if a new attribute takes its values, set this name as renaming "
        + "identifier, or add it to the map"
    case .relationship:
      "keep the relationship; or, if a new relationship takes its objects, set this name as "
        + "renaming identifier, or add it to the map"
    }
  }

  /// What a chain through the versions between does otherwise, and what is known of plans of stages.
  private mutating func writeStages() {
    let detours = comparison.detours
    if !detours.isEmpty {
      report.heading("STEP BY STEP OR AT ONCE")
      report.paragraph(
        "Migrated step by step through the versions between, the store ends with different values "
          + "than after the direct step; both are permitted:"
      )
      report.list(detours.map(\.description), most: 12)
    }
    guard let risk = comparison.stagePlanRisk else { return }
    report.heading("RISK")
    report.paragraph("\(risk) \(report.number(of: .stagePlan))", mark: "! ")
  }

  private mutating func writeUnfilled() {
    let unfilled = comparison.unfilled
    guard !unfilled.isEmpty else { return }
    report.heading("NEW, AND NOT FILLED from the old model")
    for kind in UnfilledPlace.Kind.allCases {
      let places = unfilled.filter { $0.kind == kind }
      guard !places.isEmpty else { continue }
      report.paragraph("\(kind.words):", mark: kind.isRequired ? "✗ " : "- ")
      report.list(places.map(Self.words), indent: 4, most: 12)
      report.paragraph(kind.advice, indent: 4, mark: "→ ")
    }
  }

  private static func words(_ place: UnfilledPlace) -> String {
    place.objects.map { "\(place.name), \(Figures.counted(Int($0), "object"))" } ?? place.name
  }

  private static func loss(_ kind: DroppedColumn.Kind, _ number: Int64) -> String {
    let unit = kind == .objects ? "object" : kind == .attribute ? "value" : "link"
    return number == 0 ? "nothing in it" : Figures.counted(Int(number), unit)
  }

  private mutating func writeCloudKit() {
    report.heading("CLOUDKIT")
    let broken = comparison.cloudKit.filter(\.isBroken)
    let subject = comparison.isSynced ? "CloudKit syncs this app, and" : "A synced app"
    report.paragraph(
      broken.isEmpty
        ? "\(subject) may make these changes; deploy the schema to production before the update."
        : "\(subject) may not make these changes: they break \(broken.count) of "
          + "\(comparison.cloudKit.count) rules."
    )
    for finding in broken { write(finding) }
  }

  private mutating func writeSwiftData() {
    guard let target = comparison.target else { return }
    report.heading("SWIFTDATA on \(target.name)")
    let lacking = comparison.swiftData.filter(\.isBroken)
    if lacking.isEmpty {
      let side = comparison.isTowardsSwiftData ? "old" : "new"
      report.paragraph("It supports everything in the \(side) model.")
    }
    for finding in lacking { write(finding) }
    guard comparison.isTowardsSwiftData else { return }
    let clashes = comparison.coexistence.filter(\.isBroken)
    report.paragraph(
      clashes.isEmpty
        ? "Core Data and SwiftData can use the same store side by side."
        : "Core Data and SwiftData cannot use the same store side by side:"
    )
    for finding in clashes { write(finding) }
    let complexity = comparison.complexity
    report.paragraph(
      "Complexity: \(complexity.level.rawValue), \(complexity.level.weeks) "
        + report.number(of: complexity.source)
    )
    report.list(complexity.reasons)
  }

  private mutating func write(_ finding: RuleFinding) {
    report.paragraph("\(finding.text) \(report.number(of: finding.source))", mark: "✗ ")
    report.paragraph(Figures.few(finding.places), indent: 4)
    report.paragraph(finding.advice, indent: 4, mark: "→ ")
  }

  private mutating func writeChecklist() {
    var section = ""
    let marks: [ChecklistItem.State: String] = [.checked: "✓ ", .failed: "✗ ", .yours: "? "]
    report.heading("CHECKLIST  ✓ checked  ✗ failed  ? yours to check")
    for item in comparison.checklist {
      if item.section != section { report.paragraph(item.section) }
      section = item.section
      let source = report.number(of: item.source)
      report.paragraph("\(item.text) \(source)", indent: 4, mark: marks[item.state] ?? "")
      report.paragraph(item.evidence, indent: 6)
    }
  }

  private mutating func writeNext() {
    report.heading("NEXT")
    let steps = NextSteps(comparison, showsChecklist: showsChecklist, modelPath: modelPath)
    for step in steps.all {
      switch step {
      case .advice(let text): report.paragraph(text, mark: "- ")
      case .command(let line): report.command(line, indent: 4)
      }
    }
  }

  /// One line on a source: what it is, of which framework, with which version.
  enum InputLine {
    static func text(_ input: ModelInput) -> String {
      let model = input.version.model
      let entities = Figures.counted(model.entities.count, "entity", "entities")
      let version = model.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
      var facts = [entities, version.isEmpty ? "no version identifier" : "version \(version)"]
      if let store = input.store {
        facts.insert(
          "\(store.isSwiftData ? "SwiftData" : "Core Data") store of framework "
            + "\(store.metadata.frameworkVersion)",
          at: 0
        )
      }
      return "\(input.title): \(facts.joined(separator: ", "))"
    }
  }
}

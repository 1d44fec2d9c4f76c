import Basics
import DataModel
import Foundation
import Inspector
import PersistentStore

/// A comparison of two models as text for a terminal.
package struct MigrationText {
  private let comparison: ModelComparison
  private let showsChecklist: Bool
  private var report: ReportText

  /// The report, wrapped to the columns of the terminal.
  package static func text(
    of comparison: ModelComparison,
    width: Int,
    showsChecklist: Bool
  ) -> String {
    var text = MigrationText(comparison, width: width, showsChecklist: showsChecklist)
    text.write()
    return text.report.text
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
    writeMigration()
    writeDrops()
    writeCloudKit()
    writeSwiftData()
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
      return "None: both have the same version of every entity."
    }
    if comparison.hasNothingInCommon {
      return "No entity of the one is in the other. Opening the store with the new model would "
        + "drop every object: copy them by code, store to store."
    }
    if !comparison.mapping.isLightweight {
      return "Not lightweight: a stage of your own code is needed, or the models have to change."
    }
    return comparison.dataObstacles.isEmpty
      ? "Lightweight: the frameworks can do all of it."
      : "Lightweight by the models, but it would fail on the data of this store."
  }

  private mutating func writeDrops() {
    guard !comparison.dropped.isEmpty else { return }
    report.heading("DROPPED when the store is opened with the new model")
    report.table(
      comparison.dropped.map { drop in
        let whole = drop.kind == .objects ? "all objects" : ""
        return (drop.name, drop.count.map { Self.loss(drop.kind, $0) } ?? whole)
      }
    )
  }

  private static func loss(_ kind: DroppedColumn.Kind, _ number: Int64) -> String {
    let unit = kind == .objects ? "object" : kind == .attribute ? "value" : "link"
    return number == 0 ? "nothing in it" : Figures.counted(Int(number), unit)
  }

  private mutating func writeCloudKit() {
    report.heading("CLOUDKIT")
    let broken = comparison.cloudKit.filter(\.isBroken)
    let subject = comparison.isSynced ? "This app is synced by CloudKit and" : "A synced app"
    report.paragraph(
      broken.isEmpty
        ? "\(subject) may do this; deploy the schema to production before the update."
        : "\(subject) may not do this: it breaks \(broken.count) of "
          + "\(comparison.cloudKit.count) rules."
    )
    for finding in broken { write(finding) }
  }

  private mutating func writeSwiftData() {
    guard let target = comparison.target else { return }
    report.heading("SWIFTDATA on \(target.name)")
    let lacking = comparison.swiftData.filter(\.isBroken)
    if lacking.isEmpty { report.paragraph("Nothing in the old model is beyond it.") }
    for finding in lacking { write(finding) }
    let clashes = comparison.coexistence.filter(\.isBroken)
    report.paragraph(
      clashes.isEmpty
        ? "Core Data and SwiftData can work on one store side by side."
        : "Side by side on one store, Core Data and SwiftData would not work:"
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
    report.list(NextSteps(comparison, showsChecklist: showsChecklist).all, indent: 2)
  }

  /// What a person should do after reading a comparison.
  struct NextSteps {
    private let comparison: ModelComparison
    private let showsChecklist: Bool

    init(_ comparison: ModelComparison, showsChecklist: Bool) {
      self.comparison = comparison
      self.showsChecklist = showsChecklist
    }

    var all: [String] {
      var steps: [String] = []
      if !comparison.dataObstacles.isEmpty { steps.append("repair the data of the store first") }
      if !comparison.suspectedRenames.isEmpty {
        steps.append("set the former names of what was renamed, then inspect again")
      }
      if !comparison.mapping.obstacles.isEmpty {
        steps.append("write a custom stage for each ✗, or change the new model")
      }
      if comparison.old.store != nil, !comparison.isSameVersion {
        steps.append(
          "time the migration: storebench run Workloads/migration --store "
            + Self.quoted(comparison.old.path) + " --set "
            + Self.quoted("to=" + comparison.new.path)
        )
      } else if !comparison.isSameVersion {
        steps.append("give a user's store as OLD, to count what would be lost")
      }
      if comparison.target == nil {
        steps.append("--target ios17, ios18 or ios26 checks the model against SwiftData")
      }
      if !showsChecklist { steps.append("--checklist prints the guides' checklists, answered") }
      return steps
    }

    /// A word as a shell takes it for one.
    private static func quoted(_ word: String) -> String {
      let isPlain = word.utf8.allSatisfy {
        (0x2b...0x3a).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
          || $0 == 0x3d || $0 == 0x5f
      }
      return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
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

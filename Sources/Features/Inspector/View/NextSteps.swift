import Basics
import DataModel
import PersistentStore

struct NextSteps {
  enum Step: Hashable, Sendable {
    case advice(String)
    case command(String)
  }

  let comparison: ModelComparison
  let showsChecklist: Bool
  /// The path of the model that was given for stores that do not contain their model.
  var modelPath: String?

  var all: [Step] {
    guard !comparison.isSameVersion else { return hints }
    // If an entity with objects becomes abstract, repair the objects first: neither a migration nor
    // a copy assigns them to another entity.
    if comparison.dataObstacles.contains(where: { $0.kind == .madeAbstract }) {
      return repairs + [.advice("and inspect the pair again")] + hints
    }
    return repairs + (needsMap ? mapping : lacksDefaults ? [defaults] : timing) + hints
  }

  /// Whether only a map or a change of the new model can keep the objects.
  private var needsMap: Bool {
    comparison.mapping.map == nil
      && (comparison.needsNewNames
        || comparison.mapping.obstacles.contains { !$0.lacksOnlyDefault })
  }

  /// Whether required attributes without a default are the only obstacles to a lightweight
  /// migration.
  private var lacksDefaults: Bool {
    comparison.mapping.map == nil && !comparison.mapping.obstacles.isEmpty && !needsMap
  }

  private var defaults: Step {
    .advice(
      "give each attribute marked ✗ a default or make it optional, and inspect the pair again: "
        + "then lightweight is enough"
    )
  }

  private var repairs: [Step] {
    guard let first = comparison.dataObstacles.first else { return [] }
    switch first.kind {
    case .duplicates: return [.advice("remove the duplicates from the store first")]
    case .missingValues: return [.advice("fill in the missing values first")]
    case .madeAbstract:
      return [.advice("first make the objects of \(first.entity) objects of a sub-entity")]
    }
  }

  private var mapping: [Step] {
    let pair = "\(ShellWord.quoted(comparison.old.path)) \(ShellWord.quoted(comparison.new.path))"
    var steps: [Step] = [
      .advice("draft a map from old to new names, correct it, and inspect the pair with the map:"),
      .command("storebench inspect \(pair)\(model) --draft-map > map.yaml"),
      .command("storebench inspect \(pair)\(model) --map map.yaml"),
    ]
    if !comparison.suspectedRenames.isEmpty, !comparison.hasNothingInCommon {
      steps.append(
        .advice("or set the former names of renamed entities and properties, then inspect again")
      )
    }
    let obstacles = comparison.mapping.obstacles
    if obstacles.contains(where: \.isBridged) {
      steps.append(
        .advice(
          "or add a version between that has both properties, with a stage that fills the new one, "
            + "or change the new model"
        )
      )
    } else if !obstacles.isEmpty {
      steps.append(.advice("or correct the new model for each ✗"))
    }
    return steps
  }

  private var timing: [Step] {
    guard comparison.old.store != nil else {
      return [.advice("give a user's store as OLD, to count what would be lost")]
    }
    guard let mapPath = comparison.mapPath else {
      let renames = Step.advice(
        "set the former name of each element marked ? that was renamed, and inspect the pair again"
      )
      return (comparison.suspectedRenames.isEmpty ? [] : [renames]) + [
        .advice("measure the time of the migration; Workloads/migration has other strategies:"),
        .command(run("Workloads/migration/lightweight.yaml")),
      ]
    }
    guard comparison.mapping.entities.contains(where: { $0.source != nil }) else {
      return [
        .advice(
          "'\(mapPath)' matches no entity, so nothing would be copied: give the source of each new "
            + "entity below 'entities' (NEW: { from: OLD }), and inspect the pair again"
        )
      ]
    }
    guard !comparison.mapping.obstacles.contains(where: \.stopsCopies) else {
      return [.advice("correct the map for each ✗, and inspect the pair again")]
    }
    let isBoth = comparison.renameFirst?.isPossible == true
    return [
      .advice(
        isBoth ? "measure the time of both ways, copying and renaming first:" : "time the copy:"
      ),
      .command(run("Workloads/swiftdata", "map=" + mapPath)),
    ]
  }

  private func run(_ workload: String, _ more: String...) -> String {
    var settings = ["to=" + newPath] + more
    if comparison.dropped.contains(where: { $0.count != 0 && !$0.isIntended }) {
      settings.append("dropped=allowed")
    }
    if comparison.dataObstacles.contains(where: { $0.kind == .missingValues }),
      more.isEmpty == false
    {
      settings.append("onNil=default")
    }
    return "storebench run \(workload) --store \(ShellWord.quoted(comparison.old.path))\(model) "
      + settings.map { "--set " + ShellWord.quoted($0) }.joined(separator: " ")
  }

  private var model: String { modelPath.map { " --model " + ShellWord.quoted($0) } ?? "" }

  /// The path of the new model's file, including its version.
  private var newPath: String {
    let (path, version) = (comparison.new.path, comparison.new.version.name)
    guard comparison.new.kind == .family else { return path }
    return path.hasSuffix(".xcdatamodeld")
      ? "\(path)/\(version).xcdatamodel"
      : path.hasSuffix(".momd") ? "\(path)/\(version).mom" : path
  }

  private var hints: [Step] {
    var steps: [Step] = []
    if comparison.target == nil {
      steps.append(
        .advice("--target ios17, ios18, ios26 or ios27 checks the model against SwiftData")
      )
    }
    if !showsChecklist {
      steps.append(.advice("--checklist prints the guides' checklists, answered"))
    }
    return steps
  }
}

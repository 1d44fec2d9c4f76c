import ArgumentParser
import DataModel
import Generators
import Inspector

/// Shows the contents of a store or a model, or the differences between two.
struct InspectCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: """
      Show the contents and problems of a store or model, or the differences between two of them.
      """,
    discussion: """
      For a store: its contents, errors and risks. For a model: its versions and the steps between \
      them. For two stores or models: what a migration changes, what it would drop, and whether \
      CloudKit and SwiftData allow it. A SwiftData model has no file of its own: launch the new \
      app once, and pass the empty default.store that it creates.

      The store is read in place. No file in its folder is changed, created or removed.

      EXAMPLE: storebench inspect OLD.sqlite default.store --target ios18 --checklist

      EXAMPLE: storebench inspect OLD.sqlite default.store --draft-map > map.yaml

      EXAMPLE: storebench inspect ~/Backups/Model.sqlite

      EXAMPLE: storebench inspect App.sqlite Test.sqlite --fidelity

      EXAMPLE: storebench inspect Model.momd --format yaml > Model.yaml

      EXAMPLE: storebench inspect App.sqlite Model.momd --advise Workloads/fetch/scrolling.yaml
      """
  )

  @Argument(
    help: ArgumentHelp(
      "A store, a model (.xcdatamodeld, .xcdatamodel, .momd, .mom, .yaml), or a folder of them; "
        + "with a second one, the differences between the two.",
      valueName: "path"
    ),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "One of text, html, json; yaml, for a single path, writes its model as a model file.",
      valueName: "name"
    )
  )
  var format = InspectionFormat.text

  @Option(
    help: ArgumentHelp(
      "Oldest system on which the SwiftData app must run: ios17, ios18, ios26.",
      valueName: "system"
    )
  )
  var target: TargetSystem?

  @Option(
    help: ArgumentHelp(
      "Map file, with the new name of each renamed entity and property.",
      valueName: "file"
    )
  )
  var map: String?

  @Flag(help: "Write a first map from OLD to NEW, with the reason for each guess.")
  var draftMap = false

  @Flag(
    help: """
      Print the checklists of published migration guides; each item is passed, failed, or yours to \
      check.
      """
  )
  var checklist = false

  @Flag(
    help: "Write a store profile that can be shared: counts and ranges, but no user data."
  )
  var profile = false

  @Flag(
    help: "Compare the shapes of two stores, column by column; the status is 1 if they differ."
  )
  var fidelity = false

  @Option(
    name: .customLong("k"),
    help: """
      The k-anonymity threshold of the store profile; use 1 only if you do not share it. (default: \
      20)
      """
  )
  var smallestCount: Int?

  @OptionGroup var model: StoreModelOption

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      """
      Measure what each missing or superfluous index costs and saves for the fetches of this \
      workload file, on copies of the store. The wanted indexes are those of the model at the second path or, without \
      one, of the store's own model.
      """,
      valueName: "workload"
    ),
    transform: InstalledFiles.resolved
  )
  var advise: [String] = []

  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  func validate() throws {
    guard (1...2).contains(paths.count) else {
      throw ValidationError("name one path, or two to compare")
    }
    guard paths.count == 2 || (target == nil && !checklist) else {
      throw ValidationError("--target and --checklist need two paths: OLD and NEW")
    }
    guard paths.count == 2 || (map == nil && !draftMap) else {
      throw ValidationError("--map and --draft-map need two paths: OLD and NEW")
    }
    guard !draftMap || (map == nil && target == nil && !checklist && format == .text && !fidelity)
    else { throw ValidationError("--draft-map cannot be combined with other options") }
    guard paths.count == 1 || (format != .yaml && !profile) else {
      throw ValidationError("--format yaml and --profile take one path")
    }
    guard format == .text || !profile else {
      throw ValidationError("--profile cannot be combined with --format")
    }
    if fidelity || !advise.isEmpty { try checkNoPage() }
    guard !fidelity || (paths.count == 2 && target == nil && !checklist && map == nil) else {
      throw ValidationError(
        "--fidelity takes two stores, and cannot be combined with --target, "
          + "--checklist or --map"
      )
    }
    let hasShape = profile || fidelity
    if let smallestCount, !hasShape || smallestCount < 1 {
      throw ValidationError(
        "--k works only with --profile and --fidelity, and must be at least 1"
      )
    }
  }

  /// What `--advise` and `--fidelity` cannot print.
  private func checkNoPage() throws {
    guard format != .html else {
      throw ValidationError("--format html cannot be combined with --advise or --fidelity")
    }
  }

  /// Prices the indexes of a store.
  private func adviseIndexes(on console: Console) throws -> CommandStatus {
    try debug.check()
    let given = try model.family()
    return try AdviseJob(
      store: paths[0],
      given: given,
      wanted: try paths.dropFirst().first.map {
        try ModelInput.read(path: $0, model: given).version.model
      },
      workloads: advise,
      format: format == .text ? .text : .json,
      folder: folder
    ).perform(on: console)
  }

  func run(on console: Console) throws -> CommandStatus {
    if !advise.isEmpty { return try adviseIndexes(on: console) }
    let job = InspectJob(
      paths: paths,
      model: try model.family(),
      format: format,
      target: target,
      mapPath: map,
      modelPath: model.model,
      showsChecklist: checklist,
      k: smallestCount ?? StoreProfile.sharedK
    )
    if fidelity { return try job.compareShapes(on: console) }
    if draftMap {
      try job.writeDraft(on: console)
      return .done
    }
    try profile ? job.writeProfile(on: console) : job.perform(on: console)
    return .done
  }
}

extension TargetSystem: ExpressibleByArgument {}

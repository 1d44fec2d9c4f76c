import ArgumentParser
import Basics
import DataModel
import Forecasting
import Foundation
import Generators
import Runner
import SQLLog

struct ObserveCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: """
      Make stores and a Swift file with which an app measures its own migrations and fetches.
      """,
    usage: """
      storebench observe <file> [--version-info <file>] [--objects <count>]... --output <folder>
      storebench observe --print-source
      """,
    discussion: """
      The first form generates the stores of a workload file of the kind 'migration' or 'fetch', \
      and writes its cases to observation.json. The second form prints a Swift file for an app's \
      test target. The printed code opens copies of those stores with the app's own \
      NSPersistentContainer or ModelContainer, migrates or fetches, and prints a CSV for 'forecast \
      --observed' and 'report'. The comment at the top of the Swift file explains its use and \
      names the systems on which it has run.

      With --behaviors, the Swift file is one of tests: each exercises a behavior of Core Data that \
      StoreBench assumes, so that 'analyze --behaviors' finds it in the log.

      Apple's frameworks open a store only with the version hashes of its model, which StoreBench \
      copies from the VersionInfo.plist of the app's compiled model (App.momd).

      EXAMPLE: storebench observe migration.yaml --version-info App.momd/VersionInfo.plist -o stores
      EXAMPLE: storebench observe --print-source > StoreObservation.swift
      EXAMPLE: storebench observe --print-source --behaviors > StoreBenchBehaviors.swift
      """
  )

  @Argument(help: "A workload file of the kind 'migration' or 'fetch'.")
  var file: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      """
      Number of objects in a store, all entities together. Repeatable. (default: 1,000, 4,000 \
      and 16,000)
      """,
      valueName: "count"
    )
  )
  var objects: [Int] = []

  @Option(
    help: ArgumentHelp(
      "Copy the version hashes from the VersionInfo.plist of the app's compiled model.",
      valueName: "file"
    )
  )
  var versionInfo: String?

  @Option(
    help: ArgumentHelp(
      """
      Version of the model that the stores have, by its name in VersionInfo.plist: a migration \
      starts from an older one. (default: the current one)
      """,
      valueName: "name"
    )
  )
  var storeVersion: String?

  @Option(name: .shortAndLong, help: "New folder for the stores.")
  var output: String?

  @Flag(help: "Print the Swift file that measures on a device, and make no stores.")
  var printSource = false

  @Flag(help: "With --print-source, print tests of what StoreBench assumes of Core Data.")
  var behaviors = false

  func validate() throws {
    guard printSource || !behaviors else {
      throw ValidationError("'--behaviors' needs '--print-source'")
    }
    if printSource {
      guard file == nil, output == nil, objects.isEmpty, versionInfo == nil else {
        throw ValidationError("'--print-source' makes no stores: leave out the other options")
      }
      return
    }
    guard file != nil, output != nil else {
      throw ValidationError("name a workload file and '--output', or '--print-source'")
    }
    guard storeVersion == nil || versionInfo != nil else {
      throw ValidationError("'--store-version' needs '--version-info'")
    }
    for count in objects where !(1...100_000_000).contains(count) {
      throw ValidationError("'--objects' must be 1 to 100,000,000, not \(count)")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    guard let file, let output else {
      console.printDocument(behaviors ? BehaviourProbe.source : Self.source)
      return .done
    }
    guard !FileManager.default.fileExists(atPath: output) else {
      throw Refusal.cannotWrite(output, reason: "it is there already")
    }
    let workload = try workload(file, console)
    let (steps, notes) = ObservationPlan.Step.all(of: workload)
    for note in notes { console.note(note) }
    guard !steps.isEmpty else {
      throw Refusal.badInput(
        "'\(file)' (kind '\(workload.file.kind.name)') has no case that an app's "
          + "container can run: name a file of the kind 'fetch', or a file of the kind "
          + "'migration' with 'lightweight', 'customStage' or 'staged'"
      )
    }
    guard case .recipe(let name, let reference) = workload.file.store else {
      throw Refusal.badInput(
        "'\(file)' is a store and has only one size: pass it with '--like' to "
          + "generate similar stores of other sizes"
      )
    }
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    let scaled = try ScaledStore(name: name, reference)
    let stem = URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
    var stores: [ObservationPlan.Store] = []
    for count in objects.isEmpty ? [1000, 4000, 16_000] : objects.sorted() {
      guard case .recipe(_, let sized) = try scaled.source(objects: count) else { continue }
      var recipe = try sized.read()
      if let versionInfo {
        recipe.origin = try StoreOrigin(
          versionInfo: versionInfo,
          version: storeVersion,
          model: recipe.model
        )
      }
      let store = ObservationPlan.Store(
        file: "\(stem)-\(count).sqlite",
        objects: recipe.entities.reduce(0) { $0 + $1.count }
      )
      try StoreGenerator(recipe).generate(at: "\(output)/\(store.file)")
      stores.append(store)
    }
    let plan = ObservationPlan(steps: steps, stores: stores)
    try AtomicFile.write(plan.jsonText(), to: "\(output)/observation.json")
    console.note("wrote \(stores.count) stores and observation.json to \(output)")
    if versionInfo == nil {
      console.note(
        "the stores lack the version hashes of their entities, so Apple's frameworks will not open "
          + "them: make them again with '--version-info App.momd/VersionInfo.plist'"
      )
    }
    return .done
  }

  private func workload(_ file: String, _ console: Console) throws -> PlannedWorkload {
    let plan = try Plan(paths: [file], kinds: console.program.kinds)
    for warning in plan.warnings { console.note(warning.description) }
    guard plan.workloads.count == 1, let workload = plan.workloads.first else {
      throw Refusal.badInput(
        "'\(file)' (kind 'none') has no case that an app's container can run: name "
          + "a file of the kind 'fetch', or a file of the kind 'migration' with "
          + "'lightweight', 'customStage' or 'staged'"
      )
    }
    return workload
  }

  static var source: String {
    String(decoding: PackageResources.StoreObservation_txt, as: UTF8.self)
  }
}

/// The steps for an app on a device: the cases of a workload file that can run in the app's
/// container.
struct ObservationPlan: Codable, Equatable {
  struct Store: Codable, Equatable {
    let file: String
    let objects: Int
  }

  struct Step: Codable, Equatable {
    var name: String
    var work: String
    var entity: String?
    var sort: [String]?
    var limit: Int?
    var offset: Int?
    var batchSize: Int?
    var isEager: Bool?
    var readsValues: Bool?
  }

  var format = 1
  var runs = 3
  let steps: [Step]
  let stores: [Store]
}

extension ObservationPlan.Step {
  /// The cases that an app's container can run, and one sentence per type of case that is left out.
  static func all(of workload: PlannedWorkload) -> (steps: [Self], notes: [String]) {
    var (steps, notes): ([Self], [String]) = ([], [])
    func leaveOut(_ note: String) { if !notes.contains(note) { notes.append(note) } }
    let kind = workload.file.kind.name
    for planned in workload.cases {
      let values = planned.allParameters
      switch kind {
      case "migration":
        guard ["lightweight", "customStage", "staged"].contains(values.text("strategy")) else {
          leaveOut("left out: copies, exports and maps, which need the app's own code")
          continue
        }
        guard values.text("from").isEmpty else {
          leaveOut("left out: stores of a later version, which only the app itself can make")
          continue
        }
        // Combine all strategies into one migration, because Core Data or SwiftData chooses the
        // migration's steps, based on the app's migration plan.
        let step = Self(name: workload.file.name, work: "migration")
        if !steps.contains(step) { steps.append(step) }
      case "fetch":
        guard values.text("predicate").isEmpty, values.text("engine") == "objectGraph" else {
          leaveOut(
            "left out: fetches with a predicate or with an engine other than the framework's"
          )
          continue
        }
        guard values.text("strategy") != "count",
          ["none", "scrollAll"].contains(values.text("accessPattern"))
        else {
          leaveOut("left out: counts, and lists that are read in part")
          continue
        }
        let step = fetch(planned, values)
        var others = steps
        for index in others.indices { others[index].name = step.name }
        guard !others.contains(step) else {
          leaveOut("left out: cases that differ only in what the framework itself decides")
          continue
        }
        steps.append(step)
      default: leaveOut("left out: cases of the kind '\(kind)'")
      }
    }
    return (steps, notes)
  }

  private static func fetch(_ planned: Case, _ values: ParameterValues) -> Self {
    var sort: [String] = []
    if case .list(let names)? = values["sort"] { sort = names }
    let strategy = values.text("strategy")
    return Self(
      name: planned.id,
      work: "fetch",
      entity: values.text("entity"),
      sort: sort,
      limit: values.integer("limit"),
      offset: values.integer("offset"),
      batchSize: strategy == "batched" ? values.integer("batchSize") : 0,
      isEager: strategy == "eager",
      readsValues: values.text("accessPattern") == "scrollAll"
    )
  }
}

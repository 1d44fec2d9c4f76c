import ArgumentParser
import Basics
import DataModel
import Generators
import Inspector
import SQLLog

struct InspectCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: """
      Show the contents and problems of a store or model, or the differences between two of them.
      """,
    usage: "storebench inspect <path> [<new path>] [<option>]...",
    discussion: """
      For a store: its contents, errors and risks. For a model: its versions and the steps between \
      them. For two stores or models: what a migration changes, what it would drop, and whether \
      CloudKit and SwiftData allow it. A SwiftData model is the folder of its Swift sources, or the \
      empty default.store that the new app creates when it is launched once.

      The store is read in place. No file in its folder is changed, created or removed.

      EXAMPLE: storebench inspect OLD.sqlite default.store --target ios18 --checklist

      EXAMPLE: storebench inspect OLD.sqlite default.store --draft-map > map.yaml

      EXAMPLE: storebench inspect ~/Backups/Model.sqlite

      EXAMPLE: storebench inspect Model.momd --format yaml > Model.yaml

      EXAMPLE: storebench inspect App.sqlite Model.momd --advise Workloads/fetch/scrolling.yaml
      """
  )

  @Argument(
    help: ArgumentHelp(
      "A store, a model (.xcdatamodeld, .xcdatamodel, .momd, .mom, .yaml, .swift), or a folder of "
        + "them; with a second one, the differences between the two.",
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
      "Oldest system on which the SwiftData app must run: ios17, ios18, ios26, ios27.",
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
      workload file, on copies of the store, and propose new indexes for its statements or for those \
      of an app's log. The wanted indexes are those of the model at the second path or, without \
      one, of the store's own model.
      """,
      valueName: "workload|log"
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
    let mode = mode
    if mode.paths != 1...2, !mode.paths.contains(paths.count) {
      throw ValidationError(
        "'\(mode.name)' " + (paths.count == 1 ? "needs two paths: OLD and NEW" : "takes one path")
      )
    }
    for option in given where !mode.options.contains(option.name) {
      throw ValidationError(
        mode.name.isEmpty
          ? "'\(option.name)' \(option.need)"
          : "'\(option.name)' cannot be combined with '\(mode.name)'"
      )
    }
    guard mode.formats.contains(format) else {
      throw ValidationError(
        mode.name.isEmpty
          ? "'--format \(format.rawValue)' takes one path"
          : "'--format \(format.rawValue)' cannot be combined with '\(mode.name)'"
      )
    }
    if let smallestCount, smallestCount < 1 { throw ValidationError("'--k' must be at least 1") }
  }

  func run(on console: Console) throws -> CommandStatus { try mode.perform(self, console) }

  private struct Mode {
    var name = ""
    var paths = 1...2
    var options: Set<String> = []
    var formats: Set<InspectionFormat> = [.text]
    let perform: (InspectCommand, Console) throws -> CommandStatus
  }

  private var mode: Mode {
    if !advise.isEmpty {
      return Mode(name: "--advise", options: ["--advise"], formats: [.text, .json]) {
        try $0.adviseJob().perform(on: $1)
      }
    }
    if draftMap {
      return Mode(name: "--draft-map", paths: 2...2, options: ["--draft-map"]) {
        try $0.job().writeDraft(on: $1)
        return .done
      }
    }
    if profile {
      return Mode(name: "--profile", paths: 1...1, options: ["--profile", "--k"]) {
        try $0.job().writeProfile(k: $0.smallestCount ?? StoreProfile.sharedK, on: $1)
        return .done
      }
    }
    if paths.count == 2 {
      return Mode(options: ["--target", "--map", "--checklist"], formats: [.text, .html, .json]) {
        try $0.job().compareModels(
          target: $0.target,
          mapPath: $0.map,
          modelPath: $0.model.model,
          showsChecklist: $0.checklist,
          on: $1
        )
        return .done
      }
    }
    return Mode(formats: Set(InspectionFormat.allCases)) {
      try $0.job().describe(on: $1)
      return .done
    }
  }

  private var given: [(name: String, need: String)] {
    let pair = "needs two paths: OLD and NEW"
    return [
      ("--advise", "", !advise.isEmpty), ("--draft-map", pair, draftMap),
      ("--profile", "", profile),
      ("--target", pair, target != nil), ("--map", pair, map != nil),
      ("--checklist", pair, checklist), ("--k", "is for '--profile'", smallestCount != nil),
    ].filter(\.2).map { ($0.0, $0.1) }
  }

  private func job() throws -> InspectJob {
    InspectJob(paths: paths, model: try model.family(), format: format)
  }

  private static func isWorkload(_ path: String) -> Bool {
    let isFolder = (try? InputFile.isFolder(path)) ?? false
    let hasLogs = isFolder && StatementLog.logs(at: path) != [path]
    return path.hasSuffix(".yaml") || path.hasSuffix(".yml") || (isFolder && !hasLogs)
  }

  private func adviseJob() throws -> AdviseJob {
    try debug.check()
    let given = try model.family()
    return AdviseJob(
      store: paths[0],
      given: given,
      wanted: try paths.dropFirst().first.map {
        try ModelInput.read(path: $0, model: given).version.model
      },
      workloads: advise.filter(Self.isWorkload),
      logs: advise.filter { !Self.isWorkload($0) },
      format: format == .text ? .text : .json,
      folder: folder
    )
  }
}

extension TargetSystem: ExpressibleByArgument {}

import Basics
import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite

/// A workload file as it is written, every value checked against its kind's axes.
package struct WorkloadFile: Sendable {
  /// What a workload file of one of the kinds may hold, for its schema and the reference.
  package static func form(_ kinds: [any WorkloadKind.Type]) -> FileForm {
    .mapping(WorkloadFileReader.keys(kinds))
  }

  /// A parameter that the file sets.
  package struct Parameter: Hashable, Sendable {
    package let axis: Axis
    /// In the order of the file; more than one makes it an axis of the plan.
    package let values: [Axis.PlacedValue]
  }

  /// The path as it was given.
  package let path: String
  /// The path without its ending, relative to the workloads folder: `fetch/paging`.
  package internal(set) var name: String
  /// The folder that recipe and model paths are relative to.
  package let folder: String
  package let kind: any WorkloadKind.Type
  /// The values of the kind's parameters where no file says otherwise.
  package let defaults: [String: ParameterValue]
  package var store: StoreSource
  /// The recipe of the store, read while planning; `nil` of a store made elsewhere, and of one
  /// whose recipe was exchanged.
  package var recipe: Recipe?
  /// Whether the store was given in place of the file's own, so that names of the file may not fit.
  package let isOnGivenStore: Bool
  /// In the order of the file.
  package let parameters: [Parameter]
  package var trials: TrialPolicy
  package var settings: ConnectionSettings
  /// The settings that the file sets, with their places.
  package var settingPlaces: [String: Place?] = [:]
  /// How much exact costs may grow over a baseline, by metric.
  package var budget: [String: Budget]
  /// How fast exact costs may grow with the store, by metric.
  package var grows: [String: CostGrowth] = [:]
  /// The question of the file, or of its kind.
  package var question: String
  /// How often an app does each operation: the file's mix, or its kind's.
  package var mix: OperationMix?
  /// Whether every case is run as well with each other choice of what it assumes.
  package var variesAssumptions = false
}

extension WorkloadFile {
  /// Whether the file sets the page size: only then is a store made elsewhere rewritten for it.
  var setsPageSize: Bool { settingPlaces["pageSize"] != nil }

  /// What findings need to know of the parameters.
  var inquiry: Inquiry { Inquiry(of: kind, mix: mix) }

  /// The parameters that the file leaves to their defaults.
  var shownDefaults: [String: String] {
    let own = Set(parameters.map(\.axis.name))
    return defaults.filter { !own.contains($0.key) }.mapValues(\.description)
  }
}

/// Where the store of a workload comes from.
package enum StoreSource: Hashable, Sendable {
  /// A recipe, named as the workload file names it.
  case recipe(name: String, RecipeReference)
  /// A store made elsewhere, copied before it is opened, with the app's model where one was named.
  case file(path: String, model: ModelFamily? = nil)
}

/// A recipe file with what a workload file sets in place of its own values.
package struct RecipeReference: Codable, Hashable, Sendable {
  /// The recipe's path, not relative to the workloads folder any more.
  package var path: String
  /// Counts by entity name.
  package var objects: [String: Int]
  package var seed: UInt64?
  /// A model file's path: another version of the recipe's model.
  package var model: String?
  package var flavour: Flavour?

  package init(
    path: String,
    objects: [String: Int] = [:],
    seed: UInt64? = nil,
    model: String? = nil,
    flavour: Flavour? = nil
  ) {
    self.path = path
    self.objects = objects
    self.seed = seed
    self.model = model
    self.flavour = flavour
  }

  /// The recipe with every default filled in, from which every value can be made again.
  ///
  /// - Throws: ``Refusal``.
  package func read() throws -> Recipe {
    try RecipeFile.read(
      path: path,
      options: RecipeFile.Options(seed: seed, objects: objects, model: model, flavour: flavour)
    )
  }
}

/// How often a case is measured, and in which state of the system's page cache.
package struct TrialPolicy: Hashable, Sendable {
  /// Fresh copies of the store, each prepared once in a process of its own.
  package var trials = 5
  /// Calls of `run` in a trial; those of a cold trial have a process each.
  package var iterations = 1
  /// Iterations before the first counted one, of cases that only read.
  package var warmUps = 0
  package var cache = CacheState.warm
  /// Seconds after which a trial has failed.
  package var timeLimit = 600.0
  /// Decides every choice of the work, the same in all trials.
  package var seed: UInt64 = 1
}

/// What the system's page cache holds of the store when the work starts.
package enum CacheState: String, CaseIterable, Codable, Hashable, Sendable {
  /// The whole store, read through before the work is prepared.
  case warm
  /// Nothing of it, as far as the system does what it is asked for.
  case cold
}

/// What the command line sets in place of what workload files say.
package struct Overrides: Hashable, Sendable {
  /// A store made elsewhere, in place of each file's own.
  package var store: String?
  /// The model of that store, which may not contain it.
  package var model: ModelFamily?
  package var trials: Int?
  /// Whether a file's `assumptions: varied` counts: only a run derives findings.
  package var variesAssumptions = false
  /// Parameters by name, their values written as in a workload file.
  package var parameters: [Parameter]

  /// One parameter set on the command line.
  package struct Parameter: Hashable, Sendable {
    package var name: String
    package var yaml: String

    package init(name: String, yaml: String) {
      self.name = name
      self.yaml = yaml
    }
  }

  package init(
    store: String? = nil,
    model: ModelFamily? = nil,
    trials: Int? = nil,
    parameters: [Parameter] = []
  ) {
    self.store = store
    self.model = model
    self.trials = trials
    self.parameters = parameters
  }
}

/// The folder that a workload file's name, recipe and models are relative to: the nearest one above
/// it that holds a folder `recipes` or `models`, else the file's own.
package struct WorkloadsFolder: Hashable, Sendable {
  package let path: String

  /// The workloads folder of a file or of a folder with workload files.
  package init(of path: String) {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    var folder = url.hasDirectoryPath ? url : url.deletingLastPathComponent()
    let own = folder
    while true {
      if Self.holdsData(folder) {
        self.path = folder.path
        return
      }
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      guard parent.path != folder.path, folder.path != "/" else { break }
      folder = parent
    }
    self.path = own.path
  }

  private static func holdsData(_ folder: URL) -> Bool {
    ["recipes", "models"].contains { name in
      var isFolder: ObjCBool = false
      let path = folder.appendingPathComponent(name).path
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && isFolder.boolValue
    }
  }

  /// A file's path below this folder, without its ending.
  package func name(of file: String) -> String {
    let full = URL(fileURLWithPath: file).standardizedFileURL.deletingPathExtension().path
    let prefix = path.hasSuffix("/") ? path : path + "/"
    return full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full
  }

  /// A path that is relative to this folder, or absolute already.
  package func resolved(_ path: String) -> String {
    path.hasPrefix("/") ? path : self.path + "/" + path
  }

  /// The value of a parameter that the command line sets: what is not in this folder is a path as
  /// every other of the command line, relative to where that is typed.
  func found(_ value: ParameterValue, of axis: Axis) -> ParameterValue {
    switch (axis.domain, value) {
    case (.path, .text(let path)): .text(found(path))
    case (.paths, .list(let paths)): .list(paths.map(found))
    default: value
    }
  }

  private func found(_ path: String) -> String {
    func isThere(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: ModelSource.parts(of: path).file)
    }
    guard !isThere(resolved(path)), isThere(path) else { return path }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// The workload files at the given paths: files as they are, folders with all YAML files below
  /// them but for models, recipes and maps; in the order given, within a folder by path, each once.
  ///
  /// - Throws: ``Refusal`` for a path where there is nothing.
  package static func files(at paths: [String]) throws -> [String] {
    var result: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw Refusal.noSuchInput(path: path)
      }
      let found = isFolder.boolValue ? files(below: path) : [path]
      guard !found.isEmpty else {
        throw Refusal.noInput(
          "'\(path)' has no workload files (YAML files outside its folders 'models' and 'recipes')"
        )
      }
      result += found.filter { !result.contains($0) }
    }
    return result
  }

  private static func files(below folder: String) -> [String] {
    let subpaths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    return (subpaths ?? []).filter { subpath in
      let folders = subpath.split(separator: "/").dropLast()
      let ending = URL(fileURLWithPath: subpath).pathExtension
      return ["yaml", "yml"].contains(ending)
        && !folders.contains { ["models", "recipes", "maps"].contains($0) || $0.hasPrefix(".") }
    }.sorted().map { base + "/" + $0 }
  }
}

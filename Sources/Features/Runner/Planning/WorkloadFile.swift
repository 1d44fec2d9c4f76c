import Basics
import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite

/// The content of a workload file, with every value checked against the parameters of its workload
/// kind.
package struct WorkloadFile: Sendable {
  /// Returns the allowed keys and values of workload files of the given kinds, from which the
  /// schema and the reference are generated.
  package static func form(_ kinds: [any WorkloadKind.Type]) -> FileForm {
    .mapping(WorkloadFileReader.keys(kinds))
  }

  /// A parameter that the file sets.
  package struct Parameter: Hashable, Sendable {
    package let axis: Axis
    /// The values in the order of the file; the plan combines them with the values of all other
    /// parameters.
    package let values: [Axis.PlacedValue]
  }

  /// The path as the user gave it.
  package let path: String
  /// The path without its extension, relative to the workloads folder: `fetch/paging`.
  package internal(set) var name: String
  /// The folder to which the paths of recipes and models are relative.
  package let folder: String
  package let kind: any WorkloadKind.Type
  /// The default values of the kind's parameters.
  package let defaults: [String: ParameterValue]
  package var store: StoreSource
  /// The store's recipe, read while planning; `nil` if the store was made elsewhere or its recipe
  /// was replaced.
  package var recipe: Recipe?
  /// Whether the command line replaced the file's store, so that names in the file may not exist in
  /// it.
  package let isOnGivenStore: Bool
  /// The parameters in the order of the file.
  package let parameters: [Parameter]
  package var trials: TrialPolicy
  package var settings: ConnectionSettings
  /// The settings in the file, with their locations.
  package var settingPlaces: [String: Place?] = [:]
  /// The allowed growth of exact costs over a baseline, by metric.
  package var budget: [String: Budget]
  /// The expected growth of exact costs with the size of the store, by metric.
  package var grows: [String: CostGrowth] = [:]
  /// The question that the workload answers; by default, its kind's question.
  package var question: String
  /// How often an app performs each operation; by default, the mix of its workload kind.
  package var mix: OperationMix?
  /// Whether every case also runs with each alternative assumption.
  package var variesAssumptions = false
}

extension WorkloadFile {
  /// Whether the file sets the page size; if so, a store made elsewhere is rewritten with that page
  /// size.
  var setsPageSize: Bool { settingPlaces["pageSize"] != nil }

  var inquiry: Inquiry { Inquiry(of: kind, mix: mix) }

  var shownDefaults: [String: String] {
    let own = Set(parameters.map(\.axis.name))
    return defaults.filter { !own.contains($0.key) }.mapValues(\.description)
  }
}

/// The source of a workload's store.
package enum StoreSource: Hashable, Sendable {
  /// A recipe, with its name as written in the workload file.
  case recipe(name: String, RecipeReference)
  /// A store made elsewhere, which is copied before it is opened; `model` is the app's model if one
  /// was given.
  case file(path: String, model: ModelFamily? = nil)
}

/// A recipe file, with the values that a workload file sets instead of the recipe's own.
package struct RecipeReference: Codable, Hashable, Sendable {
  /// The recipe's path, resolved against the workloads folder.
  package var path: String
  /// The numbers of objects by entity name.
  package var objects: [String: Int]
  package var seed: UInt64?
  /// The path of a model file with another version of the recipe's model.
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

  /// Reads the recipe and fills in every default, so that all values can be generated.
  ///
  /// - Throws: ``Refusal``.
  package func read() throws -> Recipe {
    try RecipeFile.read(
      path: path,
      options: RecipeFile.Options(seed: seed, objects: objects, model: model, flavour: flavour)
    )
  }
}

/// The number of measurements of a case, and the state of the system's page cache.
package struct TrialPolicy: Hashable, Sendable {
  /// The number of fresh copies of the store, each used in a process of its own.
  package var trials = 5
  /// The number of timed calls of `run` per trial; in a cold trial, each call has a process of its
  /// own.
  package var iterations = 1
  /// The number of iterations before the first timed iteration, in cases that only read.
  package var warmUps = 0
  package var cache = CacheState.warm
  /// The time limit of a trial in seconds; a trial that exceeds it fails.
  package var timeLimit = 600.0
  /// The random seed of the work, the same in all trials.
  package var seed: UInt64 = 1
}

/// The state of the system's page cache when the work starts.
package enum CacheState: String, CaseIterable, Codable, Hashable, Sendable {
  /// The whole store is cached: it is read once before the work is prepared.
  case warm
  /// The store is not cached, as far as the system honors the request to drop it.
  case cold
}

/// The values from the command line that replace the values in workload files.
package struct Overrides: Hashable, Sendable {
  /// The path of a store that replaces the store of each file.
  package var store: String?
  /// The path of a store profile whose store replaces the store of each file.
  package var profile: String?
  /// The model given for the store, which need not contain its model.
  package var model: ModelFamily?
  package var trials: Int?
  /// Whether `assumptions: varied` in a file has an effect; set by the commands whose answers can
  /// depend on an assumption: runs and forecasts.
  package var variesAssumptions = false
  /// The parameters set on the command line, with values written as in a workload file.
  package var parameters: [Parameter]

  /// A parameter set on the command line.
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

  var replacesStore: Bool { store != nil || profile != nil }
}

/// The folder to which a workload file's name, recipe and models are relative.
///
/// It is the nearest enclosing folder that contains a folder `recipes` or `models`; without such a
/// folder, it is the file's own folder.
package struct WorkloadsFolder: Hashable, Sendable {
  package let path: String

  /// Finds the workloads folder of a file, or of a folder that contains workload files.
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

  /// Returns a file's path relative to the workloads folder, without its extension.
  package func name(of file: String) -> String {
    let full = URL(fileURLWithPath: file).standardizedFileURL.deletingPathExtension().path
    let prefix = path.hasSuffix("/") ? path : path + "/"
    return full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full
  }

  /// Resolves a path against the workloads folder; an absolute path stays unchanged.
  package func resolved(_ path: String) -> String {
    path.hasPrefix("/") ? path : self.path + "/" + path
  }

  /// Returns a parameter value from the command line with its paths resolved.
  ///
  /// A path that does not exist in the workloads folder is relative to the current folder.
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

  /// Returns the workload files at the given paths without duplicates.
  ///
  /// A folder includes all YAML files below it except models, recipes and maps, sorted by path.
  ///
  /// - Throws: ``Refusal`` if a path does not exist or contains no workload file.
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

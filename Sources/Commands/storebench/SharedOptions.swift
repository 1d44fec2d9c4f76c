import ArgumentParser
import Runner
import WorkloadKinds

/// Which cases are meant, and what is set in place of what their workload files say.
struct ParameterOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set a parameter, as a workload file would: --set entity=Task --set 'batchSize=[20, 100]'.",
      valueName: "name=value"
    )
  )
  var parameters: [String] = []

  @Option(help: "Only cases whose ID fits; '*' stands for any text.")
  var filter: String?

  func validate() throws {
    for parameter in parameters where Self.split(parameter) == nil {
      throw ValidationError("'--set \(parameter)' must be name=value, such as batchSize=20")
    }
  }

  func overrides(store: String?, trials: Int? = nil) -> Overrides {
    Overrides(store: store, trials: trials, parameters: parameters.compactMap(Self.split))
  }

  /// The plan of some workload files.
  func plan(of paths: [String], store: String?, trials: Int? = nil) throws -> Plan {
    try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: overrides(store: store, trials: trials),
      filter: filter
    )
  }

  /// A parameter from `name=value`.
  private static func split(_ text: String) -> Overrides.Parameter? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return Overrides.Parameter(name: String(parts[0]), yaml: String(parts[1]))
  }
}

/// The store that cases run on, in place of their own.
struct StoreOption: ParsableArguments {
  @Option(help: ArgumentHelp("Run on this store, which is copied first.", valueName: "path"))
  var store: String?
}

/// How often each case is measured, in place of what its workload file says.
struct TrialsOption: ParsableArguments {
  @Option(help: "Fresh copies of the store for each case.")
  var trials: Int?

  func validate() throws {
    if let trials, !(1...100_000).contains(trials) {
      throw ValidationError("'--trials' must be from 1 to 100000, not \(trials)")
    }
  }
}

/// Where a result goes.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder of the result; a new one under Results/runs otherwise.",
      valueName: "folder"
    )
  )
  var output: String?

  @Flag(help: "Replace a result in the output folder.")
  var force = false

  func validate() throws {
    if force, output == nil { throw ValidationError("'--force' is for '--output'") }
  }

  func folder(for paths: [String]) -> OutputFolder {
    OutputFolder(chosen: output, name: OutputFolder.name(of: paths), isReplacing: force)
  }
}

/// Where generated stores are kept and copies of stores are worked on.
struct WorkFolderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where generated stores are kept and copies are worked on: the disk that is measured.",
      valueName: "folder"
    )
  )
  var workFolder = ".storebench"

  var cacheFolder: String { workFolder + "/stores" }
  var scratchFolder: String { workFolder + "/work" }
}

/// A report for people or for programs.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// Whether times of a debug build are wanted.
struct DebugOption: ParsableArguments {
  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  /// Throws where a debug build would measure without being told to.
  func check() throws {
    if EnvironmentProbe.isDebug, !allowDebug { throw StorebenchError.debugBuild }
  }
}

import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Runner

/// The resources of a job: the console with a progress line, and a scratch folder.
struct Workspace {
  let console: Console
  let line: ProgressLine
  let scratch: ScratchFolder
  let folder: WorkFolderOption

  static func use<Result>(
    _ folder: WorkFolderOption,
    on console: Console,
    _ work: (Workspace) throws -> Result
  ) throws -> Result {
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    UntrackedFolder.mark(folder.workFolder)
    let line = ProgressLine(console)
    defer {
      line.clear()
      scratch.remove()
      WorkFolderContents.keepWithinLimit(folder.workFolder, on: console)
    }
    return try work(Workspace(console: console, line: line, scratch: scratch, folder: folder))
  }

  func stores() -> StoreLibrary {
    StoreLibrary(cacheFolder: folder.cacheFolder, progress: { line.take($0) })
  }

  /// The environment of a run that starts at the given time and uses this work folder.
  ///
  /// `path` is a workload file; the environment includes the revision of its repository.
  func environment(at time: Date, of path: String? = nil) -> Environment {
    EnvironmentProbe.read(
      workFolder: scratch.path,
      codeFolder: Bundle.main.executableURL?.deletingLastPathComponent().path ?? ".",
      sourcePath: path,
      startedAt: time.formatted(.iso8601)
    )
  }
}

enum UntrackedFolder {
  static func mark(_ folder: String) {
    let path = folder + "/.gitignore"
    guard !FileManager.default.fileExists(atPath: path) else { return }
    try? AtomicFile.write("*\n", to: path)
  }
}

/// Finds the files that `make install` puts next to the program.
enum InstalledFiles {
  /// The path of an installed file if the argument is a path below `Workloads` that does not exist
  /// in the current folder; any other argument is returned unchanged.
  ///
  /// This is for input paths only, because output belongs in the current folder.
  @Sendable static func resolved(_ argument: String) -> String {
    guard argument == "Workloads" || argument.hasPrefix("Workloads/"),
      !FileManager.default.fileExists(atPath: argument), let program = try? Executable.path()
    else { return argument }
    let prefix = URL(fileURLWithPath: program).deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = prefix.appendingPathComponent("share/storebench/" + argument).path
    return FileManager.default.fileExists(atPath: path) ? path : argument
  }
}

enum Executable {
  /// The executable's path, regardless of the name by which it was called.
  static func path() throws -> String {
    #if os(Linux)
      let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
      if path != "/proc/self/exe" { return path }
    #endif
    guard let path = Bundle.main.executablePath else { throw Refusal.noExecutable }
    return path
  }

  static func worker(on processor: SharedProcessor? = nil) throws -> WorkerProcess {
    WorkerProcess(executable: try path(), processor: processor, isStopped: { Signals.isStopped() })
  }
}

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

  @Option(help: "Only cases whose ID matches this pattern; '*' matches any text.")
  var filter: String?

  func validate() throws {
    for parameter in parameters where Self.split(parameter) == nil {
      throw ValidationError("'--set \(parameter)' must be name=value, such as batchSize=20")
    }
  }

  func overrides(
    store: String?,
    model: StoreModelOption?,
    trials: Int? = nil
  ) throws -> Overrides {
    Overrides(
      store: store,
      model: try model?.family(),
      trials: trials,
      parameters: parameters.compactMap(Self.split)
    )
  }

  /// The plan of workload files; the program must have their kinds.
  ///
  /// If `variesAssumptions` is true, the plan includes the cases that a file's `assumptions:
  /// varied` adds.
  func plan(
    of paths: [String],
    for program: Program,
    store: String?,
    profile: String? = nil,
    model: StoreModelOption?,
    trials: Int? = nil,
    variesAssumptions: Bool = false
  ) throws -> Plan {
    var overrides = try overrides(store: store, model: model, trials: trials)
    overrides.profile = profile
    overrides.variesAssumptions = variesAssumptions
    return try Plan(
      paths: paths,
      kinds: program.kinds,
      overrides: overrides,
      filter: filter
    )
  }

  private static func split(_ text: String) -> Overrides.Parameter? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return Overrides.Parameter(name: String(parts[0]), yaml: String(parts[1]))
  }
}

struct StoreOption: ParsableArguments {
  @Option(help: ArgumentHelp("Run on a copy of this store.", valueName: "path"))
  var store: String?

  @OptionGroup var model: StoreModelOption

  func validate() throws {
    if model.model != nil, store == nil { throw ValidationError("'--model' needs '--store'") }
  }
}

/// The app's model, for stores that do not contain their model.
struct StoreModelOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The app's model (.xcdatamodeld, .momd, .mom, .yaml, .swift), if the store does not contain \
      it. The model version that wrote the store is chosen.
      """,
      valueName: "path"
    )
  )
  var model: String?

  func family() throws -> ModelFamily? { try model.map { try ModelSource.read(path: $0) } }
}

struct TrialsOption: ParsableArguments {
  @Option(help: "Number of trials of each case; each trial runs on a fresh copy of the store.")
  var trials: Int?

  func validate() throws {
    if let trials, !(1...100_000).contains(trials) {
      throw ValidationError("'--trials' must be from 1 to 100000, not \(trials)")
    }
  }
}

struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Folder for the result. (default: a new folder in Results/runs)",
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

struct WorkFolderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder for generated stores and working copies. Its disk is the disk that is measured.",
      valueName: "folder"
    )
  )
  var workFolder = ".storebench"

  var cacheFolder: String { workFolder + "/stores" }
  var scratchFolder: String { workFolder + "/work" }
}

enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

enum PageFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case html
  case json
}

struct DebugOption: ParsableArguments {
  // '--allow-debug' is hidden, because only developers of StoreBench have debug builds, and an
  // error message names the option.
  @Flag(
    help: ArgumentHelp(
      "Measure even in a debug build, whose times are meaningless.",
      visibility: .hidden
    )
  )
  var allowDebug = false

  func check() throws {
    if EnvironmentProbe.isDebug, !allowDebug {
      throw Refusal.misuse(
        "times of a debug build are meaningless: build with 'swift build -c "
          + "release', or pass --allow-debug"
      )
    }
  }
}

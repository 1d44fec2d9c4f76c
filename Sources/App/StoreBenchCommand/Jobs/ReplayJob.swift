import ArgumentParser
import Basics
import DataModel
import Forecasting
import Foundation
import Generators
import PersistentStore
import Runner
import SQLLog

/// Replays a log on stores of several sizes, or writes a workload file for the replay.
struct ReplayJob {
  let logs: [String]
  let source: Source
  let options: ReplayOptions

  enum Source {
    case store(String)
    /// An app's own SQLite database, which has no model.
    case database(String)
    case recipe(String)
  }

  private struct Target {
    var file: StoreFile
    var name: String
    var scale: Double
  }

  /// Replays the log unchanged, and once with each finding repaired.
  ///
  /// - Throws: ``Refusal/noKind(_:command:)`` if the program has no replay.
  func replay(_ findings: [SQLLog.Finding], on console: Console) throws -> ReplayReport {
    guard let makeReplay = console.program.replays else {
      throw Refusal.noKind("replay", command: "analyze --replay")
    }
    if case .database(let path) = source, options.sizes.contains(where: { $0 != 1 }) {
      throw Refusal.badInput(
        "'\(path)' is not a Core Data store: no database of another size can be generated from it; "
          + "leave '--sizes' out"
      )
    }
    Signals.listen()
    return try Workspace.use(options.folder, on: console) { space in
      var sizes: [ReplayReport.Size] = []
      var isGuessed = false
      for scale in options.sizes {
        let target = try target(scale, in: space)
        let measurement = try makeReplay(
          logs,
          findings,
          space.scratch.emptyFolder("replay-\(sizes.count)"),
          { Signals.isStopped() },
          { space.line.take($0) }
        )
        isGuessed = measurement.hasGuessedValues
        sizes.append(try measurement.measure(target.file, named: target.name, scale: target.scale))
      }
      space.line.clear()
      return ReplayReport(hasGuessedValues: isGuessed, sizes: sizes)
    }
  }

  func indexes(_ candidates: [IndexCandidate], on console: Console) throws -> IndexProposals? {
    guard let measure = console.program.indexes, !candidates.isEmpty else { return nil }
    Signals.listen()
    return try Workspace.use(options.folder, on: console) { space in
      let store = try target(1, in: space).file
      defer { space.line.clear() }
      return try measure(
        logs,
        candidates,
        store,
        space.scratch.emptyFolder("indexes"),
        { Signals.isStopped() },
        { space.line.take($0) }
      )
    }
  }

  /// Calls `body` with a function that counts the pages that a range of log lines reads on the
  /// store, each time starting with an empty page cache.
  ///
  /// - Throws: ``Refusal/noKind(_:command:)`` if the program has no replay.
  func countingPages<Result>(
    on console: Console,
    _ body: (@escaping (ClosedRange<Int>) throws -> ActionCheck.PageCount) throws -> Result
  ) throws -> Result {
    guard let count = console.program.pages else {
      throw Refusal.noKind("replay", command: "analyze --actions")
    }
    Signals.listen()
    return try Workspace.use(options.folder, on: console) { space in
      let store = try target(1, in: space).file
      defer { space.line.clear() }
      return try body { lines in
        if Signals.isStopped() { throw Refusal.interrupted }
        space.line.take("replaying lines \(lines.lowerBound) to \(lines.upperBound)")
        let folder = try space.scratch.emptyFolder("section-\(lines.lowerBound)")
        return try count(logs, lines, store, folder)
      }
    }
  }

  private func target(_ scale: Double, in space: Workspace) throws -> Target {
    let times = scale == 1 ? "" : ", \(Figures.significant(scale)) times its objects"
    switch source {
    case .recipe(let path):
      let reference = RecipeReference(path: path)
      var recipe = try reference.read()
      let total = recipe.entities.reduce(0) { $0 + $1.count }
      if scale != 1,
        case .recipe(_, let scaled) = try ScaledStore(name: path, reference)
          .source(objects: Int(Double(total) * scale))
      {
        recipe = try scaled.read()
      }
      return Target(
        file: try made(recipe, space),
        name: "the recipe '\(path)'\(times)",
        scale: scale
      )
    case .database(let path):
      let copy = try MadeStore(path: path, isPlain: true)
        .copy(into: space.scratch.emptyFolder("own"))
      return Target(file: copy, name: "a copy of '\(path)'", scale: 1)
    case .store(let path) where scale == 1:
      let copy = try MadeStore(path: path).copy(into: space.scratch.emptyFolder("own"))
      return Target(file: copy, name: "a copy of '\(path)'", scale: 1)
    case .store(let path):
      let content = try StoreContent.copied(from: path, in: space.scratch)
      let profile = try StoreProfiler(content, k: 1).profile()
      let recipe = LikeRecipe(profile, size: .scale(scale)).recipe(name: "like", seed: 1)
      let name = "a store like '\(path)'\(times)"
      return Target(file: try made(recipe, space), name: name, scale: scale)
    }
  }

  private func made(_ recipe: Recipe, _ space: Workspace) throws -> StoreFile {
    try StoreCache(folder: options.folder.cacheFolder)
      .store(of: recipe, progress: { space.line.take($0) })
  }

  /// Writes a workload file, and next to it a copy of the log without values.
  func writeWorkload(to path: String, on console: Console) throws {
    let log = logs[0]
    let folder = WorkloadsFolder(of: path)
    let kept = URL(fileURLWithPath: path).deletingPathExtension().path + ".log"
    try Anonymizer(path: log).write(to: kept)
    let place =
      switch source {
      case .recipe(let path): "recipe: \(quoted(path, in: folder))"
      case .store(let path), .database(let path): "path: \(quoted(path, in: folder))"
      }
    let text = """
      # Replays the statements of '\(URL(fileURLWithPath: log).lastPathComponent)'.
      # The log next to this file contains no values. Each is replaced by a value of the store with
      # the same rank and number of rows. To replay the log itself, name it here, with values: auto.
      kind: replay
      store: { \(place) }
      parameters:
        log: \(quoted(kept, in: folder))
        values: mapped
      trials: { trials: 3 }

      """
    try AtomicFile.write(text, to: path)
    console.note("wrote \(path) and \(kept), the log without values")
  }

  /// A path as a YAML string: relative if it is below the workloads folder, otherwise absolute.
  private func quoted(_ path: String, in folder: WorkloadsFolder) -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.path
    let prefix = folder.path + "/"
    let shown = full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full
    return "'" + shown.replacing("'", with: "''") + "'"
  }
}

struct ReplayOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Replay the log on copies of the store: unchanged, and once for each finding, repaired.",
      discussion: "Prints the time that each repair saves, with an interval, and exact counters."
    )
  )
  var replay = false

  @Option(
    help: ArgumentHelp(
      """
      Store sizes, as multiples of the given store. 1 is the store itself; for other sizes a \
      similar store is generated.
      """,
      valueName: "list"
    ),
    transform: { text in
      let sizes = text.split(separator: ",").map { part in
        Quantity(part.trimmingPrefix { $0 == " " }.description)
          .flatMap { $0.dimension == .plain ? $0.value : nil }
      }
      guard !sizes.isEmpty, sizes.count <= 10,
        sizes.allSatisfy({ $0.map { $0 > 0 && $0 <= 1e6 } ?? false })
      else { throw ValidationError("'\(text)' is not a list of sizes such as 1,10,100") }
      return sizes.compactMap(\.self)
    }
  )
  var sizes: [Double] = [1]

  @Option(
    help: ArgumentHelp(
      """
      Replay on stores generated from this recipe or store profile instead of on an existing \
      store.
      """,
      valueName: "recipe"
    )
  )
  var recipe: String?

  @Option(
    help: ArgumentHelp(
      """
      Write a workload file that replays the log, and next to it a copy of the log without \
      values.
      """,
      valueName: "file"
    )
  )
  var workload: String?

  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    guard replay || (sizes == [1] && (recipe == nil || workload != nil)) else {
      throw ValidationError("'--sizes' and '--recipe' need '--replay'")
    }
  }
}

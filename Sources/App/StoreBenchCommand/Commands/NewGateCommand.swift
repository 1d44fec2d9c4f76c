import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import Runner

struct NewGateCommand: ConsoleCommand {
  /// The workload kinds that work with any model, most useful first.
  private static let kinds = [
    "fetch", "save", "bulk", "cascadeDelete", "search", "sections", "import", "sortOrders",
  ]
  private static let workloadCount = 4

  enum Server: String, CaseIterable, ExpressibleByArgument {
    case github
    case gitlab
  }

  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Write a recipe, its workload files, the CI file and .gitignore for a model.",
    discussion: """
      The recipe refers to the model, so a pull request that changes the model changes what is \
      measured. For each entity with indexes, a list is fetched in the order of each: without the \
      index, it costs more. Run it in the repository of the app. Files that exist are left alone; \
      a further model gets files of its own beside them.

      EXAMPLE: storebench new gate --model App/App.xcdatamodeld
      """
  )

  @Option(
    help: ArgumentHelp(
      "The app's model (.xcdatamodeld, .momd, .mom, .yaml), or a store that contains it.",
      valueName: "path"
    )
  )
  var model: String

  @Option(help: ArgumentHelp("The folder of the workload files.", valueName: "folder"))
  var folder = "Workloads"

  @Option(help: "github or gitlab.")
  var server = Server.github

  func run(on console: Console) throws -> CommandStatus {
    let input = try ModelInput.read(path: model)
    let recipe = try recipe(of: input)
    let (current, counts) = try writeRecipe(recipe, of: input, on: console)
    // Read the recipe first, because a problem in it affects all workload files.
    _ = try RecipeFile.read(path: "\(folder)/\(recipe)")
    let written = try writeWorkloads(recipe, current, counts, on: console)
    try writeServerFile(on: console)
    try ignoreOutput(on: console)
    let ci = ShellWord.quoted("\(folder)/ci")
    // Like the other suggested commands, `git add` takes paths relative to the current folder.
    let added = [folder, BaselineUpdateCommand.standardFolder, ignorePath, serverPath]
      .map(ShellWord.quoted).joined(separator: " ")
    console.note(
      """
      \(Figures.counted(written, "workload file")) of '\(model)' in \(folder)/ci. Next:
        storebench run \(ci) --output storebench-result
        storebench baseline update storebench-result
        git add \(added)
        git commit
      After a change: the same 'storebench run' with '--force', then 'storebench compare \
      Results/baselines storebench-result'. In \(serverPath), name your copy of StoreBench.
      """
    )
    return .done
  }

  /// Writes a file and creates its folders; an existing file is not changed.
  private func write(_ text: String, to path: String, on console: Console) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      console.note("kept \(path), which exists already")
      return
    }
    try NewFile.write(text, to: path, on: console)
  }

  // MARK: Recipe and workloads

  /// The path of the model's recipe, relative to the workloads folder.
  ///
  /// The recipe is named after the model. If another model's recipe has this name, the name of the
  /// model's folder is prefixed.
  private func recipe(of input: ModelInput) throws -> String {
    let url = URL(fileURLWithPath: model).standardizedFileURL
    let own = url.deletingPathExtension().lastPathComponent
    let above = url.deletingLastPathComponent().lastPathComponent
    var taken: [String] = []
    for name in [own, "\(above)-\(own)"] {
      let plain = name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }
      let recipe = "recipes/\(String(plain)).yaml"
      let reference = PathBetween.relative(source(of: input, recipe), from: "\(folder)/recipes")
      if !isOfOther("\(folder)/\(recipe)", than: reference) { return recipe }
      taken.append("'\(folder)/\(recipe)'")
    }
    throw Refusal.badInput(
      "\(taken.joined(separator: " and ")) do not name the model '\(model)': if the model was "
        + "moved, write its path after 'model:' there; if they are of other models, rename one, "
        + "also in the workload files"
    )
  }

  /// The path of the model that the recipe refers to: the model file, or a copy of the store's
  /// model.
  private func source(of input: ModelInput, _ recipe: String) -> String {
    input.kind == .store
      ? "\(folder)/models/" + URL(fileURLWithPath: recipe).lastPathComponent : input.path
  }

  /// Whether a file exists at a path but does not contain the given reference.
  private func isOfOther(_ path: String, than reference: String) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    guard let text = try? InputFile.text(of: path, limit: 1 << 20) else { return true }
    let forms = [": \(reference)", "'\(reference)'", YAMLText.quoted(reference)]
    return !forms.contains { text.contains($0) }
  }

  private func writeRecipe(
    _ recipe: String,
    of input: ModelInput,
    on console: Console
  ) throws -> (model: Model, counts: [String: Int]) {
    let path = "\(folder)/\(recipe)"
    let counts = try NewRecipeCommand.counts(of: input)
    let source = source(of: input, recipe)
    var current = input.version.model
    if input.kind == .store {
      try write(ModelWriter.text(of: current), to: source, on: console)
      // Read the file again: an existing copy of the model is not replaced, and may have been
      // edited.
      current = try ModelInput.read(path: source).version.model
    }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let text = try NewRecipeCommand.text(
      of: current,
      named: PathBetween.relative(source, from: parent),
      counts: counts,
      settings: NewRecipeCommand.settings(of: input)
    )
    try write(text, to: path, on: console)
    return (current, NewRecipeCommand.objects(of: current, counts))
  }

  /// Writes a workload file for each of the most useful kinds that apply to the model, up to a
  /// maximum; returns the number of files.
  private func writeWorkloads(
    _ recipe: String,
    _ model: Model,
    _ counts: [String: Int],
    on console: Console
  ) throws -> Int {
    var written = 0
    var problem: Refusal?
    let available = console.program.kinds
    let lists = Self.indexedLists(of: model)
    let names = Self.kinds + lists.map { "fetch\($0.entity)" }
    let isFurther = names.contains { isOfOther("\(folder)/ci/\($0).yaml", than: recipe) }
    let stem = URL(fileURLWithPath: recipe).deletingPathExtension().lastPathComponent
    let prefix = isFurther ? stem + "-" : ""
    func add(_ name: String, _ kind: any WorkloadKind.Type, _ parameters: [String]) throws {
      let path = "\(folder)/ci/\(prefix)\(name).yaml"
      let text = text(of: kind, recipe, parameters)
      if !FileManager.default.fileExists(atPath: path) {
        switch try planned(text, for: path, program: console.program) {
        case .success(let plan):
          guard plan.caseCount > 0 else { return }
        case .failure(let refusal):
          problem = problem ?? refusal
          return
        }
      }
      try write(text, to: path, on: console)
      written += 1
    }
    for name in Self.kinds where written < Self.workloadCount {
      guard let kind = available.first(where: { $0.name == name }) else { continue }
      let isIndexed = name == "fetch" && !lists.isEmpty
      try add(
        name,
        kind,
        isIndexed ? lists[0].parameters : NewWorkloadCommand.given(kind, in: counts)
      )
    }
    if let kind = available.first(where: { $0.name == "fetch" }) {
      for list in lists.dropFirst() { try add("fetch\(list.entity)", kind, list.parameters) }
    }
    guard written > 0 else {
      throw Refusal.badInput(
        "no workload kind finds anything to do in the model '\(self.model)'"
          + (problem.map { ":\n\($0)" } ?? "")
      )
    }
    return written
  }

  /// The parameters of a fetch for each entity with indexes, the entity with the most indexes
  /// first.
  ///
  /// The fetch reads the first screen of a list: unsorted, and in the order of each index.
  private static func indexedLists(
    of model: Model
  ) -> [(entity: String, parameters: [String])] {
    var lists: [(entity: String, orders: [String])] = []
    for entity in model.entities where !entity.isAbstract {
      let sortable = Set(model.attributes(of: entity).filter { !$0.isTransient }.map(\.name))
      let orders = entity.fetchIndexes.filter { index in
        index.elements.allSatisfy { $0.kind == .binary && sortable.contains($0.property) }
      }
      .map { index in
        let names = index.elements.map { ($0.isAscending ? "" : "-") + $0.property }
        return "[\(names.joined(separator: ", "))]"
      }
      if !orders.isEmpty { lists.append((entity.name, orders)) }
    }
    return lists.sorted { $0.orders.count > $1.orders.count }.map { entity, orders in
      (
        entity,
        ["entity: \(entity)", "sort: [[], \(orders.joined(separator: ", "))]", "limit: 20"]
      )
    }
  }

  private func text(
    of kind: any WorkloadKind.Type,
    _ recipe: String,
    _ parameters: [String]
  ) -> String {
    let given = parameters.map { "  " + $0 }
    let parameters = given.isEmpty ? "" : "parameters:\n\(given.joined(separator: "\n"))\n"
    return """
      # \(kind.description.summary). Parameters: storebench reference kinds \(kind.name).
      kind: \(kind.name)
      store: { recipe: \(YAMLText.quoted(recipe)) }
      \(parameters)trials: { trials: 2 }

      """
  }

  private func planned(
    _ text: String,
    for path: String,
    program: Program
  ) throws -> Result<Plan, Refusal> {
    // Write the temporary file to the workloads folder, because paths in the file begin there.
    let trial = "\(folder)/.new-gate-\(getpid()).yaml"
    try AtomicFile.write(text, to: trial)
    defer { unlink(trial) }
    do {
      return .success(try Plan(paths: [trial], kinds: program.kinds))
    } catch {
      return .failure(Refusal(CommandStatus(of: error), "\(error)".replacing(trial, with: path)))
    }
  }

  // MARK: The repository

  /// The folder that contains `.git`, or else the current folder.
  private var root: String {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while url.path != "/" {
      if FileManager.default.fileExists(atPath: url.appendingPathComponent(".git").path) {
        return url.path
      }
      url = url.deletingLastPathComponent().standardizedFileURL
    }
    return FileManager.default.currentDirectoryPath
  }

  private var serverPath: String {
    let name =
      switch server {
      case .github: ".github/workflows/storebench.yml"
      case .gitlab: ".gitlab/storebench.yml"
      }
    return PathBetween.relative("\(root)/\(name)", from: ".")
  }

  private var ignorePath: String { PathBetween.relative("\(root)/.gitignore", from: ".") }

  /// The inputs of the CI job, with paths relative to the repository's root, where the job runs.
  private var serverInputs: [String] {
    let standard = BaselineUpdateCommand.standardFolder
    let baselines = PathBetween.relative(standard, from: root)
    var inputs = [("workloads", PathBetween.relative("\(folder)/ci", from: root))]
    if baselines != standard { inputs.append(("baselines", baselines)) }
    return inputs.map { name, path in
      let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
      return "\(name): \(isPlain ? path : YAMLText.quoted(path))"
    }
  }

  private func writeServerFile(on console: Console) throws {
    let tag = Storebench.configuration.version.replacing("storebench ", with: "")
    let text =
      switch server {
      case .github:
        """
        # Gates pull requests on the exact costs of the app's store. How it works: docs/ci.md of StoreBench.
        name: storebench
        on: [pull_request]
        permissions:
          contents: read
        jobs:
          storebench:
            runs-on: ubuntu-24.04
            # The image decides the build of SQLite, and so which baseline counts.
            container: swift:6.3-bookworm
            steps:
              - uses: actions/checkout@v4
              # Name your copy of StoreBench here.
              - uses: YOUR-COPY/storebench/ci/github@\(tag)
                with: { \(serverInputs.joined(separator: ", ")) }

        """
      case .gitlab:
        """
        # Gates merge requests on the exact costs of the app's store. Add this file to 'include' of
        # .gitlab-ci.yml, and name your copy of StoreBench. How it works: docs/ci.md of StoreBench.
        include:
          - project: YOUR-COPY/storebench
            ref: \(tag)
            file: ci/gitlab/storebench.yml
            inputs:
              repository: "https://example.com/YOUR-COPY/storebench.git"
              \(serverInputs.joined(separator: "\n      "))

        """
      }
    try write(text, to: serverPath, on: console)
  }

  private func ignoreOutput(on console: Console) throws {
    let path = ignorePath
    let present = FileManager.default.fileExists(atPath: path)
    let old = present ? try InputFile.text(of: path, limit: 1 << 20) : ""
    let known = Set(old.split(whereSeparator: \.isNewline).map { $0.filter { $0 != "/" } })
    // In `.gitignore`, a pattern with a slash inside is relative to the folder of the file.
    let runs = PathBetween.relative("Results/runs", from: root) + "/"
    let missing = [".storebench/", "storebench-result/", runs].filter {
      !known.contains($0.filter { $0 != "/" })
    }
    guard !missing.isEmpty else { return }
    let separator = old.isEmpty || old.hasSuffix("\n") ? "" : "\n"
    try AtomicFile.write(old + separator + missing.joined(separator: "\n") + "\n", to: path)
    console.note("wrote \(path)")
  }
}

enum PathBetween {
  static func relative(_ path: String, from folder: String) -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    let base = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
    let common = zip(full, base).prefix { $0 == $1 }.count
    let above = Array(repeating: "..", count: base.count - common)
    let parts = above + full.dropFirst(common)
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }
}

import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Runner
import StoreBench

/// Writes new files from templates.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract:
      "Write a commented workload file, scenario, recipe or actions file, or all files of a CI gate.",
    discussion: """
      EXAMPLE: storebench new workload scrolling --store Library.sqlite
      EXAMPLE: storebench new gate --model App/App.xcdatamodeld
      """,
    subcommands: [
      NewWorkloadCommand.self, NewScenarioCommand.self, NewRecipeCommand.self,
      NewActionsCommand.self, NewGateCommand.self,
    ]
  )
}

/// The options for the name of a new file and for the store on which the file is based.
struct NewFileOptions: ParsableArguments {
  @Argument(help: "Name of the file, with or without '.yaml'.")
  var name: String

  @Option(
    name: [.long, .customLong("from")],
    help: ArgumentHelp("Store or model on which the file is based.", valueName: "path")
  )
  var store: String?

  /// The path of the new file without its extension.
  var stem: String { name.hasSuffix(".yaml") ? String(name.dropLast(5)) : name }

  /// The path of another file next to the new file: `scrolling-recipe.yaml`.
  func path(_ suffix: String = "") -> String { "\(stem)\(suffix).yaml" }

  /// The path of a file, given its name with or without the extension.
  static func path(of name: String) -> String { name.hasSuffix(".yaml") ? name : name + ".yaml" }

  func write(_ text: String, to path: String, on console: Console) throws {
    try Self.write(text, to: path, on: console)
  }

  /// Writes a file if it does not exist yet.
  static func write(_ text: String, to path: String, on console: Console) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Refusal(.cannotWrite, "'\(path)' exists already: choose another name")
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try AtomicFile.write(text, to: path)
    console.note("wrote \(path)")
  }
}

/// The model of a new recipe: the user's model file, a copy of a store's model, or an example.
private enum NewModel {
  /// The model of the model file at `path`, and the path relative to `folder`; `nil` if `path` is a
  /// store.
  ///
  /// The file is referenced and not copied, so that later changes to it take effect.
  static func reference(
    to path: String,
    from folder: String
  ) throws -> (name: String, model: Model)? {
    guard !StoreSearch.isSQLiteFile(path) else { return nil }
    let model = try ModelInput.read(path: path).version.model
    return (PathBetween.relative(path, from: folder), model)
  }

  static func text(of path: String?) throws -> String {
    guard let path else { return example }
    let source = try ModelInput.read(path: path)
    return """
      # The model of \(source.title). Keys: docs/reference/model.md.
      \(ModelWriter.text(of: source.version.model))
      """
  }

  private static let example = """
    # Entities with their attributes and relationships. Keys: docs/reference/model.md.
    identifier: "1.0.0"
    entities:
      Project:
        attributes:
          name: { type: string, optional: false }
        relationships:
          tasks: { to: Task, many: true, inverse: project, delete: cascade }
      Task:
        attributes:
          title: { type: string, optional: false }
          details: string
          createdAt: date
          id: uuid
          modifiedAt: date
          isCompleted: { type: boolean, default: false }
          photo: { type: binary, external: true }
        relationships:
          project: { to: Project, inverse: tasks }
        indexes:
          byCreatedAt: [createdAt]

    """
}

/// Writes a recipe with a store's object counts, or an example recipe.
struct NewRecipeCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "recipe",
    abstract: "Write a recipe and its model, with a store's object counts or as an example.",
    discussion: """
      Values are guessed from names and types until the recipe names a generator. To copy the \
      distributions of a store, use 'storebench generate --like STORE'.

      EXAMPLE: storebench new recipe library --store Library.sqlite
      """
  )

  @OptionGroup var file: NewFileOptions

  func run(on console: Console) throws -> CommandStatus {
    try Self.write(file, to: file.path(), on: console)
    console.note("next: storebench generate \(ShellWord.quoted(file.path()))")
    return .done
  }

  /// Writes the recipe and its model, and returns the number of objects of each entity.
  @discardableResult
  static func write(
    _ file: NewFileOptions,
    to path: String,
    on console: Console
  ) throws -> [String: Int] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let own = try file.store.flatMap { try NewModel.reference(to: $0, from: folder) }
    let modelPath = file.path("-model")
    let modelText = own == nil ? try NewModel.text(of: file.store) : ""
    let model = try own?.model ?? ModelFile.parse(modelText, file: modelPath).model
    let counts = try file.store.map(Self.counts) ?? ["Project": 40, "Task": 10_000]
    let text = Self.text(
      of: model,
      named: own?.name ?? (modelPath as NSString).lastPathComponent,
      counts: counts,
      keepsHistory: file.store == nil
    )
    if own == nil { try file.write(modelText, to: modelPath, on: console) }
    try file.write(text, to: path, on: console)
    let concrete = model.entities.filter { !$0.isAbstract }
    return Dictionary(concrete.map { ($0.name, counts[$0.name] ?? 1000) }) { $1 }
  }

  /// A recipe with the given number of objects for each entity, and with the attributes as
  /// comments.
  static func text(
    of model: Model,
    named name: String,
    counts: [String: Int],
    keepsHistory: Bool = false
  ) -> String {
    let entities = model.entities.filter { !$0.isAbstract }.flatMap { entity in
      let attributes = model.attributes(of: entity).filter { !$0.isTransient }
      return ["  \(entity.name):", "    count: \(counts[entity.name] ?? 1000)"]
        + (attributes.isEmpty ? [] : ["    # attributes:"])
        + attributes.map { "    #   \($0.name): GENERATOR    # \($0.type.name)" }
    }
    return """
      # Objects of each entity. Values are guessed from names and types: name another generator under
      # `attributes`. Generators: storebench reference generators. Keys: docs/reference/recipe.md.
      format: 1
      model: \(YAMLText.quoted(name))
      seed: 1\(keepsHistory ? "\nhistory: true    # every save is recorded, as in stores of SwiftData" : "")
      entities:
      \(entities.joined(separator: "\n"))

      """
  }

  /// The number of objects of each entity in a store; empty for a model.
  static func counts(of path: String) throws -> [String: Int] {
    guard StoreSearch.isSQLiteFile(path) else { return [:] }
    let survey = try StoreSurveyor(StoreFile(path: path)).survey()
    return Dictionary(survey.entities.map { ($0.name, Int($0.count)) }) { $1 }
  }
}

/// Writes a workload file with one workload kind and all of its parameters that have an effect.
struct NewWorkloadCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "workload",
    abstract: "Write a workload file of one kind that lists every parameter that has an effect.",
    discussion: """
      The workload runs on the given store; for a model or without either, on a store from a new \
      recipe. The recipe refers to a given model, so that later changes of the model count.

      EXAMPLE: storebench new workload scrolling --kind fetch --store Library.sqlite
      """
  )

  @OptionGroup var file: NewFileOptions

  @Option(help: "Workload kind; see 'storebench reference kinds'.")
  var kind = "fetch"

  func run(on console: Console) throws -> CommandStatus {
    let kind = try ReferenceCommand.kind(named: kind, of: console.program)
    guard kind.description.exampleFiles.isEmpty else {
      throw ValidationError(
        "a '\(kind.name)' workload is made from a log: storebench analyze LOG --workload \(file.path())"
      )
    }
    let isStore = file.store.map(StoreSearch.isSQLiteFile) ?? false
    let folder = WorkloadsFolder(of: file.path())
    var source = ""
    var objects = try file.store.map(NewRecipeCommand.counts) ?? [:]
    if let store = file.store, isStore {
      source = "path: " + YAMLText.quoted(URL(fileURLWithPath: store).standardizedFileURL.path)
    } else {
      let recipe = file.path("-recipe")
      objects = try NewRecipeCommand.write(file, to: recipe, on: console)
      source = "recipe: " + YAMLText.quoted(folder.name(of: recipe) + ".yaml")
    }
    let given = Self.given(kind, in: objects)
    let lines = given.isEmpty ? Self.usual(kind) : given
    let values = Self.values(lines, of: kind)
    let idle = kind.idle(beside: values)
    let listed = kind.axes.filter {
      values[$0.name] == nil && !idle.contains($0.name)
    }.map { axis in
      "  # \(axis.name): \(Self.yaml(axis.defaultValue))".padded(to: 35)
        + " # \(axis.summary): \(axis.valuesAndDefault)"
    }
    let text = """
      # The question that this workload answers goes here.
      # A list of values is an axis: every combination is a case. Keys: docs/reference/workload.md.
      kind: \(kind.name)
      store: { \(source) }
      parameters:
      \((lines.map { "  " + $0 } + listed).joined(separator: "\n"))
      trials: { trials: 5, cache: warm }

      """
    try file.write(text, to: file.path(), on: console)
    do {
      _ = try Plan(paths: [file.path()], kinds: console.program.kinds)
      console.note("next: storebench run \(ShellWord.quoted(file.path()))")
    } catch {
      console.note("'storebench run' refuses the file as it is: \(error)")
    }
    return .done
  }

  /// The parameters of a small case; a parameter that names an entity gets the entity with the most
  /// objects.
  static func given(_ kind: any WorkloadKind.Type, in objects: [String: Int]) -> [String] {
    let largest = objects.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    var depth = 0
    let entries = kind.description.example.split { character in
      depth += character == "[" ? 1 : character == "]" ? -1 : 0
      return character == "," && depth == 0
    }
    return entries.compactMap { entry in
      let parts = entry.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
      guard let axis = kind.axes.first(where: { $0.name == parts[0] }), parts.count == 2 else {
        return nil
      }
      switch axis.domain {
      // Omit names of entities and properties, because the kind chooses them itself.
      case .name, .names: return nil
      // Replace the example's steps, because they use entities of its own store.
      case .script:
        let entity = YAMLText.quoted(largest)
        return largest.isEmpty
          ? nil
          : "\(axis.name): [{ fetch: \(entity), batch: 20, read: 100, as: list }, { count: \(entity) }]"
      // Replace the example's entity: the value `+ENTITY` stands for the store's model with one
      // more attribute in that entity.
      case .path where parts[1].hasPrefix("+"): return "\(axis.name): +\(largest)"
      default: return "\(axis.name): \(parts[1])"
      }
    }
  }

  /// The parameter values that the given lines of a workload file set.
  private static func values(
    _ lines: [String],
    of kind: any WorkloadKind.Type
  ) -> [String: ParameterValue] {
    let text = lines.joined(separator: "\n")
    guard let mapping = YAMLDocument.parse(text, into: Diagnostics(file: ""))?.mapping() else {
      return [:]
    }
    var values: [String: ParameterValue] = [:]
    for axis in kind.axes {
      values[axis.name] = mapping[axis.name].flatMap { axis.readValues($0) }?.first?.value
    }
    return values
  }

  /// The line with the first parameter of a kind and its default value.
  ///
  /// It is written if no other parameter is, because a parameter mapping needs at least one entry.
  private static func usual(_ kind: any WorkloadKind.Type) -> [String] {
    kind.axes.prefix(1).map { "\($0.name): \(yaml($0.defaultValue))" }
  }

  private static func yaml(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text.isEmpty ? "\"\"" : text
    case .list(let names): "[\(names.joined(separator: ", "))]"
    default: value.description
    }
  }
}

/// Checks the kinds of a workload file in the same way as the project's tests check the built-in
/// kinds.
struct CheckKindCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-kind",
    abstract:
      "Check that a workload kind detects wrong outcomes and has the same counters each time.",
    discussion: """
      Runs each case of the workload file several times: twice unchanged, once for each injected \
      wrong outcome, and once interrupted. Use a small store.

      Exit status: 0 nothing found; 1 a finding; 64 misuse; 65 bad input.

      EXAMPLE: storebench check-kind Workloads/ci/fetch.yaml
      """
  )

  @Argument(
    help: ArgumentHelp("A workload file of the kind to check.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var path: String

  @OptionGroup var folder: WorkFolderOption

  func run(on console: Console) throws -> CommandStatus {
    let check = try KindCheck(
      workload: path,
      kinds: console.program.kinds,
      workFolder: folder.workFolder
    )
    UntrackedFolder.mark(folder.workFolder)
    let findings = try check.findings()
    for finding in findings { console.print(finding) }
    guard findings.isEmpty else { return .caseFailed }
    let names = check.kinds.map { $0.name }.joined(separator: ", ")
    console.print("\(names): documented, verified, repeatable, and safe to interrupt")
    return .done
  }
}

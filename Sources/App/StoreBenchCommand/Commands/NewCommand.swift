import ArgumentParser
import Basics
import DataModel
import Foundation
import Inspector
import Runner
import StoreBench

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

struct NewFileOptions: ParsableArguments {
  @Argument(help: "Name of the file, with or without '.yaml'.")
  var name: String

  @Option(
    name: [.long, .customLong("from")],
    help: ArgumentHelp("Store or model on which the file is based.", valueName: "path")
  )
  var store: String?

  var stem: String { name.hasSuffix(".yaml") ? String(name.dropLast(5)) : name }

  func path(_ suffix: String = "") -> String { "\(stem)\(suffix).yaml" }

  func source() throws -> ModelInput? { try store.map { try ModelInput.read(path: $0) } }
}

extension ModelInput {
  fileprivate var storePath: String? { kind == .store ? path : nil }
}

/// Writes new files; never replaces existing files.
enum NewFile {
  static func path(of name: String) -> String { name.hasSuffix(".yaml") ? name : name + ".yaml" }

  static func checkAbsent(_ paths: [String]) throws {
    for path in paths where FileManager.default.fileExists(atPath: path) {
      throw Refusal(.cannotWrite, "'\(path)' exists already: choose another name")
    }
  }

  static func write(_ text: String, to path: String, on console: Console) throws {
    try checkAbsent([path])
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(
        path,
        reason: "the folder '\(folder)' cannot be made; choose another folder"
      )
    }
    try AtomicFile.write(text, to: path)
    console.note("wrote \(path)")
  }

  static func noteRun(of path: String, on console: Console) {
    do {
      _ = try Plan(paths: [path], kinds: console.program.kinds)
      console.note("next: storebench run \(ShellWord.quoted(path))")
    } catch {
      console.note("'storebench run' refuses the file as it is: \(error)")
    }
  }
}

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

  @Option(
    help:
      "Workload kind, see 'storebench reference kinds'; without it the name, if it is one, else fetch."
  )
  var kind: String?

  func run(on console: Console) throws -> CommandStatus {
    let isKind = console.program.kinds.contains { $0.name == file.name }
    let kind = try ReferenceCommand.kind(
      named: kind ?? (isKind ? file.name : "fetch"),
      of: console.program
    )
    guard kind.description.exampleFiles.isEmpty else {
      throw ValidationError(
        "a '\(kind.name)' workload is made from a log: storebench analyze LOG --workload \(file.path())"
      )
    }
    try NewFile.checkAbsent([file.path()])
    // Do not read the model of a store, because the store may lack it; the workload file can name
    // it.
    let isStore = file.store.map(StoreSearch.isSQLiteFile) ?? false
    let input = isStore ? nil : try file.source()
    let folder = WorkloadsFolder(of: file.path())
    let source: String
    let objects: [String: Int]
    if let store = isStore ? file.store : input?.storePath {
      objects = try NewRecipeCommand.counts(ofStore: store)
      source = "path: " + YAMLText.quoted(URL(fileURLWithPath: store).standardizedFileURL.path)
    } else {
      let recipe = file.path("-recipe")
      objects = try NewRecipeCommand.write(file, of: input, to: recipe, on: console)
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
    try NewFile.write(text, to: file.path(), on: console)
    NewFile.noteRun(of: file.path(), on: console)
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
      // Replace the example's steps, because they use entities of the example's own store.
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
  /// It is used if there is no other parameter, because a parameter mapping needs at least one
  /// entry.
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

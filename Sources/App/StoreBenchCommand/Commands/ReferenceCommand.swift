import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Reporter
import Runner

/// The item of a name that a command was given, or a misuse that lists the names there are.
private func find<Item>(
  _ what: String,
  _ name: String,
  among items: [Item],
  named nameOf: (Item) -> String
) throws -> Item {
  if let found = items.first(where: { nameOf($0) == name }) { return found }
  let names = items.map(nameOf)
  throw ValidationError(
    "unknown \(what) '\(name)'; available: \(names.joined(separator: ", "))"
      + didYouMean(name, among: names)
  )
}

/// Lists the workload kinds with their parameters.
struct KindsCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "kinds",
    abstract: "List the workload kinds, or the parameters of one kind.",
    discussion: "EXAMPLE: storebench kinds fetch"
  )

  @Argument(help: "Name of a kind. Without it, all kinds are listed.")
  var kind: String?

  func run(on console: Console) throws -> CommandStatus {
    guard let kind else {
      for kind in console.program.kinds {
        console.print("\(kind.name.padded(to: 16))\(kind.description.summary)")
      }
      console.note("parameters of a kind: storebench kinds NAME")
      return .done
    }
    let found = try Self.kind(named: kind, of: console.program)
    console.print(ReferencePage.kinds([found]).text(width: console.width))
    return .done
  }

  /// The kind of a name; throws a misuse that lists those there are.
  static func kind(named name: String, of program: Program) throws -> any WorkloadKind.Type {
    try find("kind", name, among: program.kinds) { $0.name }
  }
}

/// Lists the metrics that results hold.
struct MetricsCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "List the metrics of results with their units.",
    discussion: "EXAMPLE: storebench metrics sqlite"
  )

  @Argument(help: "Part of a metric's name. Without it, all metrics are listed.")
  var name: String?

  func run(on console: Console) throws -> CommandStatus {
    let all = console.program.metrics
    let found = all.filter { metric in name.map { metric.name.contains($0) } ?? true }
    guard !found.isEmpty else {
      let hint = didYouMean(name ?? "", among: all.map(\.name))
      throw ValidationError(
        "no metric contains '\(name ?? "")'"
          + (hint.isEmpty ? "; 'storebench metrics' lists all" : hint)
      )
    }
    console.print(ReferencePage.metrics(found).text(width: console.width))
    return .done
  }
}

/// Lists the value generators of recipes.
struct GeneratorsCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generators",
    abstract: "List the value generators of recipes, or the parameters of one generator.",
    discussion: "EXAMPLE: storebench generators date"
  )

  @Argument(help: "Name of a generator. Without it, all generators are listed.")
  var generator: String?

  func run(on console: Console) throws -> CommandStatus {
    let all = ValueGenerator.all
    guard let generator else {
      for generator in all { console.print("\(generator.name.padded(to: 16))\(generator.summary)") }
      console.note("parameters of a generator: storebench generators NAME")
      return .done
    }
    let found = try find("generator", generator, among: all) { $0.name }
    console.print(ReferencePage.generators([found]).text(width: console.width))
    return .done
  }
}

/// Writes the reference: pages and JSON Schemas, made from the declarations in code.
struct ReferenceCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract: "Write the reference of kinds, metrics, generators, files and commands.",
    discussion: """
      Writes a Markdown page for each, and JSON Schemas of workload, recipe and model files. \
      Editors use the schemas to complete and check such files.

      EXAMPLE: storebench reference --output docs/reference
      """
  )

  @Option(help: ArgumentHelp("Folder for the pages.", valueName: "folder"))
  var output: String?

  @Flag(help: "Print the manual page instead.")
  var man = false

  func validate() throws {
    if man == (output != nil) { throw ValidationError("give either --output FOLDER or --man") }
  }

  func run(on console: Console) throws -> CommandStatus {
    guard let output else {
      console.print(Self.commands.manual(version: Storebench.configuration.version))
      return .done
    }
    for (name, text) in try Self.files(of: console.program) {
      let path = "\(output)/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true
      )
      try AtomicFile.write(text, to: path)
    }
    console.note("wrote the reference to \(output)")
    return .done
  }

  /// The text of every file of the reference, by its path inside the folder.
  static func files(of program: Program) throws -> [(name: String, text: String)] {
    let kinds = program.kinds
    let forms: [(name: String, title: String, form: FileForm)] = [
      ("workload", "Workload files", WorkloadFile.form(kinds)),
      ("recipe", "Recipes", RecipeFile.form), ("model", "Model files", ModelFile.form),
    ]
    let pages =
      [
        ReferencePage.kinds(kinds), .metrics(program.metrics),
        .generators(ValueGenerator.all), commands,
      ] + forms.map { ReferencePage.file($0.name, title: $0.title, $0.form) }
    let schemas = try forms.map { name, title, form in
      let kinds = name == "workload" ? kinds : []
      return (
        "schema/\(name).schema.json", try FileSchema.text(of: form, title: title, kinds: kinds)
      )
    }
    return pages.map { ("\($0.name).md", $0.markdown) } + schemas
  }

  /// Every command with its help, and the exit statuses.
  private static var commands: ReferencePage {
    .commands(
      introduction: Storebench.configuration.discussion,
      Storebench.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map {
        ($0.configuration.commandName ?? "", Storebench.helpMessage(for: $0, columns: 80))
      }
    )
  }
}

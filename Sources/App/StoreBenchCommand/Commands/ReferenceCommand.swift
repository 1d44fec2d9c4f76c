import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Runner

struct ReferenceCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract:
      "Show the workload kinds, metrics and value generators, or write the whole reference.",
    discussion: """
      With --output, writes a Markdown page for each, and JSON Schemas of workload, recipe and model \
      files. Editors use the schemas to complete and check such files.

      EXAMPLE: storebench reference kinds fetch
      EXAMPLE: storebench reference metrics sqlite
      EXAMPLE: storebench reference --output docs/reference
      """
  )

  enum Topic: String, CaseIterable, ExpressibleByArgument {
    case kinds, metrics, generators
  }

  @Argument(help: "One of kinds, metrics, generators.")
  var topic: Topic?

  @Argument(help: "Name of a kind or generator, or part of a metric's name. Without it, all.")
  var name: String?

  @Option(help: ArgumentHelp("Folder for the pages.", valueName: "folder"))
  var output: String?

  @Flag(help: "Print the manual page instead.")
  var man = false

  func validate() throws {
    guard [topic != nil, output != nil, man].count(where: \.self) == 1 else {
      throw ValidationError("name one of kinds, metrics and generators, or '--output' or '--man'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if let topic {
      try show(topic, on: console)
      return .done
    }
    guard let output else {
      console.printDocument(Self.commands.manual(version: Storebench.configuration.version))
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

  private func show(_ topic: Topic, on console: Console) throws {
    let program = console.program
    func show(_ items: [(name: String, summary: String)], width: Int = 16) {
      for item in items { console.print(item.name.padded(to: width) + item.summary) }
    }
    func list(_ items: [(name: String, summary: String)]) {
      show(items)
      console.note("parameters of one: storebench reference \(topic.rawValue) NAME")
    }
    let page: ReferencePage
    switch topic {
    case .kinds:
      guard let name else {
        list(program.kinds.map { ($0.name, $0.description.summary) })
        let scenarios = Self.scenarios
        guard !scenarios.isEmpty, program.kinds.contains(where: { $0.name == "scenario" }) else {
          return
        }
        show(scenarios, width: 35)
        return console.note(
          "a scenario: storebench run FILE; your own: Workloads/scenario/README.md"
        )
      }
      page = .kinds([try Self.kind(named: name, of: program)])
    case .generators:
      let all = ValueGenerator.all
      guard let name else { return list(all.map { ($0.name, $0.summary) }) }
      page = .generators([try Self.find("generator", name, among: all) { $0.name }])
    case .metrics:
      let all = program.metrics
      let found = all.filter { metric in name.map { metric.name.contains($0) } ?? true }
      guard !found.isEmpty else {
        let hint = didYouMean(name ?? "", among: all.map(\.name))
        throw ValidationError(
          "no metric contains '\(name ?? "")'"
            + (hint.isEmpty ? "; 'storebench reference metrics' lists all" : hint)
        )
      }
      page = .metrics(found)
    }
    console.printDocument(page.text(width: console.width))
  }

  private static var scenarios: [(name: String, summary: String)] {
    let folder = "Workloads/scenario"
    let place = InstalledFiles.resolved(folder)
    let files = (try? WorkloadsFolder.files(at: [place])) ?? []
    return files.compactMap { file in
      let document = try? YAMLDocument.read(path: file, into: Diagnostics(file: file))
      guard let question = document?.mapping()?["question"]?.string() else { return nil }
      return (
        TerminalText.plain(folder + file.dropFirst(place.count)), TerminalText.plain(question)
      )
    }
  }

  static func kind(named name: String, of program: Program) throws -> any WorkloadKind.Type {
    try find("kind", name, among: program.kinds) { $0.name }
  }

  private static func find<Item>(
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

  private static var commands: ReferencePage {
    .commands(
      introduction: Storebench.configuration.discussion,
      Storebench.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map {
        ($0.configuration.commandName ?? "", Storebench.helpMessage(for: $0, columns: 80))
      }
    )
  }
}

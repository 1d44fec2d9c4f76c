import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore

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
    let path = file.path()
    try Self.write(file, of: file.source(), to: path, on: console)
    do {
      for note in try RecipeFile.read(path: path).notes { console.note(note) }
      console.note("next: storebench generate \(ShellWord.quoted(path))")
    } catch {
      console.note("'storebench generate' refuses the file as it is: \(error)")
    }
    return .done
  }

  /// Writes the recipe and its model, and returns the number of objects of each entity.
  ///
  /// A model file is referenced and not copied, so that later changes to it take effect.
  @discardableResult
  static func write(
    _ file: NewFileOptions,
    of source: ModelInput?,
    to path: String,
    on console: Console
  ) throws -> [String: Int] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let modelPath = file.path("-model")
    let own = source.flatMap { $0.kind == .store ? nil : $0 }
    let modelText: String? = own == nil ? source.map(Self.modelText) ?? ExampleModel.text : nil
    let model = try own?.version.model ?? ModelFile.parse(modelText ?? "", file: modelPath).model
    let counts = try source.map { try Self.counts(of: $0) } ?? ["Project": 40, "Task": 10_000]
    let text = try Self.text(
      of: model,
      named: own.map { PathBetween.relative($0.path, from: folder) }
        ?? (modelPath as NSString).lastPathComponent,
      counts: counts,
      settings: Self.settings(of: source)
    )
    try NewFile.checkAbsent((modelText == nil ? [] : [modelPath]) + [path])
    if let modelText { try NewFile.write(modelText, to: modelPath, on: console) }
    try NewFile.write(text, to: path, on: console)
    return Self.objects(of: model, counts)
  }

  static func objects(of model: Model, _ counts: [String: Int]) -> [String: Int] {
    let concrete = model.entities.filter { !$0.isAbstract }
    return Dictionary(concrete.map { ($0.name, counts[$0.name] ?? 1000) }) { $1 }
  }

  static func text(
    of model: Model,
    named name: String,
    counts: [String: Int],
    settings: [String]
  ) throws -> String {
    let concrete = model.entities.filter { !$0.isAbstract }
    let objects = objects(of: model, counts)
    guard !concrete.isEmpty else {
      throw Refusal.badInput(
        "all entities of the model '\(name)' are abstract, so that a store of it has no objects: "
          + "add an entity that is not abstract"
      )
    }
    let entities = concrete.flatMap { entity in
      let attributes = model.attributes(of: entity).filter { !$0.isTransient }
      return ["  \(entity.name):", "    count: \(objects[entity.name] ?? 0)"]
        + (attributes.isEmpty ? [] : ["    # attributes:"])
        + attributes.map { "    #   \($0.name): GENERATOR    # \($0.type.name)" }
    }
    let head = ["format: 1", "model: \(YAMLText.quoted(name))", "seed: 1"] + settings
    return """
      # Objects of each entity. Values are guessed from names and types: name another generator under
      # `attributes`. Generators: storebench reference generators. Keys: docs/reference/recipe.md.
      \(head.joined(separator: "\n"))
      entities:
      \(entities.joined(separator: "\n"))

      """
  }

  static func settings(of source: ModelInput?) -> [String] {
    guard let source else {
      return ["history: true    # every save is recorded, as in stores of SwiftData"]
    }
    if source.isSwiftData {
      return ["flavour: swiftData    # which always keeps history"]
    }
    return source.store?.keepsHistory == true
      ? ["history: true    # every save is recorded, as in the store"] : []
  }

  static func counts(of source: ModelInput) throws -> [String: Int] {
    source.kind == .store ? try counts(ofStore: source.path) : [:]
  }

  static func counts(ofStore path: String) throws -> [String: Int] {
    let survey = try StoreSurveyor(StoreFile(path: path)).survey()
    return Dictionary(survey.entities.map { ($0.name, Int($0.count)) }) { $1 }
  }

  private static func modelText(of store: ModelInput) -> String {
    """
    # The model of \(store.title). Keys: docs/reference/model.md.
    \(ModelWriter.text(of: store.version.model))
    """
  }
}

private enum ExampleModel {
  static let text = """
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

import DataModel
import Foundation
import PersistentStore
import Profiling

/// Reads one recipe and gathers everything that is wrong with it.
struct RecipeReader {
  private static let keys = [
    "format", "model", "flavour", "framework", "seed", "period", "entities", "history",
    "externalThreshold",
    "age",
  ]

  let path: String
  let options: RecipeFile.Options
  let diagnostics: Diagnostics
  /// Problems of the model file, which has places of its own.
  private(set) var modelProblems: [Diagnostic] = []

  init(path: String, options: RecipeFile.Options, diagnostics: Diagnostics) {
    self.path = path
    self.options = options
    self.diagnostics = diagnostics
  }

  mutating func recipe(_ value: YAMLValue) throws -> Recipe? {
    if ProfileFile.isProfile(value) {
      return try ProfiledRecipe(path: path, options: options).recipe(value)
    }
    guard let mapping = value.mapping(knowing: Self.keys) else { return nil }
    readFormat(mapping)
    guard let model = model(mapping), let entitiesValue = mapping.required("entities") else {
      return nil
    }
    let flavour = options.flavour ?? flavour(mapping)
    let period = period(mapping["period"])
    var reader = EntitiesReader(model: model, period: period, options: options, recipe: path)
    let entities = try reader.entities(entitiesValue)
    let history = HistoryReader(flavour: flavour, period: period).history(mapping["history"])
    let framework = FrameworkReader(flavour: flavour, keepsHistory: history != nil)
      .framework(mapping["framework"])
    let threshold = mapping["externalThreshold"].flatMap { $0.integer(in: 0...1_000_000_000) }
    let age = AgeReader(model: model).age(mapping["age"])
    guard let entities else { return nil }
    if let age = mapping["age"], entities.contains(where: { !$0.defects.isEmpty }) {
      age.report("a store is aged by saving its objects, and dirty ones cannot be saved")
    }
    return Recipe(
      name: Self.stem(of: path),
      model: model,
      flavour: flavour,
      frameworkVersion: framework,
      seed: options.seed ?? seed(mapping["seed"]),
      entities: entities,
      relationships: reader.relationships,
      history: history,
      externalStorageThreshold: threshold ?? StoreBehaviours().externalStorageThreshold,
      age: age
    )
  }

  private func readFormat(_ mapping: YAMLMapping) {
    guard let value = mapping.required("format"), let format = value.integer() else { return }
    if format != Recipe.format {
      value.report("'format' is \(format), and this version reads format \(Recipe.format)")
    }
  }

  private func flavour(_ mapping: YAMLMapping) -> Flavour {
    let choices = Flavour.allCases.map { (word: $0.rawValue, value: $0) }
    return mapping["flavour"].flatMap { $0.choice(of: choices) } ?? .coreData
  }

  private func seed(_ value: YAMLValue?) -> UInt64 {
    UInt64(value.flatMap { $0.integer(in: 0...Int.max) } ?? 1)
  }

  /// The days within which dates fall, in seconds since 2001-01-01: 2023 to 2025 unless given.
  private func period(_ value: YAMLValue?) -> ClosedRange<Double> {
    let usual = 694_224_000.0...788_918_400.0
    guard let value, let items = value.items() else { return usual }
    let times = items.compactMap(DateRecipeReader.time)
    guard times.count == items.count else { return usual }
    guard times.count == 2, times[0] < times[1] else {
      value.report("'period' must be a list of two dates, the earlier first")
      return usual
    }
    return times[0]...times[1]
  }

  private mutating func model(_ mapping: YAMLMapping) -> Model? {
    let value = mapping.required("model")
    if let path = options.model { return read(path, value) }
    guard let value, let name = value.string() else { return nil }
    guard let path = Self.find(name, near: path) else {
      value.report("there is no model '\(name)' beside the recipe or in a folder above it")
      return nil
    }
    return read(path, value)
  }

  private mutating func read(_ path: String, _ value: YAMLValue?) -> Model? {
    do {
      return try Self.model(at: path)
    } catch DataModelError.invalid(let problems) {
      modelProblems = problems
      diagnostics.report("the model '\(path)' has errors", at: value?.place)
    } catch {
      diagnostics.report("\(error)", at: value?.place)
    }
    return nil
  }

  /// A model file's model, or of Xcode's and of compiled models the current version.
  private static func model(at path: String) throws -> Model {
    guard !path.hasSuffix(".yaml"), !path.hasSuffix(".yml") else {
      return try ModelFile.read(path: path).model
    }
    let family = try ModelSource.read(path: path)
    let current = family.current.flatMap { family.version(named: $0) } ?? family.versions.last
    guard let current else {
      throw DataModelError.unreadable(path: path, reason: "it holds no model")
    }
    return current.model
  }

  /// The path of a file named relative to the folder of another one or to one of those above it.
  static func find(_ name: String, near path: String) -> String? {
    if name.hasPrefix("/") { return FileManager.default.fileExists(atPath: name) ? name : nil }
    var folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL
    while true {
      let candidate = folder.appendingPathComponent(name).path
      if FileManager.default.fileExists(atPath: candidate) { return candidate }
      let above = folder.deletingLastPathComponent().standardizedFileURL
      guard above.path != folder.path, above.path.count < folder.path.count else { return nil }
      folder = above
    }
  }

  /// The file's name without folder and extension.
  static func stem(of path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }
}

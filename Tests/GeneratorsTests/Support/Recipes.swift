import DataModel
import Foundation
import TestSupport

@testable import Generators

/// The recipes that tests use, with their models.
enum Recipes {
  /// The folder of the project's own workloads.
  static let workloads = Repository.path("Workloads")

  /// The names of the project's own recipes.
  static var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: workloads + "/recipes")) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  /// Reads one of the project's own recipes.
  static func named(
    _ name: String,
    options: RecipeFile.Options = RecipeFile.Options()
  ) throws -> Recipe {
    try RecipeFile.read(path: "\(workloads)/recipes/\(name).yaml", options: options)
  }

  /// Makes a recipe from its text and the text of its model's entities.
  static func make(
    model: String,
    _ recipe: String,
    options: RecipeFile.Options = RecipeFile.Options()
  ) throws -> Recipe {
    let folder = try TemporaryFolder()
    let text = "entities:\n" + model.split(separator: "\n").map { "  \($0)\n" }.joined()
    try folder.write(text, to: "model.yaml")
    return try RecipeFile.parse(
      "format: 1\nmodel: model.yaml\n" + recipe,
      path: folder.file("recipe.yaml"),
      options: options
    )
  }

  /// The problems of a recipe, each as "line:column message".
  static func problems(model: String, _ recipe: String) throws -> [String] {
    do {
      _ = try make(model: model, recipe)
      return []
    } catch let error as InvalidInput {
      let diagnostics = error.problems
      return diagnostics.map { diagnostic in
        // Every recipe starts with two lines that are not part of the test's text.
        let place = diagnostic.place.map { "\($0.line - 2):\($0.column) " } ?? ""
        return place + diagnostic.message
      }
    }
  }
}

extension Dataset {
  /// A dataset of the entity `Thing`, whose only attribute, `value`, has the given rule.
  static func ofThing(_ type: String, _ rule: String, count: Int, seed: Int = 1) throws -> Dataset {
    try Dataset(
      Recipes.make(
        model: "Thing: { attributes: { value: { type: \(type), optional: true } } }",
        "seed: \(seed)\nentities: { Thing: { count: \(count), attributes: { value: \(rule) } } }"
      )
    )
  }

  /// The values of the attribute `value` in all rows of `Thing`.
  func things() throws -> [Value] {
    let count = try entity("Thing").count
    return try (0..<count).map { try value(entity: "Thing", row: $0, attribute: "value") }
  }

  /// The texts of `value`; "" for a value that is no text.
  func texts() throws -> [String] {
    try things().map { if case .text(let text) = $0 { text } else { "" } }
  }

  /// The numbers among the values of `value`.
  func numbers() throws -> [Double] {
    try things().compactMap { value in
      switch value {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      default: nil
      }
    }
  }
}

extension RecipeFile {
  /// Reads a recipe from a text as if it were in the file at the path.
  static func parse(_ text: String, path: String, options: Options = Options()) throws -> Recipe {
    let diagnostics = Diagnostics(file: path)
    let value = YAMLDocument.parse(text, into: diagnostics)
    return try recipe(from: value, path: path, options: options, diagnostics: diagnostics)
  }
}

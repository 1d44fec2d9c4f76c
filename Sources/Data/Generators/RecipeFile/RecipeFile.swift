import DataModel
import PersistentStore

/// A recipe file: what a generated store contains, as YAML that people write.
///
///     # A to-do app after two years.
///     format: 1
///     model: models/tasks/v1.yaml      # beside the recipe or in a folder above it
///     seed: 20260401
///     entities:
///       Project: { count: 40 }         # all else is guessed from names and types
///       Task:
///         count: 10_000
///         attributes:
///           title: title               # a generator's name, or a mapping with parameters
///           details: { notes: { words: { logNormal: { median: 40, sigma: 0.8 } } }, null: 0.4 }
///           completedAt: { date: { after: createdAt }, when: isCompleted }
///         relationships:
///           project: { zipfian: 1.1, null: 0.05 }
///           tags: { count: { poisson: 2 }, zipfian: 1.0 }
///         duplicates: { key: id, rate: 0.02, copies: { zipfian: { exponent: 2, count: 10 } } }
///
/// - Recipe: `format`, `model` (a model file, an `.xcdatamodeld` or a `.momd`), `flavour` (`coreData`
///   or `swiftData`), `framework` (the version whose layout the store has, see ``FrameworkReader``),
///   `seed`, `period` (the first and the last day of dates), `entities`, `history`,
///   `externalThreshold` (bytes), `age`.
/// - Entity: `count`, `scaling` (`proportional` or `fixed`, see ``ObjectCounts``), `attributes`,
///   `relationships`, `duplicates`, `dirty`. An entity that is not named has no objects.
/// - Attribute: one generator (``GeneratorNames``), and `null` (a share), `when` (a Boolean
///   attribute), `distinct` (no two alike), `stream` (see ``AttributeRecipe``).
/// - Relationship, described at the side that holds the key: `uniform`, `zipfian` (an exponent) or
///   `spread` (a weight for each target), `null`, `placement`; many-to-many: `count`; to-one:
///   `hours` (``HoursRecipe``).
/// - Duplicates: `key`, `rate`, `copies`, `likeness` (weights of ``Likeness``), `own` (attributes
///   that copies have for themselves), `edits` (``EditsRecipe``), `children`.
/// - Dirty: by property the shares of ``Defect``s; `Z_MAX` for the record of the highest key.
/// - Age: ``AgeRecipe``; the store is dirty or aged, not both.
/// - History: `objectsPerSave`, `author`, `bundle`, `process`; SwiftData always keeps it.
package enum RecipeFile {
  /// What a caller asks for beyond the file.
  package struct Options: Sendable {
    /// Instead of the recipe's seed.
    package var seed: UInt64?
    /// Numbers of objects by entity; the others follow in proportion (``ObjectCounts``).
    package var objects: [String: Int]
    /// The path of a model file, instead of the recipe's: another version of the same model.
    package var model: String?
    /// Instead of the recipe's flavour.
    package var flavour: Flavour?

    package init(
      seed: UInt64? = nil,
      objects: [String: Int] = [:],
      model: String? = nil,
      flavour: Flavour? = nil
    ) {
      self.seed = seed
      self.objects = objects
      self.model = model
      self.flavour = flavour
    }
  }

  /// The recipe of a file.
  ///
  /// Throws ``GeneratorsError/invalidRecipe(_:)`` with every problem of the file and its model, and
  /// what `DataModelError` says where the file cannot be read at all.
  package static func read(path: String, options: Options = Options()) throws -> Recipe {
    let diagnostics = Diagnostics(file: path)
    let value = try YAMLDocument.read(path: path, into: diagnostics)
    return try recipe(from: value, path: path, options: options, diagnostics: diagnostics)
  }

  /// The recipe of a text, under the path of the file that it stands for.
  package static func parse(
    _ text: String,
    path: String,
    options: Options = Options()
  ) throws -> Recipe {
    let diagnostics = Diagnostics(file: path)
    let value = YAMLDocument.parse(text, into: diagnostics)
    return try recipe(from: value, path: path, options: options, diagnostics: diagnostics)
  }

  private static func recipe(
    from value: YAMLValue?,
    path: String,
    options: Options,
    diagnostics: Diagnostics
  ) throws -> Recipe {
    var reader = RecipeReader(path: path, options: options, diagnostics: diagnostics)
    let recipe = try value.flatMap { try reader.recipe($0) }
    guard let recipe, !diagnostics.hasErrors else {
      throw GeneratorsError.invalidRecipe(reader.modelProblems + diagnostics.all)
    }
    return recipe
  }
}

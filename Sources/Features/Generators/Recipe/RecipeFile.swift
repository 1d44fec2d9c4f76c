import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

/// A recipe file, which describes the contents of a generated store in YAML.
///
///     # A to-do app after two years.
///     format: 1
///     model: models/tasks/v1.yaml      # next to the recipe or in a folder above it
///     seed: 20260401
///     entities:
///       Project: { count: 40 }         # the rest is guessed from names and types
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
/// ``form`` lists all keys. An entity that the recipe does not name has no objects. A relationship
/// is described on the side that holds the foreign key. A store cannot be both dirty and aged.
package enum RecipeFile {
  /// The form of a recipe file, for its schema and the reference.
  package static var form: FileForm { .mapping(Reader.keys) }

  /// The caller's settings, which override those in the file.
  package struct Options: Sendable {
    /// The seed that replaces the recipe's.
    package var seed: UInt64?
    /// The requested numbers of objects of some entities.
    ///
    /// The numbers of all other entities are scaled in proportion (``EntitiesReader``).
    package var objects: [String: Int]
    /// The path of a model file that replaces the recipe's model, such as another version of the
    /// model.
    package var model: String?
    /// The framework, Core Data or SwiftData, that replaces the recipe's `flavour`.
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

  /// Reads the recipe in a file.
  ///
  /// - Throws: ``InvalidInput`` with every problem of the file and its model, or a ``Refusal`` if
  ///   the file cannot be read.
  package static func read(path: String, options: Options = Options()) throws -> Recipe {
    if let remedy = ModelSource.remedy(forModelAt: path) {
      throw Refusal.cannotRead(path, reason: remedy)
    }
    let diagnostics = Diagnostics(file: path)
    let value = try YAMLDocument.read(path: path, into: diagnostics)
    return try recipe(from: value, path: path, options: options, diagnostics: diagnostics)
  }

  /// The path of the model that a recipe names; `nil` if it cannot be found.
  package static func modelPath(ofRecipeAt path: String) -> String? {
    let diagnostics = Diagnostics(file: path)
    let top = try? YAMLDocument.read(path: path, into: diagnostics)
    let name = top?.mapping()?["model"]?.string()
    return name.flatMap { Reader.find($0, near: path) }
  }

  static func recipe(
    from value: YAMLValue?,
    path: String,
    options: Options,
    diagnostics: Diagnostics
  ) throws -> Recipe {
    var reader = Reader(path: path, options: options, diagnostics: diagnostics)
    let made = try value.flatMap { try reader.recipe($0) }
    guard var recipe = made, !diagnostics.hasErrors else {
      throw InvalidInput(reader.modelProblems + diagnostics.all)
    }
    recipe.notes = diagnostics.all.map(\.message)
    return recipe
  }

  static func stem(of path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }
}

extension RecipeFile {
  private struct Reader {
    private struct Settings {
      var flavour = Flavour.coreData
      var framework = StoreMetadata.currentFrameworkVersion
      var seed: UInt64 = 1
      /// The period of generated dates, in seconds since 2001-01-01; default: 2023 to 2025.
      var period = 694_224_000.0...788_918_400.0
      var externalThreshold = StoreBehaviours().externalStorageThreshold
    }

    fileprivate static let keys = fields.map(\.key)
    private static let fields: [FileField<Settings>] = [
      FileField("format", .integer(1...Recipe.format), "version of the format", isRequired: true),
      FileField(
        "model",
        .text,
        "a model file, an `.xcdatamodeld`, a `.momd` or a store, in the recipe's folder or a folder "
          + "above it",
        isRequired: true
      ),
      FileField("flavour", \.flavour, .choice, "framework; default coreData"),
      FileField(
        "framework",
        \.framework,
        .integer(1...9_999),
        "framework version that decides the store's layout"
      ),
      FileField("seed", \.seed, .seed, "random seed; default 1"),
      FileField("period", \.period, period, "first and last day of dates"),
      FileField(
        "entities",
        .named("ENTITY", .mapping(EntitiesReader.fields.map(\.key))),
        "entities that have objects, by name",
        isRequired: true
      ),
      FileField(
        "history",
        .either([.boolean, .mapping(historyFields.map(\.key))]),
        "persistent history; SwiftData always keeps it"
      ),
      FileField(
        "externalThreshold",
        \.externalThreshold,
        .integer(0...1_000_000_000),
        "size in bytes above which a value is kept in its own file"
      ),
      FileField(
        "age",
        .mapping(ageFields.map(\.key)),
        "edits and deletions that follow after the store is made"
      ),
    ]

    private static let historyFields: [FileField<HistoryRecipe>] = [
      FileField(
        "objectsPerSave",
        \.objectsPerSave,
        .integer(1...Limits.mostObjects),
        "objects per save; default 50"
      ),
      FileField("author", \.author, .text, "author of the transactions"),
      FileField("bundle", \.bundleIdentifier, .text, "bundle identifier of the app"),
      FileField("process", \.processName, .text, "name of the process"),
    ]

    private static let ageFields: [FileField<AgeRecipe>] = [
      FileField("edits", \.edits, .share, "share of the objects that are edited"),
      FileField("deletes", \.deletes, .share, "share of the objects that are deleted"),
      FileField("entities", .oneOrMore(.text), "entities that are edited or deleted; default all"),
      // The limit is 10,000 because all objects of a save are in memory at once.
      FileField(
        "objectsPerSave",
        \.objectsPerSave,
        .integer(1...10_000),
        "objects per save; default 20"
      ),
      FileField("days", \.days, days, "days over which the edits happen; default 365"),
      FileField("vacuum", \.vacuum, .choice, "kind of vacuum; default never"),
      FileField("wal", \.walBytes, .integer(0...10_000_000_000), "bytes that stay in the -wal"),
    ]

    private static let days = FileValue<Double>(.number) { value in
      value.number(being: "from 0 to 36525") { (0...36_525).contains($0) }
    }

    private static let period = FileValue<ClosedRange<Double>>(.list(.written("a date"))) { value in
      guard let items = value.items() else { return nil }
      let times = items.compactMap(DateRule.time)
      guard times.count == items.count else { return nil }
      guard times.count == 2, times[0] < times[1] else {
        value.report("'period' must be a list of two dates, the earlier first")
        return nil
      }
      return times[0]...times[1]
    }

    let path: String
    let options: RecipeFile.Options
    let diagnostics: Diagnostics
    var modelProblems: [Diagnostic] = []
    /// The raw values of the model's enums, by property.
    var enumValues: [String: [Value]] = [:]

    mutating func recipe(_ value: YAMLValue) throws -> Recipe? {
      if ProfileFile.isProfile(value) {
        return try LikeRecipe.recipe(of: value, path: path, options: options)
      }
      guard let mapping = FileKind.recipe.top(value, knowing: Self.keys) else { return nil }
      readFormat(mapping)
      guard let model = model(mapping), let entitiesValue = mapping.required("entities") else {
        return nil
      }
      var settings = Settings()
      mapping.fill(&settings, Self.fields)
      settings.flavour = options.flavour ?? settings.flavour
      checkFramework(mapping["framework"], settings)
      var reader = EntitiesReader(
        model: model,
        period: settings.period,
        options: options,
        recipe: path,
        enumValues: enumValues
      )
      let entities = try reader.entities(entitiesValue)
      let history = history(mapping["history"], settings)
      let age = age(mapping["age"], model)
      guard let entities else { return nil }
      if let age = mapping["age"], entities.contains(where: { !$0.defects.isEmpty }) {
        age.report(
          "a store cannot be both aged and dirty: aging saves objects, and dirty objects "
            + "cannot be saved"
        )
      }
      return Recipe(
        name: RecipeFile.stem(of: path),
        model: model,
        flavour: settings.flavour,
        frameworkVersion: settings.framework,
        seed: options.seed ?? settings.seed,
        entities: entities,
        relationships: reader.relationships,
        history: history,
        externalStorageThreshold: settings.externalThreshold,
        age: age
      )
    }

    private func readFormat(_ mapping: YAMLMapping) {
      guard let value = mapping.required("format"), let format = value.integer() else { return }
      if format != Recipe.format {
        value.report("'format' is \(format), but this version reads format \(Recipe.format)")
      }
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
        return try model(at: path)
      } catch let error as InvalidInput {
        let problems = error.problems
        modelProblems = problems
        diagnostics.report("the model '\(path)' has errors", at: value?.place)
      } catch {
        diagnostics.report("\(error)", at: value?.place)
      }
      return nil
    }

    private mutating func model(at path: String) throws -> Model {
      guard !path.hasSuffix(".yaml"), !path.hasSuffix(".yml") else {
        return try ModelFile.read(path: path).model
      }
      if (try? InputFile.head(of: path, count: 16))?.areOfSQLiteFile == true {
        return try Self.model(of: StoreFile(path: path))
      }
      let family = try ModelSource.read(path: path)
      let current = family.current.flatMap { family.version(named: $0) } ?? family.versions.last
      guard let current else {
        throw Refusal.cannotRead(path, reason: "it contains no model")
      }
      enumValues = family.enumValues[current.name] ?? [:]
      return current.model
    }

    /// The model that a store contains, read without creating files next to the store.
    private static func model(of store: StoreFile) throws -> Model {
      if let refusal = store.unreadableWAL { throw refusal }
      do {
        let connection = try Connection(path: store.path, mode: store.restingMode, settings: nil)
        try connection.checkCells()
        let model = try ModelCache.read(from: connection, path: store.path)
        guard model.isValid else { throw PersistentStoreError.invalidModel(model.errors) }
        return model
      } catch let error as SQLiteError {
        throw StoreOpening.translated(error, path: store.path)
      }
    }

    static func find(_ name: String, near path: String) -> String? {
      func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: ModelSource.parts(of: path).file)
      }
      if name.hasPrefix("/") { return isThere(name) ? name : nil }
      var folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL
      while true {
        let candidate = folder.appendingPathComponent(name).path
        if isThere(candidate) { return candidate }
        let above = folder.deletingLastPathComponent().standardizedFileURL
        guard above.path != folder.path, above.path.count < folder.path.count else { return nil }
        folder = above
      }
    }

    /// Reports a SwiftData store with a Core Data version before 1333 (iOS 17), which introduced
    /// SwiftData.
    private func checkFramework(_ value: YAMLValue?, _ settings: Settings) {
      guard settings.flavour == .swiftData, settings.framework < 1333 else { return }
      value?.report(
        "'framework' must be at least 1333 (iOS 17) for a store of SwiftData, not "
          + "\(settings.framework)"
      )
    }

    // MARK: History and age

    private func history(_ value: YAMLValue?, _ settings: Settings) -> HistoryRecipe? {
      let usual = HistoryRecipe(
        objectsPerSave: 50,
        author: nil,
        bundleIdentifier: "org.storebench.app",
        processName: "storebench",
        from: settings.period.lowerBound,
        to: settings.period.upperBound
      )
      guard let value else { return settings.flavour == .swiftData ? usual : nil }
      guard value.isMapping else {
        guard let isKept = value.boolean() else { return nil }
        if !isKept, settings.flavour == .swiftData {
          value.report(
            "SwiftData always keeps history; for a store without history use 'flavour: coreData'"
          )
        }
        return isKept ? usual : nil
      }
      guard let mapping = value.mapping(knowing: Self.historyFields.map(\.key)) else { return nil }
      var history = usual
      mapping.fill(&history, Self.historyFields)
      return history
    }

    private func age(_ value: YAMLValue?, _ model: Model) -> AgeRecipe? {
      guard let mapping = value?.mapping(knowing: Self.ageFields.map(\.key)) else { return nil }
      var age = AgeRecipe()
      mapping.fill(&age, Self.ageFields)
      age.entities = (mapping["entities"]?.itemsOrSelf() ?? []).compactMap { entity in
        entity.name(
          among: model.entities.filter { !$0.isAbstract }.map(\.name),
          lackedBy: "the model has no entity"
        )
      }
      if age.edits + age.deletes > 1 {
        mapping.report("the shares of edits and deletes add up to more than 1")
      }
      if age.walBytes > 0, age.edits == 0 {
        mapping.report("only edits fill a -wal: give 'edits' a share above 0")
      }
      return age
    }
  }
}

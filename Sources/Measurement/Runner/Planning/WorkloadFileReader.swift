import DataModel
import Generators
import PersistentStore
import SQLite

/// Reads one workload file, gathering everything that is wrong with it.
struct WorkloadFileReader {
  private static let keys = [
    "kind", "store", "parameters", "trials", "settings", "budget", "claim", "expect",
  ]

  let path: String
  let kinds: [any Workload.Type]
  let overrides: Overrides
  let diagnostics: Diagnostics
  let folder: WorkloadsFolder
  private let recipes: RecipeReader

  init(
    path: String,
    kinds: [any Workload.Type],
    overrides: Overrides,
    recipes: RecipeReader
  ) {
    self.recipes = recipes
    self.path = path
    self.kinds = kinds
    self.overrides = overrides
    diagnostics = Diagnostics(file: path)
    folder = WorkloadsFolder(of: path)
  }

  /// The file, or `nil` after reporting why it cannot be used.
  ///
  /// - Throws: ``DataModelError`` where it cannot be read at all.
  func read() throws -> WorkloadFile? {
    guard let top = try YAMLDocument.read(path: path, into: diagnostics),
      let mapping = top.mapping(knowing: Self.keys)
    else { return nil }
    let (source, recipe) = store(mapping)
    let policy = trials(mapping["trials"])
    let pragmas = settings(mapping["settings"])
    let quoted = claim(mapping)
    // Without the kind, every parameter would be called unknown.
    guard let kind = mapping.required("kind").flatMap({ chosenKind($0) }) else { return nil }
    let axes = kind.axes
    let chosen = parameters(mapping["parameters"], of: kind, axes)
    let allowed = budget(mapping["budget"], of: kind)
    let expected = mapping["expect"]?.itemsOrSelf() ?? []
    let expectations = expected.compactMap { Expectation($0, axes: axes) }
    guard !diagnostics.hasErrors, let source else { return nil }
    return WorkloadFile(
      path: path,
      name: folder.name(of: path),
      folder: folder.path,
      kind: kind,
      defaults: Dictionary(axes.map { ($0.name, $0.defaultValue) }) { $1 },
      store: source,
      recipe: recipe,
      isOnGivenStore: overrides.store != nil,
      parameters: chosen,
      trials: policy,
      settings: pragmas,
      budget: allowed,
      claim: quoted,
      expectations: expectations
    )
  }

  private func chosenKind(_ value: YAMLValue) -> (any Workload.Type)? {
    value.choice(of: kinds.map { ($0.kind, $0) })
  }

  // MARK: Store

  private func store(_ mapping: YAMLMapping) -> (source: StoreSource?, recipe: Recipe?) {
    let own = mapping["store"].map { readStore($0) }
    if let path = overrides.store { return (.file(path: path), nil) }
    guard let own else {
      mapping.report("\(mapping.name) lacks the key 'store', and no store was given")
      return (nil, nil)
    }
    return own
  }

  private func readStore(_ value: YAMLValue) -> (source: StoreSource?, recipe: Recipe?) {
    let keys = ["recipe", "objects", "seed", "model", "flavour", "path"]
    guard let mapping = value.mapping(knowing: keys) else { return (nil, nil) }
    if let path = mapping["path"] {
      if mapping.entries.count > 1 {
        value.report("'path' stands alone: a made store has no recipe")
      }
      return (path.string().map { .file(path: folder.resolved($0)) }, nil)
    }
    guard let recipe = mapping["recipe"], let name = recipe.string() else {
      if mapping["recipe"] == nil { value.report("a store needs a 'recipe' or a 'path'") }
      return (nil, nil)
    }
    var objects: [String: Int] = [:]
    for entry in mapping["objects"]?.mapping()?.entries ?? [] {
      objects[entry.key] = entry.value.integer(in: 0...1_000_000_000)
    }
    let reference = RecipeReference(
      path: folder.resolved(name),
      objects: objects,
      seed: mapping["seed"]?.integer(in: 0...Int.max).map { UInt64($0) },
      model: mapping["model"]?.string().map { folder.resolved($0) },
      flavour: mapping["flavour"]?.choice(of: Flavour.allCases.map { ($0.rawValue, $0) })
    )
    let source = StoreSource.recipe(name: name, reference)
    return (source, overrides.store == nil ? read(reference, at: recipe) : nil)
  }

  /// The recipe, or `nil` after reporting what keeps it from being used.
  private func read(_ reference: RecipeReference, at value: YAMLValue) -> Recipe? {
    do {
      return try recipes.read(reference)
    } catch GeneratorsError.invalidRecipe(let problems) {
      for problem in problems { value.report(problem.description) }
    } catch {
      value.report("\(error)")
    }
    return nil
  }

  // MARK: Parameters

  private func parameters(
    _ value: YAMLValue?,
    of kind: any Workload.Type,
    _ axes: [Axis]
  ) -> [WorkloadFile.Parameter] {
    var result: [WorkloadFile.Parameter] = []
    let entries = value?.mapping(knowing: axes.map(\.name))?.entries ?? []
    for entry in entries {
      guard let axis = axes.first(where: { $0.name == entry.key }),
        let values = axis.readValues(entry.value)
      else { continue }
      result.append(.init(axis: axis, values: values))
    }
    for override in overrides.parameters {
      guard let parameter = read(override, of: kind, axes) else { continue }
      result.removeAll { $0.axis.name == override.name }
      result.append(parameter)
    }
    return result
  }

  private func read(
    _ override: Overrides.Parameter,
    of kind: any Workload.Type,
    _ axes: [Axis]
  ) -> WorkloadFile.Parameter? {
    guard let axis = axes.first(where: { $0.name == override.name }) else {
      diagnostics.report(
        "the kind '\(kind.kind)' has no parameter '\(override.name)'"
          + didYouMean(override.name, among: axes.map(\.name))
      )
      return nil
    }
    let own = Diagnostics(file: path)
    defer { for problem in own.all { diagnostics.report(problem.message) } }
    guard let top = YAMLDocument.parse("\(override.name): \(override.yaml)", into: own),
      let value = top.mapping()?[override.name], let values = axis.readValues(value)
    else { return nil }
    return .init(
      axis: axis,
      values: values.map { PlacedValue(value: folder.found($0.value, of: axis), place: nil) }
    )
  }

  // MARK: Claim

  private func claim(_ file: YAMLMapping) -> Claim? {
    guard let value = file["claim"] else {
      if file["expect"] != nil { file.report("'expect' needs the 'claim' it puts to the test") }
      return nil
    }
    guard let mapping = value.mapping(knowing: ["text", "source", "notTestable"]),
      let text = mapping.required("text")?.string(),
      let source = mapping.required("source")?.string()
    else { return nil }
    let reason = mapping["notTestable"]?.string()
    if reason == nil, file["expect"] == nil {
      value.report("a claim needs 'expect', or 'notTestable' with the reason")
    }
    return Claim(text: text, source: source, notTestable: reason)
  }
}

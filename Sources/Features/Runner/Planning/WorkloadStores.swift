import Basics
import DataModel
import Generators
import PersistentStore

extension WorkloadFileReader {
  static let storeKeys = [
    FileKey("recipe", .text, "recipe, relative to the workloads folder"),
    FileKey(
      "objects",
      .named("ENTITY", .oneOrMore(.integer(0...1_000_000_000))),
      "number of objects, by entity; a list makes a store of each number, here as for the other keys"
    ),
    FileKey("seed", .oneOrMore(.integer(0...Int.max)), "random seed instead of the recipe's"),
    FileKey("model", .oneOrMore(.text), "model file: another version of the recipe's model"),
    FileKey(
      "flavour",
      .oneOrMore(.choice(among: Flavour.self)),
      "framework instead of the recipe's"
    ),
    FileKey(
      "path",
      .text,
      "existing store, relative to the workloads folder; without the other keys"
    ),
  ]

  struct Store {
    var labels: [String] = []
    var source: StoreSource
    var recipe: Recipe?

    /// The suffix of the workload's name; empty if the file has only one store.
    var suffix: String {
      labels.isEmpty
        ? "" : String(WorkloadResult.storeMark) + labels.joined(separator: ",")
    }
  }

  private static let mostStores = 100

  func stores(_ mapping: YAMLMapping) -> [Store] {
    let own = mapping["store"].map { stores($0) }
    if let path = overrides.store {
      return [Store(source: .file(path: path, model: overrides.model))]
    }
    if let path = overrides.profile {
      return [Store(source: .recipe(name: path, RecipeReference(path: path)))]
    }
    if own == nil {
      mapping.report("\(mapping.name) lacks the key 'store', and no store was given")
    }
    return own ?? []
  }

  private func stores(_ value: YAMLValue) -> [Store] {
    guard let mapping = value.mapping(knowing: Self.storeKeys) else { return [] }
    if let path = mapping["path"] {
      if mapping.entries.contains(where: { !["path", "model"].contains($0.key) }) {
        value.report("with 'path', only 'model' is allowed: an existing store has no recipe")
      }
      let model = mapping["model"].flatMap { read(modelAt: $0) }
      return path.string().map { [Store(source: .file(path: folder.resolved($0), model: model))] }
        ?? []
    }
    guard let recipe = mapping["recipe"], let name = recipe.string() else {
      if mapping["recipe"] == nil { value.report("a store needs a 'recipe' or a 'path'") }
      return []
    }
    var references = RecipeReferences(RecipeReference(path: folder.resolved(name)))
    for entry in mapping["objects"]?.mapping()?.entries ?? [] {
      references.cross(
        entry.key,
        entry.value,
        read: { $0.integer(in: 0...1_000_000_000) },
        set: { $0.objects[entry.key] = $1 }
      )
    }
    references.cross(
      "seed",
      mapping["seed"],
      read: { $0.integer(in: 0...Int.max) },
      set: { $0.seed = UInt64($1) }
    )
    references.cross(
      "model",
      mapping["model"],
      read: { $0.string() },
      set: { $0.model = folder.resolved($1) }
    )
    references.cross(
      "flavour",
      mapping["flavour"],
      read: { $0.choice() as Flavour? },
      set: { $0.flavour = $1 }
    )
    guard references.all.count <= Self.mostStores else {
      value.report(
        "these are \(references.all.count) stores, and \(Self.mostStores) are possible: shorten the "
          + "lists"
      )
      return []
    }
    var stores: [Store] = []
    for (labels, reference) in references.all {
      let made = overrides.replacesStore ? nil : read(reference, at: recipe)
      stores.append(
        Store(labels: labels, source: .recipe(name: name, reference), recipe: made)
      )
      // Stop after the first error, because the other stores have the same recipe and would repeat
      // the error.
      guard made != nil else { break }
    }
    return stores
  }

  private func read(modelAt value: YAMLValue) -> ModelFamily? {
    guard let path = value.string() else { return nil }
    do {
      return try ModelSource.read(path: folder.resolved(path))
    } catch {
      value.report("\(error)")
      return nil
    }
  }

  private func read(_ reference: RecipeReference, at value: YAMLValue) -> Recipe? {
    do {
      return try recipes.read(reference)
    } catch let error as InvalidInput {
      for problem in error.problems { value.report(problem.description) }
    } catch {
      value.report("\(error)")
    }
    return nil
  }
}

/// A recipe with each combination of the values that a workload file lists for it.
private struct RecipeReferences {
  private(set) var all: [(labels: [String], reference: RecipeReference)]

  init(_ first: RecipeReference) { all = [([], first)] }

  /// Replaces each recipe reference with one reference per value of a key, and labels the
  /// references if there are several values.
  mutating func cross<Value: Hashable>(
    _ key: String,
    _ value: YAMLValue?,
    read: (YAMLValue) -> Value?,
    set: (inout RecipeReference, Value) -> Void
  ) {
    guard let value else { return }
    let items = value.itemsOrSelf()
    if items.isEmpty { value.report("\(value.name) has no values: name one, or leave it out") }
    let read = items.compactMap { item in read(item).map { (value: $0, item: item) } }
    guard !read.isEmpty, read.count == items.count else { return }
    var seen: Set<Value> = []
    for (value, item) in read where !seen.insert(value).inserted {
      item.report("\(item.name) is in the list already: each store once")
    }
    let words = Self.words(for: read.map(\.item))
    all = all.flatMap { labels, reference in
      zip(read, words).map { pair, word in
        var changed = reference
        set(&changed, pair.value)
        return (labels + (read.count > 1 ? ["\(key)=\(word)"] : []), changed)
      }
    }
  }

  /// Returns the values as written, or the last components of paths if these are distinct.
  ///
  /// Commas are left out, because they separate the labels in a workload's name.
  private static func words(for items: [YAMLValue]) -> [String] {
    let texts = items.map { ($0.string() ?? "").replacing(",", with: "") }
    let last = texts.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    return Set(last).count == last.count ? last : texts.map { $0.replacing("/", with: "-") }
  }
}

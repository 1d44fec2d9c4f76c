import Basics
import DataModel
import Foundation
import Generators
import PersistentStore

extension WorkloadFile {
  /// The recipe and the models that a workload file's cases use, in their current state.
  ///
  /// Files that cannot be read are left out, because the code that needs them reports the error.
  package var inputs: [InputFact] {
    (recipeInputs + parameterModels).sorted { ($0.file, $0.digest) < ($1.file, $1.digest) }
      .reduce(into: []) { facts, fact in
        if facts.last != fact { facts.append(fact) }
      }
  }

  private var recipeInputs: [InputFact] {
    guard case .recipe(let name, let reference) = store else { return [] }
    let made = recipe ?? (try? reference.read())
    var facts = [RecipeMeaning(of: reference, made: made).fact(file: name)]
    if let model = made?.model {
      let path = reference.model ?? RecipeFile.modelPath(ofRecipeAt: reference.path)
      facts.append(InputFact(of: model, file: path.map(shownPath) ?? name))
    }
    return facts
  }

  private var parameterModels: [InputFact] {
    let set = parameters.flatMap { parameter in parameter.values.map { (parameter.axis, $0.value) }
    }
    let names = Set(set.map(\.0.name))
    let others = kind.axes.filter { !names.contains($0.name) }.map { ($0, $0.defaultValue) }
    return (set + others).flatMap { axis, value in
      axis.paths(in: value).flatMap { models(at: $0) }
    }
  }

  private func models(at path: String) -> [InputFact] {
    let full = WorkloadsFolder(of: self.path).resolved(path)
    guard let family = try? ModelSource.read(path: full) else { return [] }
    return family.versions.map { version in
      let name = family.versions.count == 1 ? path : "\(path) \(version.name)"
      return InputFact(of: version.model, file: name)
    }
  }

  /// Returns a path relative to the workloads folder, so that it is the same in every checkout; a
  /// path outside the repository stays absolute.
  private func shownPath(_ path: String) -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    let base = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
    if let root = Self.repository(of: base), !full.starts(with: root) {
      return NSString.path(withComponents: full)
    }
    let common = zip(full, base).prefix { $0 == $1 }.count
    let above = Array(repeating: "..", count: base.count - common)
    return (above + full.dropFirst(common)).joined(separator: "/")
  }

  private static func repository(of folder: [String]) -> [String]? {
    (1...folder.count).reversed().map { Array(folder.prefix($0)) }.first { parts in
      FileManager.default.fileExists(atPath: NSString.path(withComponents: parts + [".git"]))
    }
  }
}

// MARK: Entities

extension WorkloadFile {
  /// Returns the entities that a case names, and the destinations of the relationships that it
  /// names; empty if the store's model is unknown.
  func entities(namedBy planned: Case) -> [String] {
    guard let model = recipe?.model else { return [] }
    let values = kind.axes.flatMap { axis -> [String] in
      switch (axis.domain, planned.allParameters[axis.name]) {
      case (.name, .text(let name)?): [name]
      case (.names, .list(let names)?): names
      default: []
      }
    }
    // Split key paths, such as `project.name`, into property names.
    let names = Set(values.flatMap { $0.split(separator: ".").map(String.init) })
    let entities = model.entities.filter { names.contains($0.name) }
    let relationships = model.entities.flatMap(\.relationships).filter { names.contains($0.name) }
    return Set(entities.map(\.name) + relationships.map(\.destination)).sorted()
  }
}

// MARK: Content of a recipe

/// The content of a recipe file, independent of comments, order and formatting.
private struct RecipeMeaning {
  /// The recipe file's values except format, counts, seed and model; a framework (Core Data or
  /// SwiftData) set in the workload file replaces the recipe's.
  private let values: [String: String]
  private let counts: [String: Int]
  private let seed: UInt64?

  init(of reference: RecipeReference, made: Recipe?) {
    let diagnostics = Diagnostics(file: reference.path)
    let top = try? YAMLDocument.read(path: reference.path, into: diagnostics)
    var values: [String: String] = [:]
    for entry in top?.mapping()?.entries ?? [] {
      if entry.key == "entities" {
        for entity in entry.value.mapping()?.entries ?? [] {
          values["entity \(entity.key)"] = Self.text(of: entity.value, except: ["count"])
        }
      } else if !["seed", "model", "format"].contains(entry.key) {
        values[entry.key] = Self.text(of: entry.value)
      }
    }
    if let flavour = reference.flavour { values["flavour"] = flavour.rawValue }
    self.values = values
    counts = Dictionary((made?.entities ?? []).map { ($0.name, $0.count) }) { $0 + $1 }
    seed = reference.seed ?? made?.seed
  }

  /// The parts of the recipe, such as `objects of Task (10000, 1f2e3d4c)` and `seed (5)`.
  private var parts: [String] {
    let described = values.keys.filter { $0.hasPrefix("entity ") }.map { String($0.dropFirst(7)) }
    let entities = Set(described).union(counts.filter { $0.value > 0 }.keys)
    let keys = values.keys.filter { !$0.hasPrefix("entity ") }
    return entities.map { name in
      "objects of \(name) (\(counts[name] ?? 0), \(Self.short(values["entity \(name)"] ?? "")))"
    }.sorted()
      + (seed.map { ["seed (\($0))"] } ?? [])
      + keys.sorted().map { "'\($0)' (\(Self.short(values[$0] ?? "")))" }
  }

  func fact(file: String) -> InputFact {
    let parts = parts
    return InputFact(
      .recipe,
      file: file,
      digest: InputFact.digest(Array(parts.joined(separator: "\n").utf8)),
      parts: parts
    )
  }

  private static func short(_ text: String) -> String {
    String(InputFact.digest(Array(text.utf8)).prefix(8))
  }

  private static func text(of value: YAMLValue, except keys: Set<String> = []) -> String {
    if value.isMapping {
      let entries = value.mapping()?.entries.filter { !keys.contains($0.key) } ?? []
      return "{"
        + entries.sorted { $0.key < $1.key }.map { "\($0.key)=\(text(of: $0.value))" }
        .joined(separator: ",") + "}"
    }
    if value.isSequence {
      return "[" + (value.items() ?? []).map { text(of: $0) }.joined(separator: ",") + "]"
    }
    switch value.scalar {
    case .text(let text)?: return "'\(text)'"
    case .some(let scalar): return scalar.description
    case nil: return ""
    }
  }
}

// MARK: Parts of a model

extension InputFact {
  /// Creates the description of a model, including everything that may affect a cost.
  init(of model: Model, file: String) {
    let parts = model.entities.flatMap(Self.parts) + model.entities.flatMap(Self.allSettings)
    self.init(
      .model,
      file: file,
      digest: Self.digest(Array(ModelWriter.text(of: model).utf8)),
      parts: (parts + [Self.settingsMark]).sorted()
    )
  }

  /// Returns parts such as `attribute title of Task (string, required)`: a name, with the details
  /// that may change in parentheses.
  private static func parts(of entity: Entity) -> [String] {
    let kind =
      (entity.superentity.map { ["subentity of \($0)"] } ?? [])
      + (entity.isAbstract ? ["abstract"] : [])
    return [part("entity \(entity.name)", kind)]
      + entity.attributes.map { part("attribute \($0.name) of \(entity.name)", facts(of: $0)) }
      + entity.relationships.map {
        part("relationship \($0.name) of \(entity.name)", facts(of: $0))
      }
      + entity.fetchIndexes.map { index in
        part(
          "index \(index.name) of \(entity.name)",
          [index.elements.map(\.property).joined(separator: ", ")]
        )
      }
      + entity.uniquenessConstraints.map { constraint in
        "constraint \(constraint.joined(separator: "+")) of \(entity.name)"
      }
  }

  /// Returns the details that most properties and indexes lack.
  private static func allSettings(of entity: Entity) -> [String] {
    let attributes = entity.attributes.map { ("attribute \($0.name)", settings(of: $0)) }
    let relationships = entity.relationships.map { ("relationship \($0.name)", settings(of: $0)) }
    let indexes = entity.fetchIndexes.map { ("index \($0.name)", settings(of: $0)) }
    return (attributes + relationships + indexes).filter { !$0.1.isEmpty }.map { name, facts in
      part("\(settingsPrefix)\(name) of \(entity.name)", facts)
    }
  }

  private static func settings(of attribute: Attribute) -> [String] {
    let values: [(String, String?)] = [
      ("default", YAMLText.value(attribute.defaultValue, type: attribute.type)),
      ("computed default", attribute.computedDefault.map(YAMLText.quoted)),
      ("minimum", YAMLText.value(attribute.minimum, type: attribute.type)),
      ("maximum", YAMLText.value(attribute.maximum, type: attribute.type)),
      ("pattern", attribute.pattern.map(YAMLText.quoted)),
      ("derivation", attribute.derivation.map(YAMLText.quoted)),
      ("transformer", attribute.transformerName.map(YAMLText.word)),
      ("class", attribute.valueClassName.map(YAMLText.word)),
    ]
    return values.compactMap { name, value in value.map { "\(name) \(short($0))" } }
  }

  private static func settings(of relationship: Relationship) -> [String] {
    let (least, most) = (relationship.minimumCount, relationship.maximumCount)
    return (least == 0 ? [] : ["minimum \(least)"])
      + (most == (relationship.isToMany ? 0 : 1) ? [] : ["maximum \(most)"])
  }

  private static func settings(of index: FetchIndex) -> [String] {
    var facts = index.elements.filter { !$0.isAscending }.map { "\($0.property) descending" }
    if index.elements.contains(where: { $0.kind == .rTree }) { facts.append("R-tree") }
    if let predicate = index.partialPredicate {
      facts.append("where \(short(YAMLText.quoted(predicate)))")
    }
    return facts
  }

  /// The text, or the start of its digest if it is long.
  private static func short(_ text: String) -> String {
    text.utf8.count <= 60 ? text : "#\(digest(Array(text.utf8)).prefix(8))"
  }

  private static func part(_ name: String, _ facts: [String]) -> String {
    facts.isEmpty ? name : "\(name) (\(facts.joined(separator: ", ")))"
  }

  private static func facts(of attribute: Attribute) -> [String] {
    [attribute.type.name, attribute.isOptional ? "optional" : "required"]
      + (attribute.isTransient ? ["transient"] : [])
      + (attribute.allowsExternalStorage ? ["external storage"] : [])
      + (attribute.derivation == nil ? [] : ["derived"])
  }

  private static func facts(of relationship: Relationship) -> [String] {
    [
      "to \(relationship.isToMany ? "many" : "one") \(relationship.destination)",
      relationship.isOptional ? "optional" : "required",
      "delete rule \(relationship.deleteRule.name)",
    ] + (relationship.isOrdered ? ["ordered"] : [])
  }

  static func digest(_ bytes: [UInt8]) -> String {
    String(SHA256.hash(data: bytes).hexadecimal.prefix(16))
  }
}

import Basics
import DataModel
import Foundation
import Generators

extension WorkloadFile {
  /// The recipe and the models that its cases use, as they are now; a file that cannot be read is
  /// left out, since what needs it reports it.
  var inputs: [InputFact] {
    (recipeInputs + parameterModels).sorted { ($0.file, $0.digest) < ($1.file, $1.digest) }
      .reduce(into: []) { facts, fact in
        if facts.last != fact { facts.append(fact) }
      }
  }

  private var recipeInputs: [InputFact] {
    guard case .recipe(let name, let reference) = store else { return [] }
    let counts = reference.objects.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let overrides = counts + [reference.seed.map { "seed=\($0)" } ?? ""]
    let text = FileManager.default.contents(atPath: reference.path) ?? Data()
    var facts = [
      InputFact(.recipe, file: name, digest: Self.digest(Array(text) + overrides.joined().utf8))
    ]
    if let model = recipe?.model ?? (try? reference.read())?.model {
      let path = reference.model ?? RecipeFile.modelPath(ofRecipeAt: reference.path)
      facts.append(Self.fact(of: model, file: path.map(shownPath) ?? name))
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
      return Self.fact(of: version.model, file: name)
    }
  }

  /// A path relative to the workloads folder, where it is below it.
  private func shownPath(_ path: String) -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.path
    let base = URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
    return full.hasPrefix(base) ? String(full.dropFirst(base.count)) : full
  }

  private static func fact(of model: Model, file: String) -> InputFact {
    InputFact(
      .model,
      file: file,
      digest: digest(Array(ModelWriter.text(of: model).utf8)),
      parts: model.entities.flatMap(parts).sorted()
    )
  }

  private static func parts(of entity: Entity) -> [String] {
    ["entity \(entity.name)"]
      + entity.attributes.map { "attribute \($0.name) of \(entity.name)" }
      + entity.relationships.map { "relationship \($0.name) of \(entity.name)" }
      + entity.fetchIndexes.map { index in
        let properties = index.elements.map(\.property).joined(separator: ", ")
        return "index \(index.name) of \(entity.name) (\(properties))"
      }
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    String(SHA256.hash(data: bytes).hexadecimal.prefix(16))
  }
}

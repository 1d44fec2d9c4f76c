import Basics
import Foundation

/// An `.xcmappingmodel`: Xcode's editor stores a mapping model in `xcmapping.xml`, a Core Data XML
/// store with the editor's own objects (Evidence/docs/format.md).
package struct XcodeMappingModel {
  /// One of the editor's entity mappings, whose names are not yet looked up in the two models.
  struct Entry {
    var map: EntityMap
    var automatic: Set<String> = []
  }

  /// The path from which the editor read the source model, as written in the file.
  package let sourcePath: String
  package let destinationPath: String
  /// The editor's copy of the source model; `nil` if it cannot be read.
  package let source: Model?
  package let destination: Model?
  /// The parts of the file that could not be read, with their locations.
  package let warnings: [Diagnostic]
  let entries: [Entry]

  /// Whether a path names a mapping model, judging by the file name.
  package static func isMappingModel(_ path: String) -> Bool {
    let name = path.hasSuffix("/") ? String(path.dropLast()) : path
    return name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".cdm")
      || name.hasSuffix("/xcmapping.xml") || name == "xcmapping.xml"
  }

  /// Reads a mapping model.
  ///
  /// Throws a ``Refusal`` or an ``InvalidInput`` if the file contains no readable mapping model.
  package static func read(path: String) throws -> XcodeMappingModel {
    let plain = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard !plain.hasSuffix(".cdm") else {
      throw Refusal.cannotRead(
        path,
        reason: "it is a compiled mapping model; give the .xcmappingmodel that it was compiled from"
      )
    }
    let file = plain.hasSuffix(".xcmappingmodel") ? plain + "/xcmapping.xml" : plain
    let diagnostics = Diagnostics(file: file)
    let root = try MarkupReader.read(path: file, into: diagnostics)
    var reader = MappingStoreReader(diagnostics: diagnostics)
    let model = try root.flatMap { try reader.mappingModel($0) }
    guard let model, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return model
  }

  /// Returns the migration map between two models, for which the mapping model must have been made.
  ///
  /// - Throws: ``Refusal`` if the editor's copies are of other models.
  package func map(from source: Model, to destination: Model) throws -> MigrationMap {
    let differences =
      (self.source?.differences(from: source, side: "source") ?? [])
      + (self.destination?.differences(from: destination, side: "destination") ?? [])
    let isReversed =
      self.destination?.differences(from: source, side: "").isEmpty == true
      || self.source?.differences(from: destination, side: "").isEmpty == true
    guard differences.isEmpty || !isReversed && differences.count <= Self.mostStale else {
      throw Refusal.badInput(
        "the mapping model is for other versions, "
          + "\("\(Self.name(sourcePath)) to \(Self.name(destinationPath))"): "
          + differences.prefix(3).joined(separator: "; ")
          + (differences.count > 3 ? "; and \(differences.count - 3) more differences" : "")
      )
    }
    return MigrationMap(
      entities: entries.map { $0.map(from: source, to: destination) },
      infersTheRest: false,
      remarks: warnings.map(\.description)
        + differences.map { "the mapping model is older than the models: \($0)" }
    )
  }

  /// The maximum number of entities and properties that may differ from the editor's copy of a
  /// model; in public projects, 3 of 24 mapping models differ by one.
  private static let mostStale = 2

  private static func name(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(12)) : name
  }
}

extension XcodeMappingModel.Entry {
  fileprivate func map(from source: Model, to destination: Model) -> EntityMap {
    var map = map
    guard let former = map.source.flatMap(source.entity(named:)),
      let entity = map.destination.flatMap(destination.entity(named:))
    else { return map }
    let attributes = Set(source.attributes(of: former).map(\.name))
    let relationships = Set(source.relationships(of: former).map(\.name))
    for name in destination.attributes(of: entity).map(\.name)
    where automatic.contains(name) && attributes.contains(name) {
      map.attributes[name] = .source([name])
    }
    for name in destination.relationships(of: entity).map(\.name)
    where automatic.contains(name) && relationships.contains(name) {
      map.relationships[name] = .source(name)
    }
    return map
  }
}

extension Model {
  /// The differences in entities and property names, which show that a model is another version.
  fileprivate func differences(from other: Model, side: String) -> [String] {
    let names = Set(entities.map(\.name))
    let others = Set(other.entities.map(\.name))
    let entitySentences =
      names.subtracting(others).sorted().map { "its \(side) has an entity '\($0)'" }
      + others.subtracting(names).sorted().map { "its \(side) has no entity '\($0)'" }
    return entitySentences
      + entities.flatMap { entity -> [String] in
        guard let same = other.entity(named: entity.name) else { return [] }
        let (own, found) = (entity.propertyNames, same.propertyNames)
        return own.subtracting(found).sorted().map { "its \(side) has '\($0)' in '\(entity.name)'" }
          + found.subtracting(own).sorted().map { "its \(side) has no '\($0)' in '\(entity.name)'" }
      }
  }
}

extension Entity {
  /// The names of the entity's attributes and relationships, for comparison with the editor's
  /// copies, which do not keep every attribute type.
  fileprivate var propertyNames: Set<String> {
    Set(attributes.map(\.name) + relationships.map(\.name))
  }
}

struct MappingStoreReader {
  private typealias Element = MarkupReader.Element

  struct Object {
    let kind: String
    var values: [String: (text: String, place: Place)] = [:]
    var targets: [String: [String]] = [:]

    func text(_ name: String) -> String? {
      values[name].map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
        .flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  let diagnostics: Diagnostics
  private(set) var objects: [String: Object] = [:]

  mutating func mappingModel(_ root: MarkupReader.Element) throws -> XcodeMappingModel? {
    guard root.name == "database" else {
      diagnostics.report(
        "the file is not a mapping model in Core Data's XML format",
        at: root.place
      )
      return nil
    }
    for element in root.children(named: "object") { read(element) }
    guard let model = objects.values.first(where: { $0.kind == "xddevmappingmodel" }) else {
      diagnostics.report("the file contains no mapping model", at: root.place)
      return nil
    }
    let entries = (model.targets["entitymappings"] ?? []).compactMap { objects[$0] }
      .filter { $0.kind == "xddeventitymapping" }
      .sorted { number($0) < number($1) }
      .map { entry($0) }
    return XcodeMappingModel(
      sourcePath: model.text("sourcemodelpath") ?? "",
      destinationPath: model.text("destinationmodelpath") ?? "",
      source: self.model(model, "sourcemodeldata"),
      destination: self.model(model, "destinationmodeldata"),
      warnings: diagnostics.all,
      entries: entries
    )
  }

  private mutating func read(_ element: Element) {
    guard let kind = element.attributes["type"]?.lowercased(), let id = element.attributes["id"]
    else { return }
    var object = Object(kind: kind)
    for child in element.children {
      guard let name = child.attributes["name"]?.lowercased() else { continue }
      switch child.name {
      case "attribute": object.values[name] = (child.text, child.place)
      case "relationship":
        object.targets[name] = (child.attributes["idrefs"] ?? "").split(separator: " ")
          .map(String.init)
      default: break
      }
    }
    objects[id] = object
    let known = Self.known[kind]
    if known == nil { warn("objects of type '\(kind)' are not understood", element.place) }
    for (name, value) in object.values.sorted(by: { $0.key < $1.key })
    where known?.contains(name) == false {
      warn("'\(name)' of \(kind) is not understood", value.place)
    }
  }

  private static let known: [String: Set<String>] = {
    let property: Set<String> = ["name", "valueexpressiondata", "autogenerateexpression"]
    return [
      "xddevmappingmodel": [
        "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
      ],
      "xddeventitymapping": [
        "name", "mappingtypename", "mappingnumber", "sourcename", "destinationname",
        "autogenerateexpression", "migrationpolicyclassname", "sourcefilterpredicatestring",
      ],
      "xddevattributemapping": property, "xddevrelationshipmapping": property,
      "xddevpropertymapping": property,
    ]
  }()

  private func warn(_ message: String, _ place: Place) {
    diagnostics.report(message + ", and is ignored", at: place, severity: .warning)
  }

  private func number(_ mapping: Object) -> Int {
    mapping.text("mappingnumber").flatMap { Int($0) } ?? 0
  }

  // MARK: Entity mappings

  private func entry(_ mapping: Object) -> XcodeMappingModel.Entry {
    var entry = XcodeMappingModel.Entry(
      map: EntityMap(
        name: mapping.text("name"),
        source: mapping.text("sourcename"),
        destination: mapping.text("destinationname"),
        policy: mapping.text("migrationpolicyclassname"),
        infersProperties: false
      )
    )
    if let text = mapping.text("sourcefilterpredicatestring"), text != "TRUEPREDICATE" {
      if let conditions = MappingFilter.conditions(of: text) {
        entry.map.conditions = conditions
      } else {
        entry.map.filter = text
      }
    }
    for property in properties(mapping, "attributemappings") {
      guard let name = property.text("name") else { continue }
      if let expression = expression(of: property) {
        entry.map.attributes[name] = expression.value
      } else {
        entry.automatic.insert(name)
      }
    }
    for property in properties(mapping, "relationshipmappings") {
      guard let name = property.text("name") else { continue }
      if let expression = expression(of: property) {
        entry.map.relationships[name] = expression.relationship
      } else if property.text("autogenerateexpression") != "0" {
        entry.automatic.insert(name)
      }
    }
    return entry
  }

  private func properties(_ mapping: Object, _ list: String) -> [Object] {
    (mapping.targets[list] ?? []).compactMap { objects[$0] }
  }

  private func expression(of property: Object) -> MappingExpression? {
    guard let data = property.values["valueexpressiondata"] else { return nil }
    guard let bytes = Self.bytes(data.text),
      let expression = try? MappingExpression(archive: bytes)
    else {
      warn("the expression of '\(property.text("name") ?? "")' cannot be read", data.place)
      return nil
    }
    return expression
  }

  // MARK: The editor's copies of the models

  private func model(_ mapping: Object, _ name: String) -> Model? {
    guard let data = mapping.values[name] else { return nil }
    guard let bytes = Self.bytes(data.text), let model = Self.editorModel(bytes) else {
      warn("the copy of a model in '\(name)' cannot be read", data.place)
      return nil
    }
    return model
  }

  private static func editorModel(_ bytes: [UInt8]) -> Model? {
    guard let markup = try? LegacyModelReader.markup(bytes) else { return nil }
    var reader = XcodeModelReader(diagnostics: Diagnostics(file: ""))
    return reader.model(markup)
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { [UInt8]($0) }
  }
}

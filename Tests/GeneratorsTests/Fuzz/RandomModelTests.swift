import Basics
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import DataModel
@testable import Generators

/// Tests random models, even faulty ones: each is repaired, survives every format, is compared with
/// the previous model, and gives a small store without findings.
struct RandomModelTests {
  @Test(arguments: FuzzSeeds.portions(of: 20, usually: 120))
  func `fuzz: models as values`(numbers: Range<Int>) throws {
    let folder = try TemporaryFolder()
    var former = Model(entities: [])
    var made = 0
    for number in numbers {
      var random = RandomModel(number: number)
      let (model, problems) = random.model().workable()
      try #require(model.isValid, "model \(number): \(model.errors)")
      #expect(problems.allSatisfy { $0.remedy?.action.isEmpty == false })
      let archived = try ModelArchive.read(ModelArchive.write(model))
      #expect(archived.model == model, "model \(number)")
      #expect(archived.unknown == [], "model \(number)")
      let mapping = MappingModel(from: former, to: model)
      _ = mapping.changes.map(\.description) + mapping.obstacles.map(\.description)
      former = model
      if try makeStore(of: model, &random, in: folder, "model \(number)") { made += 1 }
      try folder.removeContents()
    }
    #expect(made > 0)
  }

  /// Returns whether a recipe for the model is possible; if so, checks that its store has no
  /// findings.
  private func makeStore(
    of model: Model,
    _ random: inout RandomModel,
    in folder: TemporaryFolder,
    _ name: Comment
  ) throws -> Bool {
    try folder.write(ModelWriter.text(of: model), to: "model.yaml")
    let counts = model.entities.filter { !$0.isAbstract }.map { entity in
      "  \(YAMLText.word(entity.name)): { count: \(random.below(5)) }\n"
    }
    let entities = counts.isEmpty ? "entities: {}\n" : "entities:\n" + counts.joined()
    let recipe: Recipe
    do {
      recipe = try RecipeFile.parse(
        "format: 1\nmodel: model.yaml\n" + entities,
        path: folder.file("recipe.yaml")
      )
    } catch let error as InvalidInput {
      let problems = error.problems
      // A recipe may be impossible: a Boolean has no four distinct values; a target has no objects.
      let reasons = [
        "needs distinct values", "no values can be made",
        "is not optional, but there are no objects of",
        "not optional, but there are only",
        "take at most", "so the number of objects must be even",
        "is a tree: its root has no target",
      ]
      for problem in problems where problem.severity == .error {
        #expect(reasons.contains { problem.message.contains($0) }, "\(name): \(problem)")
      }
      return false
    }
    #expect(recipe.model == model, name)
    let path = folder.file("s.sqlite")
    let writer: any StoreWriter = random.isTrue(1, of: 2) ? BulkStoreWriter() : SQLStoreWriter()
    try StoreGenerator(recipe, writer: writer).generate(at: path)
    let dataset = Dataset(recipe)
    checkMost(in: dataset, name)
    let audit = StoreAudit(store: StoreFile(path: path), layout: dataset.layout)
    let findings = try audit.findings().map(\.description)
    #expect(findings == [], name)
    return true
  }
}

extension RandomModelTests {
  /// Checks that no object has more targets than its to-many relationship allows.
  private func checkMost(in dataset: Dataset, _ name: Comment) {
    for entity in dataset.entities {
      for relationship in dataset.recipe.model.lineage(
        of: dataset.recipe.model.entity(named: entity.name) ?? Entity(name: "")
      ).flatMap(\.relationships) where relationship.isToMany && relationship.maximumCount > 0 {
        guard let source = entity.relationships[relationship.name] else { continue }
        for row in entity.span.offset..<entity.span.offset + entity.span.count {
          #expect(
            source.count(of: row) <= relationship.maximumCount,
            "\(name): \(entity.name).\(relationship.name)"
          )
        }
      }
    }
  }
}

/// Draws a model whose parts usually fit together, but not always.
private struct RandomModel {
  private var random: SplitMix64

  init(number: Int) {
    // Mix the seeds: seeds that differ by one generator step would give shifted draws.
    random = SplitMix64(state: SplitMix64.mix(UInt64(number)))
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  mutating func isTrue(_ share: Int, of whole: Int) -> Bool { below(whole) < share }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  private static let entityNames = [
    "Note", "Tag", "note", "Größe", "A", "A_B", "_Own", "Item", "B$",
  ]
  private static let names = [
    "title", "Title", "id", "url", "count", "_flag", "größe", "name", "createdAt", "description",
    "x1", "bytes", "kind", "isOn", "self", "_pk", "a b", "parent", "value", "z9", "startDate",
  ]

  mutating func model() -> Model {
    let names = (0..<below(6)).map { _ in one(of: Self.entityNames) }
    let entities = names.map { entity($0, among: names) }
    return Model(
      entities: entities,
      versionIdentifiers: [one(of: ["", "1.0", "ü"])],
      configurations: isTrue(1, of: 4) ? ["c": [one(of: Self.entityNames)]] : [:],
      fetchRequests: isTrue(1, of: 4)
        ? [FetchRequestTemplate(name: "all", predicate: "a == 1")] : []
    )
  }

  private mutating func entity(_ name: String, among names: [String]) -> Entity {
    let attributes = (0..<below(7)).map { _ in attribute() }
    let relationships = (0..<below(4)).map { _ in relationship(among: names) }
    let known = attributes.map(\.name) + relationships.map(\.name) + ["entity", "self", "lost"]
    return Entity(
      name: name,
      isAbstract: isTrue(1, of: 6),
      superentity: isTrue(1, of: 4) ? one(of: names + ["Lost"]) : nil,
      attributes: attributes,
      relationships: relationships,
      fetchedProperties: isTrue(1, of: 6)
        ? [FetchedProperty(name: "f", request: FetchRequestTemplate(name: ""))] : [],
      fetchIndexes: (0..<below(3)).map { _ in index(of: known) },
      uniquenessConstraints: isTrue(1, of: 4) ? [(0..<below(3)).map { _ in one(of: known) }] : [],
      renamingIdentifier: isTrue(1, of: 8) ? one(of: Self.entityNames) : nil,
      userInfo: isTrue(1, of: 8) ? ["k": "v"] : [:]
    )
  }

  private mutating func index(of properties: [String]) -> FetchIndex {
    let kind: FetchIndex.Element.Kind = isTrue(1, of: 8) ? .rTree : .binary
    let elements = (0..<below(4)).map { _ in
      FetchIndex.Element(
        property: one(of: properties),
        isAscending: isTrue(3, of: 4),
        kind: isTrue(1, of: 20) ? .binary : kind
      )
    }
    return FetchIndex(
      name: one(of: ["byA", "byB", "bya", "UNIQUE_title", "a b"]),
      elements: elements
    )
  }

  private mutating func attribute() -> Attribute {
    let type = one(of: AttributeType.allCases)
    let values: [Value] = [
      .integer(0), .integer(-1), .integer(1), .integer(.max), .real(0.5), .real(-1e30), .text(""),
      .text("é"), .blob([]), .blob(Array(0..<16)),
    ]
    var attribute = Attribute(
      name: one(of: Self.names),
      type: type,
      isOptional: isTrue(3, of: 4),
      isTransient: isTrue(1, of: 8),
      renamingIdentifier: isTrue(1, of: 10) ? one(of: Self.names) : nil,
      allowsExternalStorage: isTrue(1, of: 4),
      preservesValueOnDeletion: isTrue(1, of: 8),
      derivation: isTrue(1, of: 12) ? one(of: ["now()", "canonical:(title)", "lost.@count"]) : nil,
      transformerName: isTrue(1, of: 12) ? "T" : nil,
      pattern: isTrue(1, of: 20) ? "^.$" : nil
    )
    if isTrue(1, of: 3) { attribute.defaultValue = one(of: values) }
    if isTrue(1, of: 8) { attribute.minimum = one(of: values) }
    if isTrue(1, of: 8) { attribute.maximum = one(of: values) }
    if isTrue(1, of: 20) {
      attribute.elements = [Attribute(name: "e", type: one(of: [type, .date]))]
    }
    return attribute
  }

  private mutating func relationship(among names: [String]) -> Relationship {
    Relationship(
      name: one(of: ["parent", "children", "tags", "notes", "größe", "title"]),
      destination: isTrue(1, of: 12) ? "Lost" : one(of: names),
      inverse: isTrue(3, of: 4) ? one(of: ["parent", "children", "tags", "notes"]) : nil,
      isToMany: isTrue(1, of: 2),
      isOrdered: isTrue(1, of: 4),
      isOptional: isTrue(5, of: 6),
      isTransient: isTrue(1, of: 12),
      minimumCount: isTrue(1, of: 12) ? below(4) - 1 : 0,
      maximumCount: isTrue(1, of: 8) ? below(4) : nil,
      deleteRule: one(of: DeleteRule.allCases),
      renamingIdentifier: isTrue(1, of: 12) ? "parent" : nil
    )
  }
}

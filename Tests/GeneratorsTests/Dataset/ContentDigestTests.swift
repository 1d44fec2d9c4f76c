import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A change here means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "7c47f384e6f6b37c7dae1461581df72832630288c1a3269a2e78272904ca896f"),
    ("trips", "Trip", "8eab02ae69d9a6abab4f804b59c491c71939b4e7ff4118d3860067ae49f7c080"),
    ("catalog", "Product", "5f5cf01e910c36c6850ed442e105f65b09eff101fac4d216a733fa378e838d2a"),
    ("feed-small", "Post", "17abfc96f27dea3aa6b73ef1538ed3f84f3aea9c9bb22517cf8b83e82da4f8ec"),
  ])
  func `all values and relationships of the recipes are what they were`(
    name: String,
    entity: String,
    digest: String
  ) throws {
    let recipe = try Recipes.named(name, options: .init(objects: [entity: 50]))
    let dataset = Dataset(recipe)
    var hash = SHA256()
    var cell = Cell()
    for source in dataset.entities {
      let described = try #require(recipe.model.entity(named: source.name))
      for row in 0..<source.count {
        for attribute in recipe.model.attributes(of: described) {
          try dataset.fill(&cell, entity: source.name, row: row, attribute: attribute.name)
          hash.update(data: Array("\(cell.kind) ".utf8))
          switch cell.kind {
          case .null: break
          case .integer: hash.update(data: Array("\(cell.integer)".utf8))
          case .real: hash.update(data: Array("\(cell.real.bitPattern)".utf8))
          case .text, .blob: hash.update(data: cell.bytes)
          }
        }
        for relationship in recipe.model.relationships(of: described) {
          let targets =
            relationship.isToMany
            ? try dataset.targets(entity: source.name, row: row, relationship: relationship.name)
            : [try dataset.target(entity: source.name, row: row, relationship: relationship.name)]
              .compactMap { $0 }
          hash.update(data: Array("\(targets.map(\.row))".utf8))
        }
      }
    }
    #expect(hash.finalize().hexadecimal == digest)
  }
}

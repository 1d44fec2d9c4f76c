import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A different digest means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "7c47f384e6f6b37c7dae1461581df72832630288c1a3269a2e78272904ca896f"),
    ("trips", "Trip", "07d67cb0d58b9969d59678a9580dc4346afda4db18f2d4503ad4848767e6a5bc"),
    ("catalog", "Product", "9ae75d561900d90682853e1ff71c5563a27e82212d3edad3e08e41132ff3286d"),
    ("feed-small", "Post", "7fe883fc8b6a3780611bb6c04a36e520f01b83fe2cbb27625ac330381ba846ee"),
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

import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A change here means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "d96c6be7aca8977ee0dc4dac8a501a8d4e72e0330c2072cce1e007f6b0b755c3"),
    ("trips", "Trip", "27215fbb41cd3a1f2c14e6b738fee0c77f591b6634e4ae269f58bbf6d850b8af"),
    ("catalog", "Product", "47dea73405bfce8add5a8714e8268774983b83892d28b46817ce4b2867a25b4e"),
    ("feed-small", "Post", "452b35e5b21625e031cff192406043f9802ea8152a10aed5ed83fad1909b1340"),
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

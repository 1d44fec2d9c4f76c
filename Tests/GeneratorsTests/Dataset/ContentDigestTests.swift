import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A change here means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "1e364acbfb2c7769029034a4b6210c392e3f687127a7efa7961696f8416740d9"),
    ("trips", "Trip", "29741065e80dfda4372881bd77290a7ca57131a1b4a4b80e44fc8c97ced62fd9"),
    ("catalog", "Product", "6389166c80f82f35e8684df83ba71cca4a93092d2bcaf47ca81e2151a30954c5"),
    ("feed-small", "Post", "f907bf40f1f85f7c97dce271b0a84481f97d7ace26cedb7dfb2c23cdceb125b7"),
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

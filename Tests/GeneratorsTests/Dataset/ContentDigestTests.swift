import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A change here means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "9f52de17d6bef7a59830d430adb0612f4487d77b9b70388e7cb5c553509d991c"),
    ("trips", "Trip", "470549a7194baf312579ebd66bc4bee8dbf8f638acfd95da37fda11436c44e20"),
    ("catalog", "Product", "c5dba6af2009055df1e4f2c9eb1ff383614a361d0116fd60bb4e4c6c0c54949c"),
    ("feed-small", "Post", "846851839ff0446572ce6ce72d3cc513ee24e6b9a35840952c84f766ca3bfaed"),
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

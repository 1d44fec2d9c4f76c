import Basics
import DataModel
import Testing

@testable import Generators

struct ContentDigestTests {
  // A change here means that every published store changes: raise Recipe.format.
  @Test(arguments: [
    ("tasks", "Task", "a7f7ae11de9aaf17e425d293c6bb68229f03fc3f2853248b920c4c5d125f3e43"),
    ("trips", "Trip", "a683dbd2bb0780bfcb92fccd2061b5f2c240900611201eee7a06ee75afff1986"),
    ("catalog", "Product", "ce66201269629a1d8fefa8b49da0d1a3e628db6eb3d01ae0de50a743205e0c0f"),
    ("feed-small", "Post", "d0837396749a79903f4c71861288d0dd7f50f239467fc477dc935db2dbb8e00f"),
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

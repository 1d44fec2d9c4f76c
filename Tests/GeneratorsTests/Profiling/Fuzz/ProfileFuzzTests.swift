import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tests random profiles: a store made from a profile must pass the audit.
struct ProfileFuzzTests {
  private static let seeds = FuzzSeeds.range(usually: 30)

  @Test func `fuzz: the store of every random profile is sound, and can be migrated`() throws {
    var made = 0
    var objects = 0
    for seed in Self.seeds {
      do {
        objects += try makeStore(seed)
        made += 1
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    print("fuzz: \(made) stores of random profiles, \(objects) objects")
    #expect(made == Self.seeds.count)
    #expect(objects > made)
  }

  /// Makes and checks a store; returns the number of its objects.
  private func makeStore(_ seed: Int) throws -> Int {
    var random = RandomProfile(seed: seed)
    try #require(random.profile.model.isValid, "seed \(seed)")
    let folder = try TemporaryFolder()
    let like = LikeRecipe(random.profile, size: random.size())
    let recipe = like.recipe(name: "like", seed: UInt64(seed))
    let writer: any StoreWriter = seed % 2 == 0 ? BulkStoreWriter() : SQLStoreWriter()
    let result = try StoreGenerator(recipe, writer: writer)
      .generate(at: folder.file("like.sqlite"))
    let layout = try PersistentStore.open(result.file, mode: .readOnly).layout
    try check(result.file, layout, seed)
    try checkCounts(of: recipe, in: result.file, layout, seed)
    try checkRanges(in: result.file, layout, seed)
    try checkFanOut(in: result.file, layout, seed)
    if seed % 3 == 0 { try migrate(result.file, layout, seed) }
    return result.objectCount
  }

  /// Checks a store by its audit: storage classes and ranges of all types, unique constraints,
  /// required values and both sides of relationships.
  private func check(_ file: StoreFile, _ layout: StoreLayout, _ seed: Int) throws {
    let connection = try Connection(path: file.path, mode: .readOnly)
    #expect(try connection.text("PRAGMA integrity_check") == "ok", "seed \(seed)")
    let findings = try StoreAudit(store: file, layout: layout).findings()
    #expect(findings.map(\.description) == [], "seed \(seed)")
  }

  private func checkCounts(
    of recipe: Recipe,
    in file: StoreFile,
    _ layout: StoreLayout,
    _ seed: Int
  ) throws {
    let connection = try Connection(path: file.path, mode: .readOnly)
    for entity in recipe.entities {
      guard let table = layout.table(of: entity.name), let number = layout.numbers[entity.name]
      else { continue }
      let count = try connection.integer(
        "SELECT count(*) FROM \(table.name) WHERE Z_ENT = \(number)"
      )
      #expect(count == Int64(entity.count), "seed \(seed), \(entity.name)")
    }
  }

  /// Checks that values are within the model's minima and maxima of numbers and lengths.
  private func checkRanges(in file: StoreFile, _ layout: StoreLayout, _ seed: Int) throws {
    let connection = try Connection(path: file.path, mode: .readOnly)
    for entity in layout.model.entities where !entity.isAbstract {
      guard let table = layout.table(of: entity.name), let number = layout.numbers[entity.name]
      else { continue }
      for attribute in layout.model.attributes(of: entity) where !attribute.isTransient {
        guard let column = layout.column(of: attribute.name, in: entity.name)?.name else {
          continue
        }
        let value = attribute.type.measure == .lengths ? "length(\(column))" : column
        for (bound, sign) in [(attribute.minimum, "<"), (attribute.maximum, ">")] {
          guard case .integer(let bound) = bound else { continue }
          let outside = try connection.integer(
            "SELECT count(*) FROM \(table.name) WHERE Z_ENT = \(number) AND \(value) \(sign) \(bound)"
          )
          #expect(outside == 0, "seed \(seed), \(entity.name).\(attribute.name) \(sign) \(bound)")
        }
      }
    }
  }

  /// Checks that no object has more targets than its to-many relationship allows.
  private func checkFanOut(in file: StoreFile, _ layout: StoreLayout, _ seed: Int) throws {
    let connection = try Connection(path: file.path, mode: .readOnly)
    for entity in layout.model.entities {
      for relationship in entity.relationships where relationship.maximumCount > 0 {
        let (table, key) =
          switch layout.storage(of: relationship.name, in: entity.name) {
          case .inverseForeignKey(let table, let key, _)?: (table, key)
          case .join(let table, let side)?: (table, side.ownColumn)
          default: ("", "")
          }
        guard !table.isEmpty, relationship.isToMany else { continue }
        let most = try connection.integer(
          "SELECT max(n) FROM (SELECT count(*) AS n FROM \(table) WHERE \(key) IS NOT NULL "
            + "GROUP BY \(key))"
        )
        #expect(
          most ?? 0 <= Int64(relationship.maximumCount),
          "seed \(seed), \(entity.name).\(relationship.name)"
        )
      }
    }
  }

  /// Migrates a store to a version of its model with one more attribute in every table.
  private func migrate(_ file: StoreFile, _ layout: StoreLayout, _ seed: Int) throws {
    var entities = layout.model.entities
    for index in entities.indices where entities[index].superentity == nil {
      entities[index].attributes.append(Attribute(name: "added", type: .string))
    }
    let model = Model(entities: entities, versionIdentifiers: ["2"])
    let migration = try LightweightMigration(
      from: layout,
      to: model,
      shape: seed % 2 == 0 ? .inPlace : .rebuild
    )
    try migration.run(on: Connection(path: file.path, mode: .readWrite), path: file.path)
    try check(file, migration.destination, seed)
  }
}

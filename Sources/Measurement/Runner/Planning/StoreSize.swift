import Generators
import PersistentStore

/// The bytes of a workload's own store.
struct StoreSize {
  let bytes: Int64
  /// Whether it is on disk already.
  let isMade: Bool

  init(bytes: Int64, isMade: Bool) {
    self.bytes = bytes
    self.isMade = isMade
  }

  init(of file: WorkloadFile, cacheFolder: String) throws {
    switch file.store {
    case .file(let path):
      self.init(bytes: StoreFile(path: path).bytes, isMade: true)
    case .recipe(_, let reference):
      let recipe = try file.recipe ?? reference.read()
      let entry = cacheFolder + "/" + StoreCache(folder: cacheFolder).key(of: recipe)
      let made = StoreFile.bytes(at: entry)
      self.init(bytes: made > 0 ? made : try Self.sampled(recipe), isMade: made > 0)
    }
  }

  /// The bytes of a store that is yet to be made, from some rows of each entity.
  private static func sampled(_ recipe: Recipe) throws -> Int64 {
    let dataset = Dataset(recipe)
    var total = 0.0
    for entity in recipe.entities where entity.count > 0 {
      let rows = min(entity.count, 16)
      var sampled = 0
      var cell = Cell()
      for sample in 0..<rows {
        let row = Int(Double(entity.count) / Double(rows) * Double(sample))
        // A row's header, key and version; a key and an index entry for each relationship.
        sampled += 14 + 14 * recipe.relationships.count { $0.entity == entity.name }
        for attribute in entity.attributeNames {
          try dataset.fill(&cell, entity: entity.name, row: row, attribute: attribute)
          sampled += cell.storedBytes
          let file = try dataset.fileContents(entity: entity.name, row: row, attribute: attribute)
          sampled += file?.count ?? 0
        }
      }
      total += Double(sampled) / Double(rows) * Double(entity.count)
    }
    // Pages are not full, and join tables, indexes and the system's tables come on top.
    return Int64(min(total * 1.25 + 131_072, 1e18))
  }
}

extension Cell {
  fileprivate var storedBytes: Int {
    switch kind {
    case .null: 1
    case .integer: 4
    case .real: 9
    case .text, .blob: bytes.count + 3
    }
  }
}

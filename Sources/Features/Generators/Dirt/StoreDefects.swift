import DataModel
import Foundation
import PersistentStore
import SQLite

/// Creates the defects of a written store that are in its files and highest keys, not in its rows.
struct StoreDefects {
  private struct Owner {
    let key: Int64
    let path: String
  }

  private let dataset: Dataset
  private let store: StoreFile

  static func make(of dataset: Dataset, in store: StoreFile) throws -> [DefectList.Entry] {
    try StoreDefects(dataset: dataset, store: store).make()
  }

  private func make() throws -> [DefectList.Entry] {
    var entries: [DefectList.Entry] = []
    for entity in dataset.recipe.entities where entity.count > 0 {
      guard let source = try? dataset.entity(entity.name) else { continue }
      for recipe in entity.defects where !recipe.defect.isOfRow {
        switch recipe.defect {
        case .missingFile: entries += try removeFiles(recipe, of: source)
        case .orphanedFile: entries += try addFiles(recipe, of: source)
        case .tooLow: entries += try lowerMaximum(recipe, of: source)
        default: continue
        }
      }
    }
    return entries
  }

  private func key(_ recipe: DefectRecipe, of source: EntitySource) -> StreamKey {
    StreamKey(seed: dataset.recipe.seed).derived(source.name).derived(recipe.property)
      .derived(recipe.defect.rawValue)
  }

  private func entry(
    _ recipe: DefectRecipe,
    of source: EntitySource,
    key: Int64? = nil,
    value: String,
    _ rule: AuditRule
  ) -> DefectList.Entry {
    DefectList.Entry(
      entity: source.name,
      primaryKey: key,
      property: recipe.property,
      defect: recipe.defect,
      value: value,
      rule: rule
    )
  }

  // MARK: Missing and orphaned files

  private func removeFiles(
    _ recipe: DefectRecipe,
    of source: EntitySource
  ) throws -> [DefectList.Entry] {
    let owners = try owners(recipe.property, of: source)
    guard !owners.isEmpty else { return [] }
    let shuffle = Permutation(count: owners.count, key: key(recipe, of: source))
    let chosen = (0..<recipe.count(among: owners.count)).map { shuffle.image(of: $0) }.sorted()
    var files = FileBytes()
    return try chosen.map { place in
      let owner = owners[place]
      try files.remove(owner.path)
      let name = URL(fileURLWithPath: owner.path).lastPathComponent
      return entry(recipe, of: source, key: owner.key, value: name, .missingExternalFile)
    }
  }

  /// Adds files that no row refers to.
  ///
  /// Their number is a share of the number of existing files.
  private func addFiles(
    _ recipe: DefectRecipe,
    of source: EntitySource
  ) throws -> [DefectList.Entry] {
    let count = recipe.count(among: max(try owners(recipe.property, of: source).count, 1))
    let folder = folder(of: recipe.property, source)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let contents = BlobRule.Generator(
      BlobRule(size: DistributionRecipe(.constant(4_096)), compressibility: 0)
    )
    var files = FileBytes()
    var cell = Cell()
    return try (0..<count).map { number in
      var draws = key(recipe, of: source).draws(row: number)
      let name = UUIDGenerator.text(&draws)
      contents.fill(&cell, row: number, draws: &draws)
      try cell.bytes.withUnsafeBytes {
        try files.write($0, to: folder + "/" + name, durable: false)
      }
      return entry(recipe, of: source, value: name, .orphanedExternalFile)
    }
  }

  private func folder(of property: String, _ source: EntitySource) -> String {
    source.attributes[property]?.makesFiles == true ? store.filesFolder : store.externalDataFolder
  }

  private func owners(_ property: String, of source: EntitySource) throws -> [Owner] {
    guard let table = dataset.layout.table(of: source.name),
      let column = dataset.layout.column(of: property, in: source.name)
    else { return [] }
    let folder = folder(of: property, source)
    let isPath = source.attributes[property]?.makesFiles == true
    let connection = try StoreContent(store: store, layout: dataset.layout).connection
    // Skip blobs that are stored inline.
    let row = try connection.prepare(
      "SELECT Z_PK, \(column.name) FROM \(table.name) WHERE Z_ENT = \(source.number) "
        + "AND \(column.name) NOTNULL AND substr(\(column.name), 1, 1) <> x'01' ORDER BY Z_PK"
    )
    var owners: [Owner] = []
    while try row.step() {
      let name = isPath ? row.text(at: 1) : ExternalStorage.fileName(in: row.blob(at: 1))
      if let name { owners.append(Owner(key: row.integer(at: 0), path: folder + "/" + name)) }
    }
    return owners
  }

  // MARK: Highest keys

  private func lowerMaximum(
    _ recipe: DefectRecipe,
    of source: EntitySource
  ) throws -> [DefectList.Entry] {
    guard let table = dataset.layout.table(of: source.name),
      let root = dataset.layout.numbers[table.root]
    else { return [] }
    let connection = try Connection(path: store.path, mode: .readWrite)
    let highest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
    let lower = highest - Int64(recipe.count(among: Int(highest)))
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(lower) WHERE Z_ENT = \(root)")
    try connection.checkpoint()
    return [entry(recipe, of: source, value: String(lower), .keyAboveMaximum)]
  }
}

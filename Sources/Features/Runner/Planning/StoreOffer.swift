import Basics
import DataModel
import Generators
import PersistentStore
import SQLite
import Synchronization

/// The facts about a workload's store to which the workload kinds adapt: its model and its object
/// counts.
package struct StoreOffer: Sendable {
  package let layout: StoreLayout
  /// Whether the store was made elsewhere, without a recipe.
  package let isMade: Bool
  /// The one-to-one relationships, as `ENTITY.RELATIONSHIP`, that are set on only one side for some
  /// objects.
  package let oneSided: Set<String>
  /// The number of references to external files that exist, and to files that are missing.
  package var externalFiles: (present: Int, missing: Int) = (0, 0)
  /// Whether the store keeps persistent history; `nil` if this is unknown.
  package var keepsHistory: Bool?
  private let counts: [String: Int]
  /// The files of a store that was made elsewhere; `nil` for a recipe, whose store may not exist
  /// yet.
  private let file: StoreFile?
  private let losses = Losses()

  /// The triggers that Core Data did not create; StoreBench does not run them.
  package let foreignTriggers: [String]
  /// The names of the triggers that Core Data created, or that a recipe copies from such a store.
  package var ownTriggers: Set<String> = []

  /// Creates the facts about a store; `counts` are by entity, and exclude the objects of
  /// sub-entities.
  package init(
    model: Model,
    counts: [String: Int],
    isMade: Bool,
    oneSided: Set<String> = [],
    foreignTriggers: [String] = [],
    file: StoreFile? = nil
  ) {
    self.foreignTriggers = foreignTriggers
    self.file = file
    layout = StoreLayout(model: model, keepsHistory: false)
    self.counts = counts
    self.isMade = isMade
    self.oneSided = oneSided
  }

  package var model: Model { layout.model }

  func missingFiles(of file: WorkloadFile) -> Diagnostic? {
    let (present, missing) = externalFiles
    guard missing > 0, case .file(let path, _) = file.store else { return nil }
    return Diagnostic(
      severity: .warning,
      file: path,
      message:
        "\(missing) of its \(present + missing) external files are missing: the attributes "
        + "stored in them are read as empty; to include the files, copy the folder "
        + "'\(StoreFile(path: path).supportFolder)' next to the store"
    )
  }

  /// Returns the number of objects of an entity, including its sub-entities.
  package func count(of entity: Entity) -> Int {
    model.family(of: entity).reduce(0) { $0 + ownCount(of: $1.name) }
  }

  /// Returns the number of objects of an entity, excluding its sub-entities.
  package func ownCount(of entity: String) -> Int { counts[entity] ?? 0 }

  package var objectCount: Int { counts.values.reduce(0, +) }

  /// The derived attributes, as `ENTITY.ATTRIBUTE`, that no trigger of the store updates.
  ///
  /// A trigger's name contains the attribute's name (coredata-format.md, section 7).
  package var staleDerivedAttributes: [String] {
    model.entities.flatMap { entity in
      entity.attributes.filter { attribute in
        attribute.derivation != nil && !attribute.isTransient
          && !ownTriggers.contains { $0.contains("_\(attribute.name)_") }
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// The entity with the most objects of its own; `nil` if the store is empty.
  ///
  /// If several entities have the same number, the entity with the lowest number (`Z_ENT`) is
  /// returned.
  package var largestEntity: Entity? {
    var largest: (entity: Entity, count: Int)?
    for entity in layout.numbers.entities {
      let count = ownCount(of: entity.name)
      if count > largest?.count ?? 0 { largest = (entity, count) }
    }
    return largest?.entity
  }

  /// Returns the columns in which objects of the store would lose their values in a migration.
  ///
  /// The list is empty for a store made from a recipe.
  ///
  /// - Throws: ``PersistentStoreError``, ``SQLiteError``.
  package func dropped(by mapping: MappingModel) throws -> [DroppedColumn] {
    guard let file else { return [] }
    return try losses.by(mapping) {
      try data(of: file, by: mapping).all().filter { ($0.count ?? 0) > 0 && !$0.isIntended }
    }
  }

  /// Returns the number of objects that would lose the destination of a to-one relationship in a
  /// migration that copies objects (``DroppedData/shared()``).
  ///
  /// - Throws: ``PersistentStoreError``, ``SQLiteError``.
  package func shared(by mapping: MappingModel) throws -> [MappingModel.NewOneToOne: Int64] {
    guard let file, !mapping.newOneToOnes.isEmpty else { return [:] }
    return try data(of: file, by: mapping).shared()
  }

  /// Opens the store to look at its content; `nil` for a recipe, whose store may not exist yet.
  ///
  /// - Throws: ``PersistentStoreError``, ``SQLiteError``.
  package func openMade() throws -> PersistentStore? { try file.map(open) }

  private func open(_ file: StoreFile) throws -> PersistentStore {
    try PersistentStore.open(file, model: model, mode: file.restingMode)
  }

  private func data(of file: StoreFile, by mapping: MappingModel) throws -> DroppedData {
    let store = try open(file)
    try store.connection.checkCells()
    return DroppedData(mapping: mapping, layout: store.layout, connection: store.connection)
  }

  /// A cache of the columns that mappings would drop, so that the lost values are counted only once
  /// per mapping.
  private final class Losses: Sendable {
    private let known = Mutex<[MappingModel: [DroppedColumn]]>([:])

    func by(_ mapping: MappingModel, _ count: () throws -> [DroppedColumn]) throws
      -> [DroppedColumn]
    {
      try known.withLock { known in
        if let dropped = known[mapping] { return dropped }
        let dropped = try count()
        known[mapping] = dropped
        return dropped
      }
    }
  }

  /// Reads the facts about stores, once per store: for a recipe, from the recipe; for a file, from
  /// its content.
  ///
  /// A file is read in place, without creating any file next to it.
  final class Reader {
    private var known: [StoreSource: StoreOffer] = [:]

    func offer(of file: WorkloadFile) throws -> StoreOffer {
      if let offer = known[file.store] { return offer }
      let offer: StoreOffer
      switch file.store {
      case .recipe(_, let reference):
        let recipe = try file.recipe ?? reference.read()
        let counts = Dictionary(recipe.entities.map { ($0.name, $0.count) }) { $0 + $1 }
        var made = StoreOffer(model: recipe.model, counts: counts, isMade: false)
        made.keepsHistory = recipe.history != nil
        made.ownTriggers = recipe.origin?.triggerNames ?? []
        offer = made
      case .file(let path, let model): offer = try Self.read(path, given: model)
      }
      known[file.store] = offer
      return offer
    }

    private static func read(_ path: String, given: ModelFamily?) throws -> StoreOffer {
      let made = MadeStore(path: path)
      let connection = try made.connectInPlace()
      do {
        _ = try StoreMetadata(from: connection, path: path)
        let model = try ModelCache.read(from: connection, path: path, given: given)
        try model.checkNames()
        let form = try StoreForm(of: connection)
        let layout = StoreLayout(model: model, keepsHistory: false, form: form)
        let triggers = try StoreTriggers(connection)
        var offer = StoreOffer(
          model: model,
          counts: try ObjectCounts.read(connection),
          isMade: true,
          oneSided: OneSidedRelationships.read(connection, layout),
          foreignTriggers: triggers.foreign,
          file: made.source
        )
        offer.keepsHistory = form.keepsHistory
        offer.ownTriggers = triggers.own
        offer.externalFiles = ExternalFileCounts.read(connection, layout, made.source)
        return offer
      } catch let error as SQLiteError {
        throw StoreOpening.translated(error, path: path)
      }
    }
  }

  private enum ExternalFileCounts {
    static func read(
      _ connection: Connection,
      _ layout: StoreLayout,
      _ store: StoreFile
    ) -> (present: Int, missing: Int) {
      var counts = (present: 0, missing: 0)
      for table in layout.tables {
        for column in table.columns {
          guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage,
            let row = try? connection.prepare(
              "SELECT \(column.name.quotedName) FROM \(table.name.quotedName) "
                + "WHERE typeof(\(column.name.quotedName)) = 'blob' "
                + "AND length(\(column.name.quotedName)) = \(BlobContent.referenceSize)"
            )
          else { continue }
          while (try? row.step()) == true {
            guard let name = ExternalStorage.fileName(in: row.blob(at: 0)) else { continue }
            let isThere = access(store.externalDataFolder + "/" + name, F_OK) == 0
            if isThere { counts.present += 1 } else { counts.missing += 1 }
          }
        }
      }
      return counts
    }
  }

  /// Finds one-to-one relationships that are set on one side only, because sync writes one side
  /// before the other.
  enum OneSidedRelationships {
    /// Returns the relationships as `ENTITY.RELATIONSHIP`; tables that do not fit the model are
    /// skipped.
    static func read(_ connection: Connection, _ layout: StoreLayout) -> Set<String> {
      var names: Set<String> = []
      for entity in layout.numbers.entities {
        for relationship in entity.relationships {
          guard let query = query(for: relationship, of: entity, layout) else { continue }
          if (try? connection.integer(query)) ?? nil != nil {
            names.insert("\(entity.name).\(relationship.name)")
          }
        }
      }
      return names
    }

    private static func query(
      for relationship: Relationship,
      of entity: Entity,
      _ layout: StoreLayout
    ) -> String? {
      guard !relationship.isToMany, !relationship.isTransient,
        let inverse = layout.model.inverse(of: relationship), !inverse.isToMany,
        case .foreignKey(let own, _, _)? = layout.storage(of: relationship.name, in: entity.name),
        case .foreignKey(let back, _, _)? =
          layout.storage(of: inverse.name, in: relationship.destination),
        let source = layout.table(of: entity.name)?.name,
        let target = layout.table(of: relationship.destination)?.name
      else { return nil }
      return "SELECT 1 FROM \(source.quotedName) AS s JOIN \(target.quotedName) AS t "
        + "ON t.Z_PK = s.\(own.quotedName) WHERE t.\(back.quotedName) IS NOT s.Z_PK LIMIT 1"
    }
  }
}

/// Reads the models that parameters refer to, each only once.
package final class ModelFiles {
  /// The workloads folder, to which paths in parameters are relative.
  package let folder: String
  private var known: [String: Result<ModelFamily, any Error>] = [:]

  /// Creates a reader for paths relative to the given workloads folder.
  package init(folder: String) {
    self.folder = folder
  }

  /// Resolves a path given in a parameter to a full path.
  package func path(of name: String) -> String {
    name.hasPrefix("/") ? name : folder + "/" + name
  }

  /// Returns the versions of the model at a path; if the path is a store, returns the model that
  /// the store contains.
  ///
  /// - Throws: ``Refusal``, or ``PersistentStoreError`` if a store contains no model.
  package func family(at path: String) throws -> ModelFamily {
    if let result = known[path] { return try result.get() }
    let full = self.path(of: path)
    let result = Result {
      try StoreHeader(path: full) == nil
        ? ModelSource.read(path: full) : Self.family(carriedBy: MadeStore(path: full))
    }
    known[path] = result
    return try result.get()
  }

  private static func family(carriedBy store: MadeStore) throws -> ModelFamily {
    let connection = try store.connectInPlace()
    let path = store.source.path
    do {
      let version = VersionedSchema(
        name: store.source.name,
        model: try ModelCache.read(from: connection, path: path)
      )
      let hashes = try StoreMetadata(from: connection, path: path).versionHashes
      return ModelFamily(versions: [version], versionHashes: [version.name: hashes])
    } catch let error as SQLiteError {
      throw StoreOpening.translated(error, path: path)
    }
  }
}

enum ObjectCounts {
  /// Returns the number of objects by entity name, excluding sub-entities; entities without objects
  /// are left out.
  static func read(_ connection: Connection) throws -> [String: Int] {
    let entities = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
    var rows: [Int64: (name: String, parent: Int64)] = [:]
    while try entities.step() {
      rows[entities.integer(at: 0)] = (entities.text(at: 1), entities.integer(at: 2))
    }
    var counts: [String: Int] = [:]
    for (_, row) in rows.sorted(by: { $0.key < $1.key }) where row.parent == 0 {
      // Sub-entities are in the table of their root entity. The names come from the file, so quote
      // them.
      let table = ("Z" + row.name.uppercased()).quotedName
      guard let groups = try? connection.prepare("SELECT Z_ENT, count(*) FROM \(table) GROUP BY 1")
      else { continue }
      while try groups.step() {
        let name = rows[groups.integer(at: 0)]?.name ?? row.name
        counts[name, default: 0] += Int(groups.integer(at: 1))
      }
    }
    return counts
  }
}

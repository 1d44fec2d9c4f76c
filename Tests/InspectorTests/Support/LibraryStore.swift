import DataModel
import Inspector
import PersistentStore
import SQLite
import TestSupport

/// A small store with inheritance, an ordered relationship, a many-to-many relationship, a unique
/// constraint, external storage and history.
struct LibraryStore {
  let folder: TemporaryFolder
  let file: StoreFile

  static let model = Model(
    entities: [
      Entity(
        name: "Work",
        isAbstract: true,
        attributes: [
          Attribute(name: "id", type: .uuid),
          Attribute(name: "title", type: .string, preservesValueOnDeletion: true),
          Attribute(name: "added", type: .date),
        ],
        relationships: [
          Relationship(name: "shelf", destination: "Shelf", inverse: "works"),
          Relationship(name: "tags", destination: "Tag", inverse: "works", isToMany: true),
        ]
      ),
      Entity(
        name: "Book",
        superentity: "Work",
        attributes: [
          Attribute(name: "pages", type: .integer32), Attribute(name: "price", type: .decimal),
          Attribute(name: "isRead", type: .boolean),
        ]
      ),
      Entity(
        name: "Film",
        superentity: "Work",
        attributes: [
          Attribute(name: "poster", type: .binary, allowsExternalStorage: true),
          Attribute(name: "rating", type: .double),
        ]
      ),
      Entity(
        name: "Shelf",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(
            name: "works",
            destination: "Work",
            inverse: "shelf",
            isToMany: true,
            isOrdered: true,
            deleteRule: .cascade
          )
        ]
      ),
      Entity(
        name: "Tag",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "works", destination: "Work", inverse: "tags", isToMany: true)
        ],
        uniquenessConstraints: [["name"]]
      ),
      Entity(name: "Wish", attributes: [Attribute(name: "text", type: .string)]),
    ],
    versionIdentifiers: ["1.0.0"],
    configurations: ["default": ["Book", "Film", "Shelf", "Tag", "Wish", "Work"]]
  )

  static let layout = StoreLayout(model: model, keepsHistory: true)

  /// Makes the store; with `keepsWAL`, the last save remains in the -wal file.
  init(works: Int = 24, keepsWAL: Bool = false, name: String = "library.sqlite") throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder.file(name))
    let options = PersistentStore.Options(
      settings: ConnectionSettings(synchronous: .off),
      seed: 11,
      keepsHistory: true
    )
    let store = try PersistentStore.create(at: file.path, model: Self.model, options: options)
    if keepsWAL { try store.connection.keepWAL() }
    let context = try ObjectContext(
      store: store,
      behaviours: StoreBehaviours(externalStorageThreshold: 200)
    )
    try Self.fill(context, works: works)
    // The objects and the context retain each other; resetting the context releases them and
    // closes the connection.
    context.reset()
    if !keepsWAL { try store.connection.checkpoint() }
  }

  /// Surveys the store, whose files are removed when this value is released.
  func survey() throws -> StoreSurvey {
    defer { withExtendedLifetime(folder) {} }
    return try StoreSurveyor(file).survey()
  }

  private static func fill(_ context: ObjectContext, works: Int) throws {
    let tags = try ["fiction", "history", "music"].map { name in
      let tag = try context.insert("Tag")
      try tag.setValue(.text(name), of: "name")
      return tag
    }
    let shelves = try (0..<3).map { number in
      let shelf = try context.insert("Shelf")
      try shelf.setValue(.text("Shelf \(number)"), of: "name")
      return shelf
    }
    var made: [ManagedObject] = []
    for number in 0..<works {
      let work = try insertWork(number, context)
      try shelves[number % 2].add(work, to: "works")
      if number % 3 > 0 { try work.add(tags[number % 3], to: "tags") }
      made.append(work)
    }
    try context.save()
    try made[0].setValue(.text("A new title"), of: "title")
    try context.save()
    if works > 4 { try context.delete(made[3]) }
    try context.save()
  }

  private static func insertWork(_ number: Int, _ context: ObjectContext) throws -> ManagedObject {
    let work = try context.insert(number.isMultiple(of: 2) ? "Book" : "Film")
    let id = IdentifierSource(seed: UInt64(number)).nextBytes()
    try work.setValue(.blob(id), of: "id")
    try work.setValue(.text("Work number \(number)"), of: "title")
    try work.setValue(.real(700_000_000.5 + Double(number) * 86_400), of: "added")
    if number.isMultiple(of: 2) {
      try work.setValue(.integer(Int64(100 + number * 10)), of: "pages")
      try work.setValue(.integer(Int64(number % 4 / 2)), of: "isRead")
    } else {
      try work.setValue(.real(Double(number) / 7), of: "rating")
      let size = number % 4 == 1 ? 90 : 900
      try work.setValue(
        .blob([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)),
        of: "poster"
      )
    }
    return work
  }

  /// Runs SQL on the store, as another program would.
  func change(_ statements: String...) throws {
    let connection = try Connection(path: file.path, mode: .readWrite, settings: nil)
    try connection.executeScript(statements)
    try connection.checkpoint()
  }
}

extension Connection {
  /// Keeps later writes in the -wal file, even after the connection is closed.
  func keepWAL() throws {
    try execute("PRAGMA wal_autocheckpoint=0")
    keepWALAtClose()
  }
}

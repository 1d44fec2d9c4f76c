#if GRDB
  import DataModel
  import Foundation
  import GRDB
  import PersistentStore

  /// A task as a Swift developer writes it down for GRDB: a struct with typed properties, decoded by
  /// position, which is GRDB's fastest way.
  struct TaskRecord: FetchableRecord, TableRecord {
    static let entity = "Task"
    /// In the byte order of their names.
    private static let attributes: [(name: String, type: AttributeType)] = [
      ("completedAt", .date), ("createdAt", .date), ("details", .string),
      ("estimatedMinutes", .integer16), ("id", .uuid), ("isCompleted", .boolean),
      ("isFlagged", .boolean), ("modifiedAt", .date), ("progress", .double),
      ("sortOrder", .integer32), ("title", .string),
    ]
    static let shape = ObjectDigest.Shape(entity: entity, properties: attributes.map(\.name))
    static let databaseTableName = "ZTASK"
    /// In the order in which a record is decoded, the key first.
    static let columns = [
      "Z_PK", "ZCOMPLETEDAT", "ZCREATEDAT", "ZDETAILS", "ZESTIMATEDMINUTES", "ZID", "ZISCOMPLETED",
      "ZISFLAGGED", "ZMODIFIEDAT", "ZPROGRESS", "ZSORTORDER", "ZTITLE", "ZCATEGORY", "ZPROJECT",
    ]
    static var databaseSelection: [any SQLSelectable] { columns.map { GRDB.Column($0) } }

    let key: Int64
    let completedAt: Double?
    let createdAt: Double
    let details: String?
    let estimatedMinutes: Int64?
    let id: UUID
    let isCompleted: Bool
    let isFlagged: Bool
    let modifiedAt: Double?
    let progress: Double
    let sortOrder: Int64
    let title: String
    let category: Int64?
    let project: Int64?

    init(row: Row) throws {
      key = try row.decode(atIndex: 0)
      completedAt = try row.decode(atIndex: 1)
      createdAt = try row.decode(atIndex: 2)
      details = try row.decode(atIndex: 3)
      estimatedMinutes = try row.decode(atIndex: 4)
      id = try row.decode(atIndex: 5)
      isCompleted = try row.decode(atIndex: 6)
      isFlagged = try row.decode(atIndex: 7)
      modifiedAt = try row.decode(atIndex: 8)
      progress = try row.decode(atIndex: 9)
      sortOrder = try row.decode(atIndex: 10)
      title = try row.decode(atIndex: 11)
      category = try row.decode(atIndex: 12)
      project = try row.decode(atIndex: 13)
    }

    /// Whether an entity has these very attributes.
    static func fits(_ entity: Entity) -> Bool {
      let stored = entity.attributes.filter { !$0.isTransient }
      return entity.name == Self.entity && entity.superentity == nil
        && stored.count == attributes.count
        && attributes.allSatisfy { known in
          stored.contains {
            $0.name == known.name && $0.type == known.type && !$0.allowsExternalStorage
          }
        }
    }

    /// The digest of all attributes, in the byte order of their names.
    var digest: UInt64 {
      var digest = ObjectDigest(Self.shape, key: key)
      func add(date seconds: Double?) {
        // The store keeps whole seconds as integers.
        if let seconds { digest.add(numeric: seconds) } else { digest.addNull() }
      }
      add(date: completedAt)
      add(date: createdAt)
      if let details { digest.add(details) } else { digest.addNull() }
      if let estimatedMinutes { digest.add(estimatedMinutes) } else { digest.addNull() }
      withUnsafeBytes(of: id.uuid) { digest.add(blob: $0) }
      digest.add(isCompleted ? 1 : 0 as Int64)
      digest.add(isFlagged ? 1 : 0 as Int64)
      add(date: modifiedAt)
      digest.add(progress)
      digest.add(sortOrder)
      digest.add(title)
      return digest.value
    }
  }
#endif

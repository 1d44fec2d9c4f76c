import Basics
import DataModel
import Foundation
import PersistentStore

/// Writes a store's file page by page, without SQLite.
///
/// The file has the same records in the same order as a file that ``SQLStoreWriter`` writes. The
/// number of threads does not affect the file's bytes.
package struct BulkStoreWriter: StoreWriter {
  /// The version of the rules for chunks and pages; with the recipe, they determine the file's
  /// bytes.
  private static let version = 1
  package static let defaultMemory = 448 << 20

  private let threads: Int
  private let memory: Int
  /// The approximate size of a chunk's rows and files in bytes.
  ///
  /// A different size leads to a file with different bytes.
  private let chunkBytes: Int
  private let pageSize: Int

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - threads: The number of threads; default: one per core.
  ///   - memory: The memory limit in bytes; sorted keys that exceed it go to a temporary file next
  ///     to the store.
  ///   - chunkBytes: The approximate size of a chunk in bytes; it affects the file's bytes.
  ///   - pageSize: The page size in bytes.
  package init(
    threads: Int? = nil,
    memory: Int = defaultMemory,
    chunkBytes: Int = 8 << 20,
    pageSize: Int = StorePage.standardSize
  ) {
    self.pageSize = pageSize
    self.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
    self.memory = memory
    self.chunkBytes = chunkBytes
  }

  package var identity: String { "bulk \(Self.version)" + StorePage.identity(of: pageSize) }

  /// Whether the writer supports a model.
  ///
  /// R-tree indexes, partial indexes and indexes on `self` require SQLite.
  package static func canWrite(_ model: Model) -> Bool {
    !model.entities.contains { entity in
      entity.fetchIndexes.contains { index in
        index.partialPredicate != nil
          || index.elements.contains { $0.kind == .rTree || $0.property == "self" }
      }
    }
  }

  /// Writes the store; uses SQLite for models that ``canWrite(_:)`` rejects.
  package func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws {
    guard Self.canWrite(contents.dataset.recipe.model) else {
      return try SQLStoreWriter(pageSize: pageSize).write(contents, to: file, progress: progress)
    }
    var plan = Plan(contents, store: file, chunkBytes: chunkBytes, pageSize: pageSize)
    for part in contents.dataset.layout.schema { try plan.add(part) }
    let rowCount = plan.rowCount
    let writer = BulkWriter(
      plan: plan.database,
      threads: threads,
      // Subtract the memory already in use, which includes the tables that map children to parents.
      memory: max(memory - Self.residentMemory, 0),
      temporaryFolder: file.folder
    )
    try writer.write(to: file.path) { bulk in
      progress(GenerationProgress(table: bulk.item, done: bulk.rows, total: rowCount))
    }
  }

  /// The resident memory of this process in bytes; 0 if the system has no `/proc`.
  private static var residentMemory: Int {
    // See proc_pid_statm(5): the second number is the count of resident pages.
    let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = numbers.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

extension BulkStoreWriter {
  /// The tables and indexes of a store's file with their contents, in the order in which SQLite
  /// would have created them.
  private struct Plan {
    private let generated: [String: StoreContents.Table]
    private let system: [String: SystemRows.Table]
    private let store: StoreFile
    private let chunkBytes: Int
    private let pageSize: Int
    private let pageUse: PageUse
    private var items: [DatabasePlan.Item] = []
    private(set) var rowCount = 0
    private var columns: [String: [String]] = [:]

    init(_ contents: StoreContents, store: StoreFile, chunkBytes: Int, pageSize: Int) {
      self.store = store
      self.pageSize = pageSize
      self.chunkBytes = chunkBytes
      pageUse = contents.dataset.recipe.pageUse ?? PageUse()
      generated = Dictionary(keepingFirst: contents.tables.map { ($0.name, $0) })
      let rows = contents.systemRows
      system = Dictionary(keepingFirst: rows.tables.map { ($0.name, $0) })
    }

    var database: DatabasePlan {
      var plan = DatabasePlan(items: items)
      plan.freeShare = pageUse.free
      plan.pageSize = pageSize
      return plan
    }

    mutating func add(_ part: SchemaPart) throws {
      switch part {
      case .index(let index):
        try add(
          index.name,
          on: index.table,
          index.columns.map { ($0.name, $0.direction == .descending) },
          isUnique: index.isUnique,
          sql: index.sql
        )
      case .table(let table):
        columns[table.name] = table.columns.map(\.name)
        let plan = TablePlan(
          name: table.name,
          sql: table.sql,
          columns: table.columns.map { Affinity(declaredType: $0.type) },
          rowidColumn: table.columns.firstIndex(where: \.isRowid),
          source: try source(of: table),
          fill: pageUse.fill[table.name]
        )
        items.append(.table(plan))
        for (number, key) in table.keys.enumerated() {
          try add(
            "sqlite_autoindex_\(table.name)_\(number + 1)",
            on: table.name,
            key.map { ($0, false) },
            isUnique: true,
            sql: nil
          )
        }
      }
    }

    private mutating func add(
      _ name: String,
      on table: String,
      _ columns: [(name: String, isDescending: Bool)],
      isUnique: Bool,
      sql: String?
    ) throws {
      let positions = try columns.map { column in
        guard let position = self.columns[table]?.firstIndex(of: column.name) else {
          throw Refusal.unknownStatement(sql ?? name)
        }
        return IndexPlan.Column(position: position, isDescending: column.isDescending)
      }
      let plan = IndexPlan(
        name: name,
        table: table,
        sql: sql,
        columns: positions,
        isUnique: isUnique,
        fill: pageUse.fill[name]
      )
      items.append(.index(plan))
    }

    private mutating func source(of table: TableDefinition) throws -> any RowSource {
      guard let rows = generated[table.name] else {
        let rows = system[table.name]?.rows ?? []
        rowCount += rows.count
        return FixedRows(rows: rows, rowidColumn: table.columns.firstIndex(where: \.isRowid))
      }
      let names = table.columns.map(\.name)
      guard let declared = TableChunks.DeclaredColumns(values: rows.columns, of: names) else {
        throw Refusal.unknownStatement(table.name)
      }
      let chunks = try TableChunks(rows, columns: declared, store: store, chunkBytes: chunkBytes)
      rowCount += chunks.rowCount
      return chunks
    }
  }
}

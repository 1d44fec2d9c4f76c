import BulkWriter
import DataModel
import Foundation
import PersistentStore

/// Writes a store's file page by page, without SQLite: the same records in the same order as
/// ``SQLStoreWriter`` gives, and the same bytes on any number of threads.
package struct BulkStoreWriter: StoreWriter {
  /// What decides the bytes beside the recipe: the cut into chunks and the layout of pages.
  private static let version = 1
  package static let defaultMemory = 512 << 20

  private let threads: Int
  private let memory: Int
  /// Bytes of rows and their files in a chunk, about; another number gives other bytes.
  private let chunkBytes: Int

  /// Writes with so many threads, one a processor where that is not said, and so many bytes of
  /// memory; sorted keys for which there is none go to a file beside the store.
  package init(threads: Int? = nil, memory: Int = defaultMemory) {
    self.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
    self.memory = memory
    chunkBytes = 8 << 20
  }

  /// The same with smaller chunks, for small stores to have many of them.
  init(threads: Int, chunkBytes: Int) {
    self.threads = threads
    self.chunkBytes = chunkBytes
    memory = Self.defaultMemory
  }

  package var identity: String { "bulk \(Self.version)" }

  /// Whether a model needs what only SQLite makes.
  package static func canWrite(_ model: Model) -> Bool {
    !model.entities.contains { entity in
      entity.fetchIndexes.contains { index in index.elements.contains { $0.kind == .rTree } }
    }
  }

  /// Writes the store; models with R-tree indexes go through SQLite.
  package func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws {
    guard Self.canWrite(contents.dataset.recipe.model) else {
      return try SQLStoreWriter().write(contents, to: file, progress: progress)
    }
    let plan = try StorePlan(contents, store: file, chunkBytes: chunkBytes)
    let writer = BulkWriter(
      plan: plan.database,
      threads: threads,
      // The tables by which children find their parents are there already.
      memory: max(memory - ResidentMemory.bytes, 0),
      temporaryFolder: file.folder
    )
    do {
      try writer.write(to: file.path) { bulk in
        progress(GenerationProgress(table: bulk.item, done: bulk.rows, total: plan.rowCount))
      }
    } catch BulkWriterError.cannotWrite(let path, let reason) {
      throw GeneratorsError.cannotWrite(path: path, reason: reason)
    } catch let failure as FileBytes.Failure {
      throw GeneratorsError.cannotWrite(path: failure.path, reason: failure.reason)
    }
  }
}

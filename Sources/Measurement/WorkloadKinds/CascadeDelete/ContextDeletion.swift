import Measurement
import PersistentStore
import Runner

/// Deletes objects through a context, which follows the delete rules object by object.
struct ContextDeletion {
  /// Roots fetched by one statement, whose text names their keys.
  private static let fetchSize = 500

  let session: CascadeSession
  let rootsPerSave: Int
  let behaviours: StoreBehaviours

  func run(_ recorder: Recorder) throws {
    let context = try ObjectContext(store: session.store, behaviours: behaviours)
    defer {
      recorder.count(context.statistics)
      recorder.count(context.fileCounters)
    }
    let size = rootsPerSave == 0 ? session.keys.count : rootsPerSave
    for start in stride(from: 0, to: session.keys.count, by: size) {
      let keys = session.keys[start..<min(start + size, session.keys.count)]
      try recorder.phase(.phases.delete) { try delete(keys, in: context) }
      try recorder.phase(.phases.save) { try context.save() }
      context.reset()
    }
  }

  private func delete(_ keys: ArraySlice<Int64>, in context: ObjectContext) throws {
    for start in stride(from: keys.startIndex, to: keys.endIndex, by: Self.fetchSize) {
      let some = Array(keys[start..<min(start + Self.fetchSize, keys.endIndex)])
      let found = try context.fetch(FetchRequest(session.root.entity, predicate: .keys(some)))
      for index in 0..<found.count { try context.delete(found.object(at: index)) }
    }
  }
}

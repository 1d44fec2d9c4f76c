import PersistentStore
import Runner

/// Core Data's migration with a mapping model, in the three stages of Apple's "Core Data Model
/// Versioning and Data Migration": objects, relationships, then validation and a single save.
///
/// Like `NSMigrationManager`, it keeps both contexts with all objects in memory, and remembers the
/// source of each copy. It is an assumption that nothing is released before the save; Apple's guide
/// only recommends several mapping models for large stores.
struct HeavyweightMigration {
  let source: ContextSource
  let target: ObjectContext
  let policy: MissingValuePolicy
  let recorder: Recorder

  func run() throws {
    let associations = Associations(source)
    let sink = SingleSaveSink(context: target, unique: nil)
    try recorder.phase(.migration.objectPass) {
      try associations.forEachObject { carried in
        if let object = policy(carried) { try sink.insert(object) }
      }
    }
    try recorder.phase(.migration.relationshipPass) {
      try associations.forEachLinks { links in
        if !policy.isSkipped(links) { try sink.relate(links) }
      }
    }
    // A save validates every object before it writes any.
    try recorder.phase(.migration.validationPass) { try sink.finish() }
    source.context.reset()
  }
}

private final class Associations: ObjectSource {
  private let source: ContextSource
  private var made: [(object: ManagedObject, copy: CopyPlan.EntityCopy)] = []

  init(_ source: ContextSource) {
    self.source = source
  }

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    for root in source.plan.roots {
      try source.forEachCopy(of: root) { object, copy in
        made.append((object, copy))
        try body(source.values(of: object, in: copy))
      }
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    for (object, copy) in made where !copy.links.isEmpty {
      try body(source.links(of: object, in: copy))
    }
  }
}

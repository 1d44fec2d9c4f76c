import DataModel
import PersistentStore

/// Writes copies through a context that is saved once, with every object in memory until then and
/// found there by its table and key in the source.
final class SingleSaveSink: ObjectSink {
  private let context: ObjectContext
  private let source: StoreLayout
  private let unique: UniqueObjects?
  private var objects: [String: [Int64: ManagedObject]] = [:]

  init(context: ObjectContext, source: StoreLayout, unique: UniqueObjects?) {
    self.context = context
    self.unique = unique
    self.source = source
  }

  func insert(_ carried: CarriedObject) throws {
    objects[table(of: carried.copy), default: [:]][carried.key] =
      try unique?.upsert(carried) ?? context.insert(carried)
  }

  func finishObjects() {}

  func relate(_ links: CarriedLinks) throws {
    guard let object = objects[table(of: links.copy)]?[links.key] else {
      throw ObjectContextError.missingObject(entity: links.copy.source, key: links.key)
    }
    for (link, targets) in zip(links.copy.links, links.targets) {
      for key in targets {
        guard let target = objects[link.targetTable]?[key] else { continue }
        try object.lead(to: target, along: link.destination)
      }
    }
  }

  func finish() throws {
    try context.save()
    context.reset()
  }

  private func table(of copy: CopyPlan.EntityCopy) -> String {
    source.table(of: copy.source)?.name ?? ""
  }
}

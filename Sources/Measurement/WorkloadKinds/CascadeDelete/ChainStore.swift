import DataModel
import PersistentStore

/// Makes the store of a chain by saves of an object context.
struct ChainStore {
  private static let objectsPerSave = 2000

  let parameters: CascadeParameters
  let seed: UInt64

  func make(_ store: PersistentStore) throws {
    let context = try ObjectContext(store: store)
    let blobs = SeededBlobs(seed: seed, size: max(1, parameters.blob))
    var (unsaved, unsavedBytes, leaves) = (0, 0, Int64(0))
    func add(level: Int, number: Int64, under parent: ManagedObject?) throws {
      let object = try context.insert(ChainModel.entity(level))
      try object.setValue(.integer(number), of: "number")
      try object.setValue(.text("node \(level)/\(number)"), of: "name")
      if let parent { try object.setTarget(parent, of: "parent") }
      unsaved += 1
      guard level < parameters.depth else {
        guard parameters.blob > 0 else { return }
        leaves += 1
        unsavedBytes += parameters.blob
        return try object.setValue(.blob(blobs.bytes(of: leaves)), of: "data")
      }
      for child in 0..<Int64(parameters.fanOut) {
        try add(
          level: level + 1,
          number: number * Int64(parameters.fanOut) + child,
          under: object
        )
      }
    }
    for root in 0..<Int64(parameters.roots) {
      try add(level: 0, number: root, under: nil)
      guard unsaved >= Self.objectsPerSave || unsavedBytes > 32 << 20 else { continue }
      try context.save()
      context.reset()
      (unsaved, unsavedBytes) = (0, 0)
    }
    try context.save()
    context.reset()
  }
}

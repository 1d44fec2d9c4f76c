import PersistentStore
import Runner
import SQLite

/// One case's parameters, resolved.
struct BlobParameters: Sendable {
  /// Bytes of all blobs together where the number of objects is left to the kind.
  private static let budget = 16 << 20

  let strategy: BlobStrategy
  let operation: BlobOperation
  let engine: BlobEngineChoice
  let durability: BlobDurability
  /// Bytes of a blob.
  let size: Int
  let objects: Int
  let objectsPerSave: Int
  let batchSize: Int
  let prefetchesBlobs: Bool
  /// Of the objects, how many are changed or deleted.
  let share: Double
  let reads: Int
  /// The entity and the attribute of the workload's own store; empty where the kind chooses.
  let entity: String
  let attribute: String
  private let load: StoreBehaviours.ExternalDataLoad
  private let retention: StoreBehaviours.BatchRetention
  private let threshold: Int

  init(_ values: ParameterValues) {
    strategy = values.choice("strategy") ?? .inline
    operation = values.choice("operation") ?? .insert
    engine = values.choice("engine") ?? .objectGraph
    durability = values.choice("durability") ?? .none
    size = values.integer("size")
    objects = Self.objects(values.integer("objects"), of: values.integer("size"))
    objectsPerSave = max(1, values.integer("objectsPerSave"))
    batchSize = values.integer("batchSize")
    prefetchesBlobs = values.boolean("prefetchBlobs")
    share = values.real("share")
    reads = values.integer("reads")
    entity = values.text("entity")
    attribute = values.text("attribute")
    load = values.choice("externalDataLoad") ?? .onAccess
    retention = values.choice("batchRetention") ?? .current
    threshold = values.integer("externalStorageThreshold")
  }

  private static func objects(_ wanted: Int, of size: Int) -> Int {
    wanted > 0 ? wanted : min(1000, max(8, budget / max(1, size)))
  }

  var totalBytes: Int { objects * size }

  var behaviours: StoreBehaviours {
    StoreBehaviours(
      externalDataLoad: load,
      batchRetention: retention,
      externalStorageThreshold: threshold,
      syncsExternalFiles: durability == .commit
    )
  }

  /// The settings of a connection: the workload's own but for the syncs that durability decides.
  func settings(_ settings: ConnectionSettings) -> ConnectionSettings {
    var settings = settings
    settings.synchronous = durability == .commit ? .full : .off
    return settings
  }

  /// Whether external storage keeps these blobs as files.
  var usesExternalFiles: Bool { strategy == .externalStorage && size > threshold }

  /// The keys of the objects that the operation names, in the order of the work.
  func keys(seed: UInt64) -> [Int64] {
    switch operation {
    case .insert, .readMany, .list: (1...Int64(objects)).map { $0 }
    case .readOne: Array(shuffledKeys(seed: seed).prefix(reads))
    case .update, .updateOther, .delete:
      shuffledKeys(seed: seed).prefix(max(1, Int((Double(objects) * share).rounded()))).sorted()
    }
  }

  /// All keys in an order that the seed decides.
  private func shuffledKeys(seed: UInt64) -> [Int64] {
    var keys = (1...Int64(objects)).map { $0 }
    for index in keys.indices.dropLast() {
      let word = SeededBits.word(seed, 0x6b65_7973, UInt64(index))
      keys.swapAt(index, index + Int(word % UInt64(keys.count - index)))
    }
    return keys
  }
}

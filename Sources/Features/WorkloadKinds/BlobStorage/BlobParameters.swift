import Basics
import PersistentStore
import Runner
import SQLite

struct BlobParameters: ParameterSet {
  @Parameter("where blobs are kept") var strategy = Strategy.inline
  @Parameter("what is done to the objects") var operation = Operation.insert
  @Parameter("an object context, or plain statements, which only read") var engine =
    PlainEngine.objectGraph
  @Parameter(
    "what a commit survives: a crash of the app, or also a loss of power; sets "
      + "'synchronous' and how files are written"
  )
  var durability = Durability.none
  @Parameter(bytes: 1...67_108_864, "size of a blob") var size = 102_400
  @Parameter(
    named: "objects",
    0...1_000_000,
    "number of objects; 0 means 16 MB of blobs, but 8 to 1,000 objects"
  )
  var wantedObjects = 0
  @Parameter(1...100_000, "objects written in one save or transaction") var objectsPerSave = 10
  @Parameter(0.001...1, "share of the objects that is changed or deleted") var share = 0.5
  @Parameter(1...100_000, "number of objects read one by one") var reads = 20
  @Parameter(
    1...1000,
    "how often the objects are read, each time by an empty context and an empty page cache of "
      + "SQLite: short work, done again until it can be timed"
  )
  var passes = 1
  @Parameter(
    named: "prefix",
    bytes: 1...67_108_864,
    "bytes that are read of each blob, as for a thumbnail"
  )
  var prefixBytes = 4096
  @Parameter(0...100_000, "objects in a batch of a fetch; 0 loads all objects with the fetch")
  var batchSize = 0
  @Parameter(
    named: "prefetchBlobs",
    "whether reading many objects prefetches the blobs that are in a separate entity"
  )
  var prefetchesBlobs = true
  @Parameter("when external storage reads a file (assumed)")
  var externalDataLoad = StoreBehaviours.ExternalDataLoad.onAccess
  @Parameter(
    bytes: 0...67_108_864,
    "the largest blob that external storage keeps in the row (assumed)"
  )
  var externalStorageThreshold = 102_400
  @Parameter("which batches stay in memory (assumed)")
  var batchRetention = StoreBehaviours.BatchRetention.current
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""
  @Parameter(.name, "binary attribute that is used for the blob") var attribute = ""

  var irrelevant: Set<ParameterName> {
    let isGraph = engine == .objectGraph
    let walks = isGraph && operation.walksAll
    let relevance = [
      ($engine, operation.readsObjects), ($durability, operation.mayBeDurable),
      ($objectsPerSave, operation.writes), ($share, operation.changesShare),
      ($reads, operation.readsSome), ($passes, operation.readsObjects),
      ($prefixBytes, operation == .readPrefix), ($batchSize, walks),
      ($batchRetention, walks && batchSize > 0),
      ($prefetchesBlobs, isGraph && operation == .readMany && strategy == .separateEntity),
      ($externalStorageThreshold, strategy == .externalStorage),
      ($externalDataLoad, isGraph && operation.readsRows && usesExternalFiles),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? {
    if engine == .bareSQL, operation.writes {
      return "plain SQL only reads blobs: use the engine 'objectGraph'"
    }
    let (bytes, overflow) = wantedObjects.multipliedReportingOverflow(by: size)
    guard overflow || bytes > 64 << 30 else { return nil }
    return "\(wantedObjects) blobs of \(size) B are more than 64 GB: use fewer 'objects' or a "
      + "smaller 'size'"
  }
}

extension BlobParameters {
  /// The total size in bytes of all blobs, from which the number of objects is computed if it is
  /// not given.
  private static let budget = 16 << 20

  var objects: Int {
    wantedObjects > 0 ? wantedObjects : min(1000, max(8, Self.budget / max(1, size)))
  }

  var totalBytes: Int { objects * size }

  /// The relevant parameter values, except those that decide where the blob is stored.
  var valuesBesideStrategy: ParameterValues {
    values.without(irrelevant.union([$strategy, $externalStorageThreshold, $externalDataLoad]))
  }

  var behaviours: StoreBehaviours {
    StoreBehaviours(
      externalDataLoad: externalDataLoad,
      batchRetention: batchRetention,
      externalStorageThreshold: externalStorageThreshold,
      syncsExternalFiles: durability == .commit
    )
  }

  var usesExternalFiles: Bool { strategy == .externalStorage && size > externalStorageThreshold }

  /// The keys of the objects that the operation uses, in the order of their use.
  func keys(seed: UInt64) -> [Int64] {
    switch operation {
    case .insert, .readMany, .list, .copyStore: (1...Int64(objects)).map { $0 }
    case .readOne, .readPrefix: Array(shuffledKeys(seed: seed).prefix(reads))
    case .update, .updateOther, .delete:
      shuffledKeys(seed: seed).prefix(max(1, Int((Double(objects) * share).rounded()))).sorted()
    }
  }

  private func shuffledKeys(seed: UInt64) -> [Int64] {
    var keys = (1...Int64(objects)).map { $0 }
    for index in keys.indices.dropLast() {
      let word = SplitMix64.word(seed, 0x6b65_7973, UInt64(index))
      keys.swapAt(index, index + Int(word % UInt64(keys.count - index)))
    }
    return keys
  }
}

extension BlobParameters {
  enum Strategy: String, CaseIterable, Codable, Sendable {
    /// Keeps the blob in a column of the object's own row.
    case inline
    /// Keeps the blob in a separate row to which a to-one relationship refers.
    case separateEntity
    /// Lets external storage keep the blob in the row or, above a threshold, in a file.
    case externalStorage
    /// Keeps the blob in a file that the app writes, and the file's path in the row.
    case file
  }

  enum Operation: String, CaseIterable, Sendable {
    case insert
    /// Reads some objects with their blobs, looking up each object by its key.
    case readOne
    /// Reads some objects with the first bytes of their blobs, looking up each object by its key.
    case readPrefix
    /// Reads all objects with their blobs in one fetch.
    case readMany
    /// Reads all objects in one fetch, without accessing the blobs.
    case list
    /// Replaces the blobs of a share of the objects.
    case update
    /// Changes an attribute other than the blob for a share of the objects.
    case updateOther
    /// Deletes a share of the objects, then returns the free pages to the file system.
    case delete
    /// Copies the store with all of its files, as for a backup.
    case copyStore

    var writes: Bool { [.insert, .update, .updateOther, .delete].contains(self) }
    /// Whether the durability affects which files are synced.
    var mayBeDurable: Bool { writes || self == .copyStore }
    /// Whether the operation looks up objects one by one.
    var readsSome: Bool { [.readOne, .readPrefix].contains(self) }
    var readsObjects: Bool { readsSome || walksAll }
    var readsRows: Bool { ![.insert, .copyStore].contains(self) }
    var changesShare: Bool { [.update, .updateOther, .delete].contains(self) }
    var walksAll: Bool { [.readMany, .list].contains(self) }
  }

  /// The failures that a commit survives.
  ///
  /// They are the same for rows and for files.
  enum Durability: String, CaseIterable, Sendable {
    /// A crash of the app: nothing is synced.
    case none
    /// A loss of power: the connection uses `synchronous=full`, and files are synced and renamed
    /// before the commit.
    case commit
  }
}

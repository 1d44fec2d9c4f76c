import Basics
import PersistentStore
import Runner
import SQLite

/// The parameters of one case.
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
  /// Bytes of all blobs together where the number of objects is left to the kind.
  private static let budget = 16 << 20

  var objects: Int {
    wantedObjects > 0 ? wantedObjects : min(1000, max(8, Self.budget / max(1, size)))
  }

  var totalBytes: Int { objects * size }

  /// What matters in the case but for where the blob is kept.
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

  /// Whether external storage keeps these blobs as files.
  var usesExternalFiles: Bool { strategy == .externalStorage && size > externalStorageThreshold }

  /// The keys of the objects that the operation names, in the order of the work.
  func keys(seed: UInt64) -> [Int64] {
    switch operation {
    case .insert, .readMany, .list, .copyStore: (1...Int64(objects)).map { $0 }
    case .readOne, .readPrefix: Array(shuffledKeys(seed: seed).prefix(reads))
    case .update, .updateOther, .delete:
      shuffledKeys(seed: seed).prefix(max(1, Int((Double(objects) * share).rounded()))).sorted()
    }
  }

  /// All keys in an order that the seed decides.
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
  /// Where a blob is kept.
  enum Strategy: String, CaseIterable, Codable, Sendable {
    /// A column of the object's own row.
    case inline
    /// A column of a row of its own, which a to-one leads to.
    case separateEntity
    /// The framework's choice: the row or, above a threshold, a file.
    case externalStorage
    /// A file that the app writes, whose path the row holds.
    case file
  }

  /// What is done to the objects.
  enum Operation: String, CaseIterable, Sendable {
    case insert
    /// Some objects, each looked up by its key with its blob.
    case readOne
    /// Some objects, each looked up by its key with the first bytes of its blob.
    case readPrefix
    /// All objects in one fetch, each with its blob.
    case readMany
    /// All objects in one fetch, without looking at a blob.
    case list
    /// New blobs for a share of the objects.
    case update
    /// A new value of another attribute for a share of the objects.
    case updateOther
    /// Deletes a share of the objects, then gives the free pages back.
    case delete
    /// Copies the store with all of its files, for a backup.
    case copyStore

    var writes: Bool { [.insert, .update, .updateOther, .delete].contains(self) }
    /// Whether durability decides what is synced.
    var mayBeDurable: Bool { writes || self == .copyStore }
    /// Whether it looks objects up one by one.
    var readsSome: Bool { [.readOne, .readPrefix].contains(self) }
    /// Whether reading objects is all that it does.
    var readsObjects: Bool { readsSome || walksAll }
    /// Whether rows that are there are read.
    var readsRows: Bool { ![.insert, .copyStore].contains(self) }
    var changesShare: Bool { [.update, .updateOther, .delete].contains(self) }
    var walksAll: Bool { [.readMany, .list].contains(self) }
  }

  /// What a commit outlives, the same for rows and for files.
  enum Durability: String, CaseIterable, Sendable {
    /// No sync of anything: an app's crash.
    case none
    /// A loss of power: `synchronous=full`, and files synced and renamed before the commit.
    case commit
  }
}

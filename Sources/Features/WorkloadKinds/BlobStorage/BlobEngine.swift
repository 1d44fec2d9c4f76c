import Basics
import DataModel
import Foundation
import PersistentStore

/// An object that a case has read.
///
/// Its values are copied out of the row or object, as an app would hold them.
struct BlobReading {
  let key: Int64
  var values: [Value] = []

  /// The digest of the object.
  ///
  /// Do not compute it while the work is timed.
  func digest(_ shape: ObjectDigest.Shape) -> UInt64 {
    var digest = ObjectDigest(shape, key: key)
    for value in values { digest.add(value) }
    return digest.value
  }
}

protocol BlobReader: AnyObject {
  var fileCounters: FileBytes.Counters { get }
  var statistics: ObjectContext.Statistics? { get }

  func readOne(_ key: Int64) throws -> BlobReading
  func readPrefix(_ key: Int64, upTo count: Int) throws -> BlobReading
  func readAll(withBlobs: Bool, _ body: (BlobReading) -> Void) throws
}

extension BlobScenario {
  func noFile(_ key: Int64) -> Refusal {
    Refusal(.caseFailed, "\(entity) \(key) has no file name for its blob")
  }
}

extension Stage<BlobScenario> {
  var appFiles: BlobFiles { files(in: store.file.filesFolder) }
  var externalFiles: BlobFiles { files(in: store.file.externalDataFolder) }

  private func files(in folder: String) -> BlobFiles {
    BlobFiles(
      folder: folder,
      isDurable: content.parameters.durability == .commit,
      identifiers: store.identifiers
    )
  }
}

extension FileBytes.Counters {
  static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.opens += right.opens
    sum.reads += right.reads
    sum.readBytes += right.readBytes
    sum.writes += right.writes
    sum.writeBytes += right.writeBytes
    sum.syncs += right.syncs
    sum.folderSyncs += right.folderSyncs
    sum.renames += right.renames
    sum.deletes += right.deletes
    return sum
  }
}

/// Files that contain one blob each.
///
/// A file is written before the commit that adds a reference to it, and removed only after the
/// commit that removes the last reference.
///
/// These are the app's own files or, if SQL statements read them, the files of external storage.
struct BlobFiles {
  private let folder: String
  private let isDurable: Bool
  private let identifiers: IdentifierSource
  private var bytes = FileBytes()
  private var abandoned: [String] = []
  private var folderExists = false

  init(folder: String, isDurable: Bool, identifiers: IdentifierSource) {
    self.folder = folder
    self.isDurable = isDurable
    self.identifiers = identifiers
  }

  var counters: FileBytes.Counters { bytes.counters }

  mutating func write(_ blob: [UInt8]) throws -> String {
    if !folderExists {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      folderExists = true
    }
    let name = identifiers.next()
    try blob.withUnsafeBytes {
      try bytes.write($0, to: folder + "/" + name, durable: isDurable)
    }
    return name
  }

  mutating func read(_ name: String, upTo limit: Int? = nil) throws -> [UInt8] {
    try bytes.read(folder + "/" + name, upTo: limit)
  }

  /// Remembers a file that rows no longer refer to, so that it is removed after the commit.
  mutating func abandon(_ name: String) {
    abandoned.append(name)
  }

  /// Removes the remembered files that rows no longer refer to.
  ///
  /// As in external storage, removals are not synced: a file that reappears after a loss of power
  /// is an orphan, but no data is lost.
  mutating func didCommit() throws {
    for name in abandoned { try bytes.remove(folder + "/" + name) }
    abandoned.removeAll(keepingCapacity: true)
  }
}

final class ObjectGraphBlobs: BlobReader {
  private let content: BlobScenario
  private let kept: KeptBlob
  private let rows: SeededRow
  private let blobs: SeededBlobs
  private let context: ObjectContext
  private let description: EntityDescription
  /// The slots (indexes among an object's values) of the attributes other than the blob.
  private let slots: [Int]
  private let counterSlot: Int
  /// The slots in the order that the digest requires; a slot is `nil` for the blob.
  private let readSlots: [Int?]
  private var files: BlobFiles

  init(_ stage: Stage<BlobScenario>) throws {
    (content, kept) = (stage.content, stage.content.kept)
    (rows, blobs, files) = (content.rows, content.blobs, stage.appFiles)
    context = try ObjectContext(store: stage.store, behaviours: content.parameters.behaviours)
    description = try context.description(of: content.entity)
    slots = try content.plain.attributes.map { [description] in try description.slot(of: $0.name) }
    counterSlot = try description.slot(of: content.plain.counter)
    readSlots = try content.properties(withBlob: true).map { [content, description] in
      $0 == content.blob ? nil : try description.slot(of: $0)
    }
  }

  var fileCounters: FileBytes.Counters { files.counters + context.fileCounters }
  var statistics: ObjectContext.Statistics? { context.statistics }

  func insert(_ keys: ArraySlice<Int64>) throws {
    for key in keys {
      let object = try context.insert(content.entity)
      for (slot, value) in zip(slots, rows.values(of: key)) {
        try object.setValue(value, at: slot)
      }
      try object.setBlob(.blob(blobs.bytes(of: key)), of: kept, &files)
    }
    try save()
  }

  private func save() throws {
    try context.save()
    try files.didCommit()
    context.reset()
  }

  func forget() { context.reset() }

  func readOne(_ key: Int64) throws -> BlobReading {
    try read(context.object(description, key: key), withBlob: true)
  }

  /// Reads only the first bytes of a blob if they are in the app's own file; otherwise the context
  /// loads the whole attribute.
  func readPrefix(_ key: Int64, upTo count: Int) throws -> BlobReading {
    try read(context.object(description, key: key), withBlob: true, upTo: count)
  }

  func readAll(withBlobs: Bool, _ body: (BlobReading) -> Void) throws {
    let prefetches =
      withBlobs && content.parameters.prefetchesBlobs
      && content.strategy == .separateEntity
    let found = try context.fetch(
      FetchRequest(
        content.entity,
        fetchBatchSize: content.parameters.batchSize,
        relationshipsForPrefetching: prefetches ? [content.blob] : []
      )
    )
    try found.each { body(try read($0, withBlob: withBlobs)) }
  }

  private func read(
    _ object: ManagedObject,
    withBlob: Bool,
    upTo limit: Int? = nil
  ) throws -> BlobReading {
    var result = BlobReading(key: object.key)
    for slot in readSlots {
      if let slot {
        result.values.append(try object.value(at: slot))
      } else if withBlob {
        result.values.append(try blob(of: object, upTo: limit))
      }
    }
    return result
  }

  private func blob(of object: ManagedObject, upTo limit: Int?) throws -> Value {
    let value = try object.blob(of: kept, &files, upTo: limit)
    if value == .null, content.strategy == .file { throw content.noFile(object.key) }
    return value
  }

  func update(_ keys: ArraySlice<Int64>) throws {
    for key in keys {
      let object = context.object(description, key: key)
      try object.setBlob(.blob(blobs.bytes(of: key, version: 1)), of: kept, &files)
    }
    try save()
  }

  func updateOther(_ keys: ArraySlice<Int64>) throws {
    for key in keys {
      try context.object(description, key: key)
        .setValue(rows.counterValue(of: key, version: 1), at: counterSlot)
    }
    try save()
  }

  func delete(_ keys: ArraySlice<Int64>) throws {
    for key in keys {
      let object = context.object(description, key: key)
      if content.strategy == .file, case .text(let name) = try object.value(of: content.blob) {
        files.abandon(name)
      }
      try context.delete(object)
    }
    try save()
  }
}

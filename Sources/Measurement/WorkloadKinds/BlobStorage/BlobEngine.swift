import PersistentStore

/// Carries out the operations of a case, and digests every object that it reads.
protocol BlobEngine: AnyObject {
  /// What was done to files so far.
  var fileCounters: FileBytes.Counters { get }
  /// What was done to objects so far; `nil` where there are none.
  var statistics: ObjectContext.Statistics? { get }

  func insert(_ keys: ArraySlice<Int64>) throws
  func readOne(_ key: Int64) throws -> UInt64
  func readAll(withBlobs: Bool) throws -> ListDigest
  func update(_ keys: ArraySlice<Int64>) throws
  func updateOther(_ keys: ArraySlice<Int64>) throws
  func delete(_ keys: ArraySlice<Int64>) throws
}

/// What both engines work with.
struct BlobWork {
  let parameters: BlobParameters
  let model: BlobModel
  let store: PersistentStore
  let blobs: SeededBlobs
  let rows: SeededRow

  /// The app's own files.
  var appFiles: BlobFiles {
    files(in: store.file.filesFolder)
  }

  func files(in folder: String) -> BlobFiles {
    BlobFiles(
      folder: folder,
      isDurable: parameters.durability == .commit,
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

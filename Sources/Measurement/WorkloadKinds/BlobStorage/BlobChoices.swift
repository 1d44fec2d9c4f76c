/// Where a blob is kept.
enum BlobStrategy: String, CaseIterable, Sendable {
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
enum BlobOperation: String, CaseIterable, Sendable {
  case insert
  /// Some objects, each looked up by its key with its blob.
  case readOne
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

  var writes: Bool { ![.readOne, .readMany, .list].contains(self) }
  var changesShare: Bool { [.update, .updateOther, .delete].contains(self) }
  var walksAll: Bool { [.readMany, .list].contains(self) }
}

/// What a commit outlives, the same for rows and for files.
enum BlobDurability: String, CaseIterable, Sendable {
  /// No sync of anything: an app's crash.
  case none
  /// A loss of power: `synchronous=full`, and files synced and renamed before the commit.
  case commit
}

/// What reaches the rows.
enum BlobEngineChoice: String, CaseIterable, Sendable {
  case objectGraph
  case bareSQL
}

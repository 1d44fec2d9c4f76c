/// The choices that stand for how Apple's frameworks behave, where no log and no file settles it.
package struct StoreBehaviours: Hashable, Sendable {
  /// When a file of external storage is read.
  package enum ExternalDataLoad: String, CaseIterable, Hashable, Sendable {
    case onFetch
    case onAccess
  }

  /// What firing a to-many fault reads: the keys alone, as public logs show
  /// (coredata-format.md, section 13), or the objects' rows with them.
  package enum ToManyFault: String, CaseIterable, Hashable, Sendable {
    case keys
    case rows
  }

  /// Which batches of a batched fetch stay in memory while it is read on.
  package enum BatchRetention: String, CaseIterable, Hashable, Sendable {
    case current
    case all
  }

  package var externalDataLoad: ExternalDataLoad
  package var toManyFault: ToManyFault
  package var batchRetention: BatchRetention
  /// The largest blob, in bytes, that external storage keeps in the row; about 100 kB by the
  /// fixtures (coredata-format.md, section 8), the exact value is assumed.
  package var externalStorageThreshold: Int
  /// Whether external files are synced, with their folder, before the store's commit.
  package var syncsExternalFiles: Bool

  package init(
    externalDataLoad: ExternalDataLoad = .onAccess,
    toManyFault: ToManyFault = .keys,
    batchRetention: BatchRetention = .current,
    externalStorageThreshold: Int = 102_400,
    syncsExternalFiles: Bool = false
  ) {
    self.externalDataLoad = externalDataLoad
    self.toManyFault = toManyFault
    self.batchRetention = batchRetention
    self.externalStorageThreshold = externalStorageThreshold
    self.syncsExternalFiles = syncsExternalFiles
  }
}

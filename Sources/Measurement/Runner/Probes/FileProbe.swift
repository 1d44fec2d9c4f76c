import Foundation
import Measurement
import PersistentStore
import SQLite

/// Reads what was asked of files, and what they took on the disk, since it was made.
struct FileProbe {
  struct Measurements {
    var values: [(metric: Metric, value: Double)]
    /// What a reader must know of `peakDisk`.
    var note: String?
  }

  private let vfs: CountingVFS
  private let trial: Trial
  private let before: VFSReading
  private let bytesBefore: Int64

  /// `nil` where no VFS counts: outside of workers.
  init?(vfs: CountingVFS?, trial: Trial) {
    guard let vfs else { return nil }
    self.vfs = vfs
    self.trial = trial
    bytesBefore = Self.bytes(of: trial)
    vfs.resetPeakDisk()
    before = vfs.reading
  }

  /// The totals and every class of file, then the peak of the disk; exact.
  func measurements() -> Measurements {
    let work = vfs.reading - before
    var values: [(metric: Metric, value: Double)] = []
    values += Self.measurements(of: work.total, as: Metric.vfs)
    for fileClass in FileClass.allCases {
      values += Self.measurements(of: work[fileClass], as: Metric.vfs(of: fileClass.name))
    }
    let bytes = Self.bytes(of: trial)
    let unseen = bytes - bytesBefore - work.diskGrowth
    // Nothing is taken off the peak for what somebody removed unseen.
    let peak = max(bytesBefore + work.peakDiskGrowth, bytes)
    values.append((.peakDisk, Double(peak)))
    guard unseen > 0 else { return Measurements(values: values) }
    return Measurements(
      values: values,
      note: "\(unseen) bytes came to the disk unseen: peakDisk counts them at the end only"
    )
  }

  private static func measurements(
    of files: FileActivity,
    as metrics: VFSMetrics
  ) -> [(metric: Metric, value: Double)] {
    [
      (metrics.opens, files.opens), (metrics.reads, files.reads),
      (metrics.readBytes, files.readBytes), (metrics.writes, files.writes),
      (metrics.writeBytes, files.writeBytes), (metrics.syncs, files.syncs),
      (metrics.truncates, files.truncates), (metrics.deletes, files.deletes),
    ].map { ($0, Double($1)) }
  }

  /// The store and all that the trial makes beside it, but for the index of a WAL, which SQLite
  /// makes below every VFS.
  private static func bytes(of trial: Trial) -> Int64 {
    StoreFile.tree(at: trial.folder).filter { !$0.hasSuffix("-shm") }
      .reduce(trial.store.bytes) { $0 + StoreFile.fileBytes(at: $1) }
  }
}

/// What a counting VFS has seen so far, by class of file.
package struct VFSReading: Hashable, Sendable {
  private var activities: [FileActivity]
  /// Bytes that files have grown by since the VFS was made.
  package var diskGrowth: Int64
  /// The largest `diskGrowth` since the peak was last reset.
  package var peakDiskGrowth: Int64

  init(activities: [FileActivity], diskGrowth: Int64, peakDiskGrowth: Int64) {
    self.activities = activities
    self.diskGrowth = diskGrowth
    self.peakDiskGrowth = peakDiskGrowth
  }

  package subscript(fileClass: FileClass) -> FileActivity { activities[fileClass.rawValue] }

  /// All classes together.
  package var total: FileActivity { activities.reduce(FileActivity(), +) }

  /// What was done between an earlier reading and this one; the peak is that above the earlier.
  package static func - (later: VFSReading, earlier: VFSReading) -> VFSReading {
    VFSReading(
      activities: zip(later.activities, earlier.activities).map { $0 - $1 },
      diskGrowth: later.diskGrowth - earlier.diskGrowth,
      peakDiskGrowth: later.peakDiskGrowth - earlier.diskGrowth
    )
  }
}

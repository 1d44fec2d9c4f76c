/// What the file system says of a file without reading it (POSIX, `stat`).
///
/// Only here is `stat` called: which module owns that name depends on the C headers that other packages
/// import.
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    /// A pipe, a device or a socket: reading it may block or never end.
    case other
  }

  package let kind: Kind
  /// Bytes of the content.
  package let size: Int64
  /// Bytes on the disk: blocks of 512 bytes, whatever the file system's own are.
  package let allocatedBytes: Int64
  /// How many names the file has.
  package let nameCount: Int
  /// Tells the file from all others of its disk.
  package let number: UInt64
  /// Tells the disk from all others.
  package let disk: UInt64
  /// When the content changed last, and when anything about the file did, in nanoseconds since 1970.
  package let contentTime: Int64
  package let changeTime: Int64

  /// `nil`, with the reason in `errno`, where the system does not tell.
  package init?(_ path: String, followingLinks: Bool = true) {
    var status = stat()
    guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// `nil`, with the reason in `errno`, where the system does not tell.
  package init?(ofOpen descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    size = Int64(status.st_size)
    allocatedBytes = Int64(status.st_blocks) * 512
    nameCount = Int(status.st_nlink)
    number = UInt64(status.st_ino)
    disk = UInt64(status.st_dev)
    #if canImport(Darwin)
      let (content, change) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (content, change) = (status.st_mtim, status.st_ctim)
    #endif
    // A file may have any time, such as one of the year 2400.
    contentTime = Int64(content.tv_sec) &* 1_000_000_000 &+ Int64(content.tv_nsec)
    changeTime = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
  }
}

/// A file's metadata from POSIX `stat`.
///
/// Only this file calls `stat`, because the module that declares it varies with the C headers that
/// other packages use.
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    /// A pipe, a device or a socket; a read may block or never end.
    case other
  }

  package let kind: Kind
  /// The content's size in bytes.
  package let size: Int64
  /// The space on disk in bytes; `stat` counts blocks of 512 bytes on every file system.
  package let allocatedBytes: Int64
  /// The number of hard links to the file.
  package let nameCount: Int
  /// The inode number, which identifies the file on its disk.
  package let number: UInt64
  /// The device number, which identifies the disk.
  package let disk: UInt64
  /// The times of the last changes to the content and to the metadata, in nanoseconds since 1970.
  package let contentTime: Int64
  package let changeTime: Int64

  /// Reads the status of a path; returns `nil`, with the reason in `errno`, if the call fails.
  package init?(_ path: String, followingLinks: Bool = true) {
    var status = stat()
    guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the status of an open file; returns `nil`, with the reason in `errno`, if the call
  /// fails.
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
    // Use wrapping arithmetic, because a file's timestamp can be arbitrary.
    contentTime = Int64(content.tv_sec) &* 1_000_000_000 &+ Int64(content.tv_nsec)
    changeTime = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
  }
}

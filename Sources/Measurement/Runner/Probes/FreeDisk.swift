import Basics
import Foundation

/// The room on the disk of a folder, which need not exist yet.
package enum FreeDisk {
  /// Bytes that may be written; `nil` where the system does not tell.
  package static func bytes(at folder: String) -> Int64? {
    var status = statvfs()
    guard statvfs(existing(folder), &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }

  /// A number of the disk; `nil` where the system does not tell.
  static func device(of folder: String) -> UInt64? {
    var status = stat()
    guard stat(existing(folder), &status) == 0 else { return nil }
    return UInt64(status.st_dev)
  }

  private static func existing(_ folder: String) -> String {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while !FileManager.default.fileExists(atPath: url.path), url.path != "/" {
      url = url.deletingLastPathComponent()
    }
    return url.path
  }
}

import Basics
import Foundation
import PersistentStore

/// What the system's page cache holds of a store's files.
///
/// Only file data is dropped: inodes and directory entries stay, and so does what a virtual
/// machine's host caches (sqlite.md, section 4).
package final class PageCache {
  private let store: StoreFile
  /// Closing any descriptor of a file drops SQLite's locks on it
  /// (https://www.sqlite.org/howtocorrupt.html, section 2.2): the main file's stays open.
  private var main: Int32 = -1

  /// Takes hold of a store's files, before anything opens it.
  package init(of store: StoreFile) {
    self.store = store
    main = open(store.path, O_RDONLY)
  }

  deinit {
    if main >= 0 { close(main) }
  }

  /// Reads every file through once.
  package func warm() {
    for path in files { with(path) { Self.readThrough($0) } }
  }

  /// Syncs every file and asks the system to forget it: only clean pages are dropped.
  package func drop() {
    for path in files {
      with(path) { descriptor in
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      }
    }
  }

  /// The share of the files' pages that is in memory; 0 where there is no page.
  package func residentShare() -> Double {
    var (resident, pages) = (0, 0)
    for path in files {
      with(path) { descriptor in
        let found = Self.residency(of: descriptor)
        resident += found.resident
        pages += found.pages
      }
    }
    return pages == 0 ? 0 : Double(resident) / Double(pages)
  }

  private var files: [String] { store.paths.flatMap(StoreFile.files) }

  private func with(_ path: String, _ body: (Int32) -> Void) {
    if path == store.path, main >= 0 {
      body(main)
      return
    }
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return }
    body(descriptor)
    close(descriptor)
  }

  private static func readThrough(_ descriptor: Int32) {
    let size = 1 << 20
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    var offset: off_t = 0
    while true {
      let count = pread(descriptor, buffer, size, offset)
      guard count > 0 else { return }
      offset += off_t(count)
    }
  }

  private static func residency(of descriptor: Int32) -> (resident: Int, pages: Int) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return (0, 0) }
    let (size, pageSize) = (Int(status.st_size), Int(sysconf(Int32(_SC_PAGESIZE))))
    guard size > 0,
      let mapping = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED
    else { return (0, 0) }
    defer { munmap(mapping, size) }
    let pages = (size + pageSize - 1) / pageSize
    var states = [UInt8](repeating: 0, count: pages)
    guard mincore(mapping, size, &states) == 0 else { return (pages, pages) }
    return (states.count { $0 & 1 == 1 }, pages)
  }
}

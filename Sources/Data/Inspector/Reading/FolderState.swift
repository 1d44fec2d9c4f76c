import Basics
import PersistentStore

/// Sizes and times of a store's files, to notice who writes to them meanwhile.
struct FolderState: Equatable {
  private struct Entry: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private let entries: [Entry?]

  init(of store: StoreFile) {
    entries = [store.path, store.wal, store.journal].map { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return Entry(size: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
  }
}

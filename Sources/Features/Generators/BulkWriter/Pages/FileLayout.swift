import Basics

/// Assigns the pages of a file in order.
///
/// Used only by the thread whose turn it is (see ``ThreadPool``).
final class FileLayout {
  let geometry: PageGeometry
  let file: DatabaseFile
  let map: PointerMap
  /// Page 1, which is written last.
  let firstPage: UnsafeMutableRawPointer
  var next: Int

  init(geometry: PageGeometry, file: DatabaseFile, rootCount: Int) {
    self.geometry = geometry
    self.file = file
    map = PointerMap(geometry: geometry, file: file)
    firstPage = .allocate(byteCount: geometry.pageSize, alignment: 16)
    next = rootCount + 1
  }

  deinit {
    firstPage.deallocate()
  }

  var pageCount: Int { geometry.page(next - 1) }

  func write(_ page: Int, from memory: UnsafeRawPointer) throws {
    if page == 1 {
      firstPage.copyMemory(from: memory, byteCount: geometry.pageSize)
    } else {
      try file.write(memory, count: geometry.pageSize, at: (page - 1) * geometry.pageSize)
    }
  }
}

/// The page numbers of a file, and the part of a cell that is stored on its page
/// (https://www.sqlite.org/fileformat2.html).
///
/// Data pages are counted by *ordinal*: page 1 has ordinal 0; pointer-map pages and the lock-byte
/// page have no ordinal.
struct PageGeometry: Hashable, Sendable {
  let pageSize: Int
  let lockPage: Int
  let entriesPerMap: Int

  init(pageSize: Int, lockBytePosition: Int) {
    self.pageSize = pageSize
    lockPage = lockBytePosition / pageSize + 1
    entriesPerMap = pageSize / 5
  }

  func page(_ ordinal: Int) -> Int {
    let page = unlocked(ordinal)
    return page < lockPage ? page : unlocked(ordinal + 1)
  }

  private func unlocked(_ ordinal: Int) -> Int {
    ordinal == 0 ? 1 : ordinal + 2 + (ordinal - 1) / entriesPerMap
  }

  func mapPage(of page: Int) -> Int {
    let map = (page - 2) / (entriesPerMap + 1) * (entriesPerMap + 1) + 2
    return map == lockPage ? map + 1 : map
  }

  func entries(ofMap map: Int) -> Int {
    // The lock-byte page, which has no entry, is either directly before the map page (which it
    // displaced) or among the pages that the map describes.
    let reach = lockPage == map - 1 && mapPage(of: lockPage) == map ? map - 1 : map
    return (reach...reach + entriesPerMap).contains(lockPage) ? entriesPerMap - 1 : entriesPerMap
  }

  // MARK: Cell sizes

  var tableLocalMaximum: Int { pageSize - 35 }

  var indexLocalMaximum: Int { (pageSize - 12) * 64 / 255 - 23 }

  /// The number of payload bytes on the cell's page; the rest goes to overflow pages.
  func localSize(of payload: Int, maximum: Int) -> Int {
    guard payload > maximum else { return payload }
    let minimum = (pageSize - 12) * 32 / 255 - 23
    let local = minimum + (payload - minimum) % overflowSize
    return local <= maximum ? local : minimum
  }

  var overflowSize: Int { pageSize - 4 }
}

struct Placement {
  let geometry: PageGeometry
  let file: DatabaseFile
  let base: Int

  func page(_ ordinal: Int) -> Int { geometry.page(base + ordinal) }

  /// Writes consecutive pages of the chunk, with one call for each stretch without gaps in the
  /// file.
  func write(_ ordinals: Range<Int>, from memory: UnsafeRawPointer) throws {
    let size = geometry.pageSize
    var start = ordinals.lowerBound
    while start < ordinals.upperBound {
      let first = page(start)
      var end = start + 1
      while end < ordinals.upperBound, page(end) == first + end - start { end += 1 }
      try file.write(
        memory + (start - ordinals.lowerBound) * size,
        count: (end - start) * size,
        at: (first - 1) * size
      )
      start = end
    }
  }
}

/// The purpose of each page in an auto-vacuum database, and the page that refers to it.
final class PointerMap {
  enum Entry {
    case root
    case free
    case firstOverflow(owner: Int)
    case laterOverflow(previous: Int)
    case child(parent: Int)

    fileprivate var bytes: (kind: UInt8, parent: Int) {
      switch self {
      case .root: (1, 0)
      case .free: (2, 0)
      case .firstOverflow(let owner): (3, owner)
      case .laterOverflow(let previous): (4, previous)
      case .child(let parent): (5, parent)
      }
    }
  }

  private struct Page {
    let memory: UnsafeMutableRawPointer
    var missing: Int
  }

  private let geometry: PageGeometry
  private let file: DatabaseFile
  private var pages: [Int: Page] = [:]

  init(geometry: PageGeometry, file: DatabaseFile) {
    self.geometry = geometry
    self.file = file
  }

  deinit {
    for page in pages.values { page.memory.deallocate() }
  }

  func set(_ page: Int, _ entry: Entry) throws {
    let map = geometry.mapPage(of: page)
    var target = pages[map] ?? makePage(map)
    let (kind, parent) = entry.bytes
    let offset = 5 * (page - map - 1)
    target.memory.storeBytes(of: kind, toByteOffset: offset, as: UInt8.self)
    target.memory.storePage(parent, at: offset + 1)
    target.missing -= 1
    pages[map] = target
    if target.missing == 0 {
      try write(map, target)
      pages[map] = nil
    }
  }

  func finish() throws {
    for map in pages.keys.sorted() {
      if let page = pages.removeValue(forKey: map) { try write(map, page) }
    }
  }

  private func makePage(_ map: Int) -> Page {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize)
    return Page(memory: memory, missing: geometry.entries(ofMap: map))
  }

  private func write(_ map: Int, _ page: Page) throws {
    defer { page.memory.deallocate() }
    try file.write(page.memory, count: geometry.pageSize, at: (map - 1) * geometry.pageSize)
  }
}

/// A file that is written and read at given offsets, from any thread.
final class DatabaseFile: Sendable {
  let path: String
  private let descriptor: Int32

  init(creating path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
  }

  init(temporaryIn folder: String) throws {
    path = folder + "/keys"
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
    unlink(path)
  }

  deinit {
    close(descriptor)
  }

  func write(_ source: UnsafeRawPointer, count: Int, at offset: Int) throws {
    var done = 0
    while done < count {
      let written = pwrite(descriptor, source + done, count - done, off_t(offset + done))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.cannotWrite(path) }
      done += written
    }
  }

  func read(into target: UnsafeMutableRawPointer, count: Int, at offset: Int) throws {
    var done = 0
    while done < count {
      let found = pread(descriptor, target + done, count - done, off_t(offset + done))
      if found < 0, errno == EINTR { continue }
      guard found > 0 else {
        let reason = found == 0 ? "it ends early" : System.errorText()
        throw Refusal(.failedIO, "cannot read '\(path)': \(reason)")
      }
      done += found
    }
  }

  func resize(to count: Int) throws {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw Self.cannotWrite(path) }
  }

  private static func cannotWrite(_ path: String) -> Refusal {
    .cannotWrite(path)
  }
}

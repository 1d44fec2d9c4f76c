/// What each page of an auto-vacuum database is for, and which page refers to it.
final class PointerMap {
  enum Entry {
    case root
    case firstOverflow(owner: Int)
    case laterOverflow(previous: Int)
    case child(parent: Int)

    fileprivate var bytes: (kind: UInt8, parent: Int) {
      switch self {
      case .root: (1, 0)
      case .firstOverflow(let owner): (3, owner)
      case .laterOverflow(let previous): (4, previous)
      case .child(let parent): (5, parent)
      }
    }
  }

  /// A map page that still waits for entries.
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

  /// Sets the entry of a page, once; a map page is written as soon as it has all of its own.
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

  /// Writes the pages that the file's end leaves with fewer entries.
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

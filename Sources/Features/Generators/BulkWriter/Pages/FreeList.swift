/// The unused pages of a database file (https://www.sqlite.org/fileformat2.html#the_freelist).
struct FreeList {
  /// The number of the list's first page; 0 if there are no unused pages.
  private(set) var firstTrunk = 0
  private(set) var count = 0

  /// Appends unused pages to a file until they make up the given share of its pages.
  init(appending share: Double, to layout: FileLayout) throws {
    count = Int((Double(layout.next) * share / (1 - share)).rounded())
    guard count > 0 else { return }
    let pages = (0..<count).map { layout.geometry.page(layout.next + $0) }
    layout.next += count
    firstTrunk = pages[0]
    // SQLite leaves the last six entries of a trunk page unused.
    let group = layout.geometry.pageSize / 4 - 7
    for start in stride(from: 0, to: count, by: group) {
      let end = min(start + group, count)
      try write(pages[start..<end], next: end < count ? pages[end] : 0, to: layout)
    }
  }

  private func write(_ pages: ArraySlice<Int>, next: Int, to layout: FileLayout) throws {
    let size = layout.geometry.pageSize
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    for page in pages.dropFirst() { try layout.write(page, from: memory) }
    memory.storePage(next)
    memory.storePage(pages.count - 1, at: 4)
    for (place, page) in pages.dropFirst().enumerated() {
      memory.storePage(page, at: 8 + 4 * place)
    }
    for page in pages.prefix(1) { try layout.write(page, from: memory) }
    for page in pages { try layout.map.set(page, .free) }
  }
}

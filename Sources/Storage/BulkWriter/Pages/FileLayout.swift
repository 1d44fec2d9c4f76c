/// Hands out the pages of a file in order.
///
/// Used by one thread at a time: the one whose turn it is.
final class FileLayout {
  let geometry: PageGeometry
  let file: DatabaseFile
  let map: PointerMap
  /// Page 1, written last.
  let firstPage: UnsafeMutableRawPointer
  /// The ordinal of the next page.
  var next: Int

  /// Lays a file out behind page 1 and the roots.
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

  /// The number of the file's pages.
  var pageCount: Int { geometry.page(next - 1) }

  func write(_ page: Int, from memory: UnsafeRawPointer) throws {
    if page == 1 {
      firstPage.copyMemory(from: memory, byteCount: geometry.pageSize)
    } else {
      try file.write(memory, count: geometry.pageSize, at: (page - 1) * geometry.pageSize)
    }
  }
}

/// Which page numbers hold data, and how much of a cell a page holds
/// (https://www.sqlite.org/fileformat2.html).
///
/// Pages of data are counted by their *ordinal*: page 1 has ordinal 0; pointer-map pages and the
/// page of the lock bytes have none.
struct PageGeometry: Hashable, Sendable {
  let pageSize: Int
  let lockPage: Int
  /// Pages that one pointer-map page describes.
  let entriesPerMap: Int

  init(pageSize: Int, lockBytePosition: Int) {
    self.pageSize = pageSize
    lockPage = lockBytePosition / pageSize + 1
    entriesPerMap = pageSize / 5
  }

  /// The number of the page with an ordinal.
  func page(_ ordinal: Int) -> Int {
    let page = unlocked(ordinal)
    return page < lockPage ? page : unlocked(ordinal + 1)
  }

  /// The same for a file without lock bytes.
  private func unlocked(_ ordinal: Int) -> Int {
    ordinal == 0 ? 1 : ordinal + 2 + (ordinal - 1) / entriesPerMap
  }

  /// The pointer-map page that describes a page.
  func mapPage(of page: Int) -> Int {
    let map = (page - 2) / (entriesPerMap + 1) * (entriesPerMap + 1) + 2
    return map == lockPage ? map + 1 : map
  }

  /// The number of pages with an entry in a pointer-map page that is full.
  func entries(ofMap map: Int) -> Int {
    // The page of the lock bytes has none, wherever it lies: before a map that had to give way
    // to it, or among the pages described.
    let reach = lockPage == map - 1 && mapPage(of: lockPage) == map ? map - 1 : map
    return (reach...reach + entriesPerMap).contains(lockPage) ? entriesPerMap - 1 : entriesPerMap
  }

  // MARK: Cells

  /// The largest payload that a leaf of a table holds whole.
  var tableLocalMaximum: Int { pageSize - 35 }

  /// The largest payload that a page of an index holds whole.
  var indexLocalMaximum: Int { (pageSize - 12) * 64 / 255 - 23 }

  /// The bytes of a payload that stay on the page when the rest goes to overflow pages.
  func localSize(of payload: Int, maximum: Int) -> Int {
    guard payload > maximum else { return payload }
    let minimum = (pageSize - 12) * 32 / 255 - 23
    let local = minimum + (payload - minimum) % overflowSize
    return local <= maximum ? local : minimum
  }

  /// The payload that an overflow page holds.
  var overflowSize: Int { pageSize - 4 }
}

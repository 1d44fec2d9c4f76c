import PersistentStore
import SQLite

/// Examines a store's pages with SQLite's dbstat (https://www.sqlite.org/dbstat.html).
struct PageScan {
  struct Leaves {
    let pages: Int
    let cells: Int
    /// The share of the leaf pages' bytes that is in use.
    let share: Double
    /// Half a cell as a share of a page: the average space that stays free because the next cell
    /// does not fit.
    let rounding: Double

    /// The share in use, not counting the last leaf, which is expected to be half full.
    var shareInside: Double { share * Double(pages) / (Double(pages) - 0.5) }
  }

  private static let fewestLeaves = 6
  private static let fewestFree = 8
  /// The percentage in use at or above which leaves count as full; leaves that were written in
  /// order reach this percentage.
  private static let full = 97

  let leaves: [String: Leaves]
  let free: Double

  /// Fails if SQLite is built without dbstat or if a page cannot be read.
  init?(_ content: StoreContent) {
    guard Library.compileOptions.contains("ENABLE_DBSTAT_VTAB") else { return nil }
    do {
      try self.init(reading: content)
    } catch {
      return nil
    }
  }

  static func both(_ first: StoreContent, _ second: StoreContent) -> (PageScan, PageScan)? {
    guard let left = PageScan(first), let right = PageScan(second) else { return nil }
    return (left, right)
  }

  private init(reading content: StoreContent) throws {
    let connection = content.connection
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    self.free = free < Self.fewestFree ? 0 : Double(free) / Double(max(pages, 1))
    // Ignore tables that do not belong to the model.
    let known = content.layout.schema.flatMap(\.names)
    var leaves: [String: Leaves] = [:]
    let row = try connection.prepare(
      "SELECT name, count(*), sum(ncell), sum(pgsize), sum(unused) FROM dbstat "
        + "WHERE pagetype = 'leaf' GROUP BY name"
    )
    while try row.step() {
      let (count, cells) = (Int(row.integer(at: 1)), Int(row.integer(at: 2)))
      let (bytes, unused) = (Double(row.integer(at: 3)), Double(row.integer(at: 4)))
      guard count >= Self.fewestLeaves, cells > 0, known.contains(row.text(at: 0)) else { continue }
      leaves[row.text(at: 0)] = Leaves(
        pages: count,
        cells: cells,
        share: (bytes - unused) / bytes,
        rounding: (bytes - unused) / Double(cells) / (bytes / Double(count)) / 2
      )
    }
    self.leaves = leaves
  }

  /// The part of the scan that a profile contains: tables and indexes with at least `k` cells, the
  /// profile's minimum group size.
  ///
  /// Returns `nil` if all pages are full.
  func use(k: Int) -> PageUse? {
    var use = PageUse(free: (free * 1000).rounded() / 1000)
    for (name, leaves) in leaves where leaves.cells >= k {
      let percent = Int(((leaves.shareInside + leaves.rounding) * 100).rounded())
      if percent < Self.full { use.fill[name] = max(percent, 1) }
    }
    return use == PageUse() ? nil : use
  }
}

extension SchemaPart {
  fileprivate var names: [String] {
    switch self {
    case .index(let index): [index.name]
    case .table(let table):
      [table.name] + table.keys.indices.map { "sqlite_autoindex_\(table.name)_\($0 + 1)" }
    }
  }
}

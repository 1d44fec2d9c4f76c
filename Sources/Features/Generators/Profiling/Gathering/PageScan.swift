import PersistentStore
import SQLite

/// Looks at a store's pages by SQLite's own dbstat (https://www.sqlite.org/dbstat.html).
struct PageScan {
  /// The leaves of a table or an index.
  struct Leaves {
    let pages: Int
    let cells: Int
    /// The used share of their bytes.
    let share: Double
    /// Half a cell as a share of a page: so much stays free where the next cell is too large.
    let rounding: Double

    /// The used share without the last leaf, of which half is expected to be free.
    var shareInside: Double { share * Double(pages) / (Double(pages) - 0.5) }
  }

  private static let fewestLeaves = 6
  private static let fewestFree = 8
  /// Percent that a leaf written in order is used by at least.
  private static let full = 97

  let leaves: [String: Leaves]
  /// The share of the file's pages that are free.
  let free: Double

  /// `nil` where this SQLite has no dbstat, or the pages cannot all be read.
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
    // Other tables are not the model's.
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

  /// What a profile shows of it, by leaves with at least k cells; `nil` where all pages are full.
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
  /// The names of what it makes, with the indexes that SQLite makes for a table's keys.
  fileprivate var names: [String] {
    switch self {
    case .index(let index): [index.name]
    case .table(let table):
      [table.name] + table.keys.indices.map { "sqlite_autoindex_\(table.name)_\($0 + 1)" }
    }
  }
}

import DataModel
import SQLite

/// A range of Core Data versions that write statements in the same form (coredata-format.md,
/// sections 4 to 6, 15 and 16).
package enum LayoutGeneration: Int, CaseIterable, Comparable, Hashable, Sendable {
  /// Versions up to 519 (iOS 8): each table is followed by its indexes; join tables have no index.
  case tableByTable
  /// Versions 520 to 846 (iOS 9 and 10): all indexes follow all tables and are named after their
  /// columns.
  case legacyIndexes
  /// Versions 847 to 865 (iOS 11): fetch indexes, with unique constraints inside the tables.
  case constraintsInTables
  /// Versions 866 to 1029 (iOS 12 and 13): like the current layout, except for the order of the
  /// order-key columns (Z_FOK).
  case unorderedKeys
  /// Versions 1030 and later (iOS 14).
  case current

  /// Creates the generation of a framework version; version 0, which no store has, is current.
  package init(framework: Int) {
    switch framework {
    case 1..<520: self = .tableByTable
    case 520..<847: self = .legacyIndexes
    case 847..<866: self = .constraintsInTables
    case 866..<1030: self = .unorderedKeys
    default: self = .current
    }
  }

  package static func < (first: LayoutGeneration, second: LayoutGeneration) -> Bool {
    first.rawValue < second.rawValue
  }

  var keepsConstraintsInTables: Bool { self <= .constraintsInTables }

  /// Whether indexes of attributes are named after their columns.
  var namesIndexesByColumns: Bool { self <= .legacyIndexes }

  var isTableByTable: Bool { self == .tableByTable }

  /// The framework versions of stores whose layouts are known, as ranges (coredata-format.md,
  /// section 15).
  private static let known = [
    241...241, 419...419, 479...479, 519...519, 637...641, 752...754, 847...851, 865...866,
    973...977, 1030...1044, 1124...1145, 1216...1251, 1333...1345, 1400...1499, 1523...1523,
  ]

  static func carriesModel(framework: Int) -> Bool { framework == 0 || framework >= 642 }

  /// Returns one sentence for each way in which a store written for a framework version may differ
  /// from that version's own stores.
  ///
  /// StoreBench writes the nearest known layout.
  package static func approximations(framework: Int, keepsHistory: Bool) -> [String] {
    guard framework > 0 else { return [] }
    var sentences: [String] = []
    let nearest = known.map { min(max(framework, $0.lowerBound), $0.upperBound) }
      .min { abs($0 - framework) < abs($1 - framework) }
    if let nearest, nearest != framework {
      sentences.append(
        "the layout of framework \(framework) is not known: the layout of framework \(nearest) is "
          + "used"
      )
    }
    if !carriesModel(framework: framework) {
      sentences.append(
        "the store contains its model in Z_MODELCACHE, which most stores of framework \(framework) "
          + "lack; StoreBench needs it"
      )
    }
    // No source shows the CREATE statements of the history tables of iOS 11 and 12.
    if keepsHistory, framework < 973 {
      sentences.append(
        "history tables before framework 973 (iOS 13) are not known exactly: the form of framework "
          + "973 is used"
      )
    }
    return sentences
  }
}

/// The layout choices that a file shows and a model does not determine.
package struct StoreForm: Hashable, Sendable {
  package let tables: Set<String>
  /// The tables without a primary key.
  ///
  /// Join tables of framework versions up to 754 may lack a primary key, and in-place migrations do
  /// not add it (coredata-format.md, section 16).
  package let keylessTables: Set<String>

  /// Whether a store of this form keeps persistent history.
  package var keepsHistory: Bool { tables.contains("ATRANSACTION") }

  /// Creates the form of a new store.
  package init() {
    tables = []
    keylessTables = []
  }

  /// Creates the form that matches a layout's tables.
  package init(of layout: StoreLayout) {
    tables = Set(layout.tableColumns.map(\.table))
    keylessTables = Set(layout.joinTables.filter { !$0.hasKey }.map(\.name))
  }

  /// Reads the form from a file's schema without executing any part of it.
  package init(of connection: Connection) throws {
    let row = try connection.prepare(
      "SELECT name, instr(upper(sql), 'PRIMARY KEY') = 0 FROM sqlite_master "
        + "WHERE type = 'table' AND sql IS NOT NULL"
    )
    var (tables, keyless): (Set<String>, Set<String>) = ([], [])
    while try row.step() {
      tables.insert(row.text(at: 0))
      if row.integer(at: 1) == 1 { keyless.insert(row.text(at: 0)) }
    }
    self.tables = tables
    keylessTables = keyless
  }
}

extension StoreLayout {
  /// Creates the layout of a model for a framework version and the form of a file.
  ///
  /// The form determines whether history is kept, and which of two possible names a join table has.
  package init(model: Model, framework: Int, form: StoreForm) {
    self.init(
      model: model,
      keepsHistory: form.keepsHistory,
      generation: LayoutGeneration(framework: framework),
      form: form
    )
  }
}

import DataModel
import SQLite

/// The forms of statements that a range of framework versions wrote (coredata-format.md, sections
/// 4 to 6, 15 and 16).
package enum LayoutGeneration: Int, CaseIterable, Comparable, Hashable, Sendable {
  /// Up to 519, iOS 8: each table is followed by its indexes, join tables have no index.
  case tableByTable
  /// 520 to 846, iOS 9 and 10: all indexes after all tables, under names of their columns.
  case legacyIndexes
  /// 847 to 865, iOS 11: fetch indexes, but unique constraints inside the tables.
  case constraintsInTables
  /// 866 to 1029, iOS 12 and 13: as today, but for the order of the Z_FOK columns.
  case unorderedKeys
  /// From 1030 on, iOS 14.
  case current

  /// The generation of a framework version; of version 0, which no store has, the current one.
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

  /// Whether indexes of attributes are named after their columns, as before there were fetch
  /// indexes.
  var namesIndexesByColumns: Bool { self <= .legacyIndexes }

  var isTableByTable: Bool { self == .tableByTable }

  /// The framework versions of the stores whose layouts are known, in ranges (coredata-format.md,
  /// section 15).
  private static let known = [
    241...241, 419...419, 479...479, 519...519, 637...641, 752...754, 847...851, 865...866,
    973...977, 1030...1044, 1124...1145, 1216...1251, 1333...1345, 1400...1499, 1523...1523,
  ]

  static func carriesModel(framework: Int) -> Bool { framework == 0 || framework >= 642 }

  /// What of a store that is written for a framework version is not known to the letter, or is not
  /// as that version writes it: a sentence each.
  ///
  /// Such a store is written in the nearest layout that is known; reports print the sentences.
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
    // The history tables of iOS 11 and 12 were seen in one store, their text in none.
    if keepsHistory, framework < 973 {
      sentences.append(
        "history tables before framework 973 (iOS 13) are not known exactly: the form of framework "
          + "973 is used"
      )
    }
    return sentences
  }
}

/// What a file shows of choices that the frameworks were free to make.
package struct StoreForm: Hashable, Sendable {
  package let tables: Set<String>
  /// Tables without a primary key of any kind.
  ///
  /// Join tables of frameworks up to 754 may have none, and a migration in place leaves them so
  /// (coredata-format.md, section 16).
  package let keylessTables: Set<String>

  /// Whether a store of this form keeps persistent history.
  package var keepsHistory: Bool { tables.contains("ATRANSACTION") }

  /// The form of a store that is not there yet.
  package init() {
    tables = []
    keylessTables = []
  }

  /// The form that the tables and join tables of a layout have.
  package init(of layout: StoreLayout) {
    tables = Set(layout.tableColumns.map(\.table))
    keylessTables = Set(layout.joinTables.filter { !$0.hasKey }.map(\.name))
  }

  /// Reads the form of a file from its schema; nothing of the schema is run.
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
  /// The layout that a framework version gives a model, in a file of some form.
  ///
  /// The form shows whether history is kept, and which name a join table has where either would do.
  package init(model: Model, framework: Int, form: StoreForm) {
    self.init(
      model: model,
      keepsHistory: form.keepsHistory,
      generation: LayoutGeneration(framework: framework),
      form: form
    )
  }
}

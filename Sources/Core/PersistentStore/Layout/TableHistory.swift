import Basics
import SQLite

/// What was done to a table and its indexes since an earlier release made them.
///
/// An explanation of a table that was altered in place: `statements`, run on what `earlier` makes,
/// give the file's text of the table and of each index to the character. That is tried in a database
/// in memory before it is said; see ``TableHistory/replayed()``.
package struct TableHistory: Encodable, Hashable, Sendable {
  package let table: String
  /// The statements by which the earlier release made the table and its indexes.
  package private(set) var earlier: [String] = []
  /// What was run since, in order: ALTER TABLE, CREATE INDEX.
  package private(set) var statements: [String] = []
  /// Former names that nothing in the file shows, chosen so that they stand where the renamed
  /// columns stand.
  package private(set) var assumedNames: [String] = []

  /// The text of each table and index that running the statements leaves, by name; `nil` where they
  /// cannot be run.
  ///
  /// The statements are made of plain names and types only, never of the file's own text.
  func replayed() -> [String: String]? {
    guard let connection = try? Connection(path: ":memory:", mode: .create, settings: nil),
      (try? connection.executeScript(earlier + statements)) != nil,
      let row = try? connection.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    else { return nil }
    var texts: [String: String] = [:]
    while (try? row.step()) == true { texts[row.text(at: 0)] = row.text(at: 1) }
    return texts
  }
}

extension TableHistory {
  /// Names at a time: of the table, and of the columns that are called otherwise today.
  private struct Names: Hashable {
    var table: String
    var columns: [String: String] = [:]

    func name(of column: String) -> String { columns[column] ?? column }
  }

  /// Finds the statements that lead to a file's text.
  struct Reconstruction {
    private let found: TableText
    private let indexes: [IndexText]
    /// The columns of the model in the order of a new table.
    private let order: [String: Int]
    /// Former names of columns that the model gives.
    private let formerNames: [String: String]
    /// Whether a column out of its place may have been declared by another entity of the table.
    private let holdsSeveralEntities: Bool

    private var stages: [Names] = []
    private var baseCount: Int
    private var assumed: [String] = []

    /// `nil` where the text has parts that need quotes or are of another form.
    init?(
      found: TableText,
      indexes: [IndexText],
      wanted: TableText?,
      formerNames: [String: String],
      holdsSeveralEntities: Bool
    ) {
      var words = [found.name] + indexes.map(\.name)
      for column in found.columns {
        words.append(column.name)
        words += column.type.split(separator: " ").map(String.init)
      }
      for index in indexes { words += index.columns.map(\.name) }
      guard words.allSatisfy(StatementText.isPlain) else { return nil }
      self.found = found
      self.indexes = indexes
      self.formerNames = formerNames
      self.holdsSeveralEntities = holdsSeveralEntities
      order = Dictionary(keepingFirst: (wanted?.columns ?? []).enumerated().map { ($1.name, $0) })
      baseCount = found.columns.count
      baseCount -= found.appendedCount ?? appendedBehindConstraints()
      stages = formerStages() + [Names(table: found.name)]
      nameRenamedTable()
      nameRenamedColumns()
    }

    /// Columns at the end that stand out of the order of a new table.
    private func appendedBehindConstraints() -> Int {
      let positions = found.columns.map { order[$0.name] ?? -1 }
      var count = 0
      while count < positions.count - 1, let last = positions.dropLast(count).last,
        positions.dropLast(count + 1).contains(where: { $0 > last }), last >= 0
      { count += 1 }
      return count
    }

    // MARK: Former names

    /// The names that indexes still carry, in the order in which the indexes were made.
    private func formerStages() -> [Names] {
      var stages: [Names] = []
      for index in indexes {
        guard let names = namesWhenMade(index),
          names.table != found.name || !names.columns.isEmpty
        else { continue }
        let place = stages.firstIndex { stage in
          stage.table == names.table
            && names.columns.allSatisfy { stage.columns[$0] == nil || stage.columns[$0] == $1 }
        }
        if let place {
          stages[place].columns.merge(names.columns) { $1 }
        } else {
          stages.append(names)
        }
      }
      return stages
    }

    /// The names that an index of the form `{TABLE}_{COLUMN}_INDEX` had when it was made.
    private func namesWhenMade(_ index: IndexText) -> Names? {
      guard index.name.hasSuffix("_INDEX"), let column = index.columns.first?.name else {
        return nil
      }
      let title = String(index.name.dropLast(6))
      for (table, former) in splits(of: title, column) where StatementText.isPlain(former) {
        var names = Names(table: table)
        if former != column { names.columns[column] = former }
        renumber(&names, column, former, others: index.columns.dropFirst().map(\.name))
        return names
      }
      return nil
    }

    /// The ways to read an index's name as a table's and a column's; the likeliest first.
    private func splits(of title: String, _ column: String) -> [(table: String, column: String)] {
      var splits: [(String, String)] = []
      if title.hasPrefix(found.name + "_") {
        splits.append((found.name, String(title.dropFirst(found.name.count + 1))))
      }
      if title.hasSuffix("_" + column) {
        splits.append((String(title.dropLast(column.count + 1)), column))
      }
      // Both of them were renumbered: Z_26ASSETS_Z_3ASSETS of Z_27ASSETS and Z_4ASSETS.
      let (table, own) = (Numbered(found.name), Numbered(column))
      for place in title.indices where title[place...].hasPrefix("_Z") && place > title.startIndex {
        let (first, second) = (String(title[..<place]), String(title[place...].dropFirst()))
        let isLike =
          table == nil
          || Numbered(first)?.rest == table?.rest && Numbered(second)?.rest == own?.rest
        if isLike, first.hasPrefix("Z") { splits.append((first, second)) }
      }
      return splits
    }

    /// Gives the columns that carry the same entity numbers their former ones.
    private func renumber(
      _ names: inout Names,
      _ column: String,
      _ former: String,
      others: [String]
    ) {
      var numbers: [Int: Int] = [:]
      for (now, before) in [(found.name, names.table), (column, former)] {
        if let new = Numbered(now), let old = Numbered(before), new.rest == old.rest {
          numbers[new.number] = old.number
        }
      }
      guard Numbered(found.name) != nil else { return }
      for name in others + found.columns.map(\.name).filter({ $0.hasPrefix("Z_FOK_") }) {
        guard names.columns[name] == nil, let own = Numbered(name),
          let old = numbers[own.number], old != own.number
        else { continue }
        names.columns[name] = "\(own.prefix)\(old)\(own.rest)"
      }
    }

    /// A quoted name was given by RENAME TO; where no index shows the former one, the number before
    /// it stands for it.
    private mutating func nameRenamedTable() {
      guard found.isRenamed, stages.allSatisfy({ $0.table == found.name }) else { return }
      let former: String
      if let numbered = Numbered(found.name) {
        former = "\(numbered.prefix)\(max(numbered.number - 1, 0))\(numbered.rest)"
      } else {
        former = formerNames[found.name] ?? found.name + "0"
      }
      if formerNames[found.name] == nil { assumed.append(former) }
      if stages.count == 1 { stages.insert(Names(table: former), at: 0) }
      stages[0].table = former
    }

    /// Columns out of their place, and those whose names are quoted, had other names once.
    private mutating func nameRenamedColumns() {
      let base = found.columns.prefix(baseCount)
      let inOrder = Self.longestIncreasing(base.map { order[$0.name] })
      for (place, column) in base.enumerated() {
        let isOrderKey = column.name.hasPrefix("Z_FOK_")
        guard column.isQuoted || !inOrder.contains(place), order[column.name] != nil,
          !stages.contains(where: { $0.columns[column.name] != nil }),
          column.isQuoted || !isOrderKey
        else { continue }
        if !column.isQuoted, formerNames[column.name] == nil, holdsSeveralEntities { continue }
        var former = formerNames[column.name]
        if former == nil {
          // Sorts right behind the column before it.
          let name = place > 3 ? found.columns[place - 1].name + "0" : column.name + "0"
          former = name
          assumed.append(name)
        }
        if stages.count == 1 { stages.insert(Names(table: found.name), at: 0) }
        stages[0].columns[column.name] = former
      }
    }

    /// The places of a longest increasing run; what has no position is none of it and breaks none.
    private static func longestIncreasing(_ positions: [Int?]) -> Set<Int> {
      var best: [(length: Int, previous: Int?)] = []
      for (place, position) in positions.enumerated() {
        var entry: (length: Int, previous: Int?) = (1, nil)
        for earlier in 0..<place {
          guard let position, let before = positions[earlier], before < position,
            best[earlier].length >= entry.length
          else { continue }
          entry = (best[earlier].length + 1, earlier)
        }
        best.append(position == nil ? (0, nil) : entry)
      }
      var places: Set<Int> = []
      var next = best.indices.max { best[$0].length < best[$1].length }
      while let place = next {
        places.insert(place)
        next = best[place].previous
      }
      return places
    }

    // MARK: Statements

    /// What the earlier release made and what was run since, with columns added last, or first where
    /// an index of them was made before a renaming.
    func history(addingFirst: Bool) -> TableHistory {
      var history = TableHistory(table: found.name)
      history.assumedNames = assumed
      let appended = found.columns.dropFirst(baseCount)
      let last = stages.count - 1
      var table = found
      let first = stages[0]
      table.name = first.table
      table.columns = found.columns.prefix(baseCount).map {
        TableText.Column(name: first.name(of: $0.name), type: $0.type)
      }
      table.constraints = found.constraints(renaming: first.name)
      history.earlier.append(table.sql)
      let addedNames = Set(appended.map(\.name))
      let made = indexes.map { index in
        (index, stage(of: index, after: addedNames, addingFirst: addingFirst))
      }
      func make(at stage: Int, _ isAdded: Bool?) -> [String] {
        made.filter { index, own in
          own == stage
            && (isAdded == nil
              || index.columns.contains { addedNames.contains($0.name) } == isAdded)
        }.map { sql(of: $0.0, in: stages[stage]) }
      }
      func add() -> [String] {
        let names = addingFirst ? first : stages[last]
        return appended.map {
          "ALTER TABLE \(names.table) ADD COLUMN \(names.name(of: $0.name)) \($0.type)"
        }
      }
      history.earlier += make(at: 0, false)
      if addingFirst || last == 0 { history.statements += add() + make(at: 0, true) }
      for place in stages.indices.dropFirst() {
        history.statements += renaming(
          addingFirst ? found.columns[...] : found.columns.prefix(baseCount),
          from: stages[place - 1],
          to: stages[place]
        )
        if place == last, !addingFirst { history.statements += add() }
        history.statements += make(at: place, nil)
      }
      return history
    }

    /// When an index was made: the first time that leaves the text which it has; the last where none
    /// does.
    private func stage(of index: IndexText, after added: Set<String>, addingFirst: Bool) -> Int {
      let last = stages.count - 1
      let needsAdded = index.columns.contains { added.contains($0.name) }
      let isPlain = index.name.hasSuffix("_INDEX")
      for place in stages.indices {
        if needsAdded, !addingFirst, place < last { continue }
        let renames = stages[place].table != found.name
        guard renames == index.isTableQuoted else { continue }
        let names = stages[place]
        let title = "\(names.table)_\(names.name(of: index.columns.first?.name ?? ""))_INDEX"
        if !isPlain || title == index.name { return place }
      }
      return last
    }

    private func sql(of index: IndexText, in names: Names) -> String {
      let columns = index.columns.map { column in
        names.name(of: column.name) + (column.rest.isEmpty ? "" : " \(column.rest)")
      }
      return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(index.name) ON \(names.table) "
        + "(\(columns.joined(separator: ", ")))" + (index.condition.map { " WHERE \($0)" } ?? "")
    }

    /// Columns first, then the table; a name that is still taken goes through another one.
    private func renaming(
      _ columns: ArraySlice<TableText.Column>,
      from old: Names,
      to new: Names
    ) -> [String] {
      var statements: [String] = []
      var pending = columns.map { (old.name(of: $0.name), new.name(of: $0.name), $0) }
        .filter { $0.0 != $0.1 }
      func rename(_ before: String, _ after: String) {
        statements.append("ALTER TABLE \(old.table) RENAME COLUMN \(before) TO \(after)")
      }
      while !pending.isEmpty {
        let taken = Set(pending.map(\.0))
        if let free = pending.firstIndex(where: { !taken.contains($0.1) }) {
          let (before, after, column) = pending.remove(at: free)
          rename(before, column.isQuoted && after == column.name ? "\"\(after)\"" : after)
        } else {
          let between = pending[0].0 + "_"
          rename(pending[0].0, between)
          pending[0].0 = between
        }
      }
      if old.table != new.table {
        statements.append("ALTER TABLE \(old.table) RENAME TO \(new.table)")
      }
      return statements
    }
  }

  /// A name with an entity's number in it: `Z_27ASSETS`, `Z_FOK_3ASSETS`, `Z2_OWNER`, `Z3ITEMS`.
  private struct Numbered: Hashable {
    let prefix: String
    let number: Int
    let rest: String

    init?(_ name: String) {
      for prefix in ["Z_FOK_", "Z_", "Z"] where name.hasPrefix(prefix) {
        let digits = name.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { continue }
        self.prefix = prefix
        self.number = number
        rest = String(name.dropFirst(prefix.count + digits.count))
        return
      }
      return nil
    }
  }
}

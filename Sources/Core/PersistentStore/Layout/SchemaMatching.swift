import Basics
import DataModel

extension LayoutComparison {
  struct SchemaMatching {
    private let layout: StoreLayout
    private let framework: Int
    private let objects: [SchemaObject]
    /// The statements in the form of the store's framework version, by name.
    private let expected: [String: String]
    /// The statements in the current form, by name.
    private let current: [String: String]
    /// The statements in the forms of all framework versions, by name.
    private let known: [String: Set<String>]
    private let schema: [SchemaPart]
    private let indexes: IndexTwins

    init(layout: StoreLayout, form: StoreForm, framework: Int, objects: [SchemaObject]) {
      self.layout = layout
      self.framework = framework
      self.objects = objects
      schema = layout.schema
      expected = Dictionary(keepingFirst: schema.map { ($0.name, $0.sql) })
      var (current, known): ([String: String], [String: Set<String>]) = ([:], [:])
      for generation in LayoutGeneration.allCases {
        let other = StoreLayout(
          model: layout.model,
          keepsHistory: layout.keepsHistory,
          generation: generation,
          form: form
        )
        for part in other.schema {
          known[part.name, default: []].insert(part.sql)
          if generation == .current { current[part.name] = part.sql }
        }
      }
      self.current = current
      self.known = known
      indexes = IndexTwins(layout: layout)
    }

    func entries() -> [LayoutEntry] {
      var found = objects.map(entry)
      let altered = Set(
        found.filter { $0.state == .unexplained && Self.isOfTable($0.kind) }.map(\.table)
      )
      for table in altered.sorted() { explain(table, &found) }
      return found + missing()
    }

    private static func isOfTable(_ kind: LayoutEntry.Kind) -> Bool {
      kind == .table || kind == .index
    }

    private func entry(of object: SchemaObject) -> LayoutEntry {
      var entry = LayoutEntry(
        kind: object.kind,
        name: object.name,
        table: object.table,
        state: .same,
        expected: expected[object.name],
        found: object.sql
      )
      if object.sql == current[object.name] { return entry }
      (entry.state, entry.notes) =
        older(object) ?? unwritten(object).map { (.notWritten, [$0]) }
        ?? (.unexplained, stranger(object).map { [$0] } ?? [])
      return entry
    }

    private func older(_ object: SchemaObject) -> (LayoutEntry.State, [String])? {
      if object.sql == expected[object.name] {
        return (.olderLayout, ["the form of framework \(framework)"])
      }
      if known[object.name]?.contains(object.sql) == true {
        return (.olderLayout, ["the form of the older framework that made the store"])
      }
      if framework < 973, isHistory(object.name) {
        return (.olderLayout, ["history as before framework 973"])
      }
      guard object.kind == .table, let wanted = expected[object.name].flatMap(TableText.init),
        let text = TableText(object.sql)
      else { return nil }
      return TableDifference(wanted: wanted, found: text).olderOrder(layout.generation).map {
        (.olderLayout, [$0])
      }
    }

    /// Parts of real stores that are understood but never written, because no source shows their
    /// complete text (coredata-format.md, sections 6 and 7).
    private static let unwrittenParts: [(prefix: String, note: String)] = [
      ("Z_RT_", "an R-tree index: the table, its shadow tables and its triggers"),
      ("Z_DA_", "the triggers of a derived attribute"),
      ("ZT_", "a private counter's triggers"),
      ("ANSCK", "mirroring to CloudKit"),
    ]

    private func unwritten(_ object: SchemaObject) -> String? {
      if object.kind == .index, isPartial(object) {
        return "a partial index, whose condition is not known exactly"
      }
      return Self.unwrittenParts.first { prefix, _ in
        object.name.hasPrefix(prefix) || object.table.hasPrefix(prefix)
      }?.note
    }

    /// Whether a schema object is one of the model's partial indexes.
    ///
    /// A partial index matches if it has the expected columns, or if the model's predicate is not
    /// understood.
    private func isPartial(_ object: SchemaObject) -> Bool {
      guard let text = IndexText(object.sql), text.condition != nil else { return false }
      guard let wanted = expected[object.name].flatMap(IndexText.init) else {
        return layout.unmadeIndexes.contains {
          "Z_" + $0.replacing(".", with: "_", maxReplacements: 1) == object.name
        }
      }
      return wanted.columns == text.columns
    }

    /// The reason why no version of the model can have created a schema object, if there is one.
    private func stranger(_ object: SchemaObject) -> String? {
      switch object.kind {
      case .table:
        return expected[object.name] == nil ? "a table that the model does not need" : nil
      case .index:
        return expected[object.table] == nil ? "an index of a table that is not in the model" : nil
      case .trigger: return "a trigger that no framework makes"
      case .view: return "a view, which no framework makes"
      }
    }

    private func isHistory(_ name: String) -> Bool {
      name.hasPrefix("ACHANGE") || name.hasPrefix("ATRANSACTION") || name.hasPrefix("Z_TRANSACTION")
    }

    private func explain(_ table: String, _ entries: inout [LayoutEntry]) {
      let places = entries.indices.filter {
        entries[$0].table == table && Self.isOfTable(entries[$0].kind)
          && entries[$0].state != .notWritten
      }
      guard let own = places.first(where: { entries[$0].kind == .table }),
        let found = entries[own].found.flatMap(TableText.init),
        let wanted = entries[own].expected.flatMap(TableText.init)
      else { return note("a statement of an unknown form", at: places, &entries) }
      let difference = TableDifference(wanted: wanted, found: found)
      let faults = difference.faults(known: (known[table] ?? []).compactMap(TableText.init))
      guard faults.isEmpty else {
        entries[own].notes = faults
        return note("an index of a table that is not explained", at: places, &entries)
      }
      if layout.mayHaveMore(table) {
        return note(
          "of a property that is not understood, or altered in place",
          at: places,
          &entries
        )
      }
      for place in places where entries[place].state == .unexplained {
        if place == own {
          entries[place].notes =
            ["altered in place by an earlier migration"] + difference.alterations
        } else if let fault = indexFault(entries[place], difference) {
          entries[place].notes = [fault]
          continue
        } else {
          entries[place].notes = [indexes.note(on: entries[place])]
        }
        entries[place].state = .alteredInPlace
      }
    }

    /// The reason why no version of the model can have required an index, if there is one.
    private func indexFault(_ entry: LayoutEntry, _ difference: TableDifference) -> String? {
      guard let text = entry.found.flatMap(IndexText.init) else {
        return "a statement of an unknown form"
      }
      if isHistory(entry.table) { return "an index that history does not have" }
      guard text.isFrameworks else { return "an order or a condition that no framework writes" }
      let columns = Set(difference.found.columns.map(\.name))
      guard text.columns.allSatisfy({ columns.contains($0.name) }) else {
        return "an index of columns that are not in the table"
      }
      // Core Data names indexes after the table and the columns, or after the entity and the fetch
      // index.
      guard entry.name.hasPrefix("Z") else { return "an index that the model does not need" }
      let isPlain = entry.name.hasSuffix("_INDEX")
      let isCompound =
        entry.name == ([entry.table] + text.columns.map(\.name)).joined(separator: "_")
      return isPlain || isCompound || entry.name.hasPrefix("Z_")
        ? nil : "an index that the model does not need"
    }

    private func note(_ note: String, at places: [Int], _ entries: inout [LayoutEntry]) {
      for place in places where entries[place].state == .unexplained && entries[place].notes.isEmpty
      {
        entries[place].notes = [note]
      }
    }

    private func missing() -> [LayoutEntry] {
      let names = Set(objects.map(\.name))
      let present = indexes.present(among: objects.filter { $0.kind == .index })
      return schema.compactMap { part in
        let name = part.name
        if names.contains(name) || present.contains(name) { return nil }
        if framework < 973, isHistory(name) || name == "Z_MODELCACHE" { return nil }
        let isTable = part.table == name
        let isFetchIndex = !isTable && !name.hasSuffix("_INDEX") && !isHistory(name)
        return LayoutEntry(
          kind: isTable ? .table : .index,
          name: name,
          table: part.table,
          state: .missing,
          notes: isFetchIndex ? ["the model's index was added after the store was made"] : [],
          expected: part.sql
        )
      }
    }
  }
}

extension LayoutComparison {
  struct TableDifference {
    let wanted: TableText
    let found: TableText

    private var isHistory: Bool { found.name == "ACHANGE" || found.name == "ATRANSACTION" }

    /// The differences from the model's table that no in-place migration can cause; `known`
    /// contains the table's forms in all framework versions.
    func faults(known: [TableText]) -> [String] {
      var faults: [String] = []
      let words = found.columns.flatMap {
        [$0.name] + $0.type.split(separator: " ").map(String.init)
      }
      if !words.allSatisfy(StatementText.isPlain) { faults.append("columns of an unknown form") }
      let types = Dictionary(keepingFirst: found.columns.map { ($0.name, $0.type) })
      // Allow missing tombstone columns in a history table created for another version of the
      // model.
      let missing = wanted.columns.filter { types[$0.name] == nil }.map(\.name)
        .filter { !(isHistory && $0.hasPrefix("ZTOMBSTONE")) }
      if !missing.isEmpty { faults.append("columns missing: \(Figures.few(missing))") }
      for column in wanted.columns {
        guard let type = types[column.name], type != column.type else { continue }
        let forms = known.flatMap(\.columns).filter { $0.name == column.name }.map(\.type)
        guard !forms.contains(type) else { continue }
        faults.append("\(column.name) is \(type.isEmpty ? "of no type" : type), not \(column.type)")
      }
      func plain(_ text: TableText) -> Set<String> {
        Set(text.constraints.map { $0.filter { $0 != "\"" } })
      }
      if !(known + [wanted]).contains(where: { plain($0) == plain(found) }) {
        faults.append("other constraints")
      }
      return faults
    }

    /// Returns a note if only the order of the columns differs and an older framework version
    /// explains it.
    func olderOrder(_ generation: LayoutGeneration) -> String? {
      guard found.appendedCount ?? 0 == 0, !found.isRenamed,
        found.columns.count == wanted.columns.count, found.constraints == wanted.constraints
      else { return nil }
      func others(_ text: TableText) -> [TableText.Column] {
        text.columns.filter { !$0.name.hasPrefix("Z_FOK_") }
      }
      if others(wanted) == others(found) {
        return generation < .current
          ? "its Z_FOK columns have a different order"
          : "its Z_FOK columns have the order of the framework before 1030 that made it"
      }
      // In Mac OS X 10.6, Core Data wrote columns of the same type in the order of a hash table.
      let isSameSet = Set(wanted.columns) == Set(found.columns)
      return generation == .tableByTable && isSameSet
        && wanted.columns.map(\.type) == found.columns.map(\.type)
        ? "columns of one type have a different order" : nil
    }

    var alterations: [String] {
      var notes: [String] = []
      let known = Set(wanted.columns.map(\.name))
      let appended = found.columns.suffix(found.appendedCount ?? 0).map(\.name)
      if !appended.isEmpty { notes.append("columns appended later: \(Figures.few(appended))") }
      let leftOver = found.columns.map(\.name).filter { !known.contains($0) }
      if !leftOver.isEmpty {
        notes.append(
          leftOver.allSatisfy { $0.hasPrefix("ZTOMBSTONE") }
            ? "tombstones of another version of the model"
            : "columns that are not in the model: \(Figures.few(leftOver))"
        )
      }
      if found.isRenamed { notes.append("the table was renamed") }
      let positions = Dictionary(keepingFirst: wanted.columns.enumerated().map { ($1.name, $0) })
      let order = found.columns.dropLast(appended.count).compactMap { positions[$0.name] }
      if order != order.sorted() {
        notes.append("columns in a different order, as after renaming in place")
      }
      return notes
    }
  }

  /// Finds the model's index with the same effect as a file's index of another name.
  struct IndexTwins {
    private let expected: [String: [IndexText.Shape: String]]
    private let names: Set<String>

    init(layout: StoreLayout) {
      let indexes = layout.tables.flatMap { layout.indexes(of: $0) }
      names = Set(indexes.map(\.name))
      expected = Dictionary(grouping: indexes, by: \.table).mapValues { indexes in
        Dictionary(
          keepingFirst: indexes.compactMap { index in
            IndexText(index.sql).map { ($0.shape, index.name) }
          }
        )
      }
    }

    func note(on entry: LayoutEntry) -> String {
      if let shape = entry.found.flatMap(IndexText.init)?.shape,
        let twin = expected[entry.table]?[shape]
      {
        return twin == entry.name ? "the table was renamed" : "an older name of \(twin)"
      }
      return names.contains(entry.name)
        ? "renumbered columns under the old name" : "left by an earlier version of the model"
    }

    func present(among objects: [SchemaObject]) -> Set<String> {
      Set(
        objects.compactMap { object in
          IndexText(object.sql).flatMap { expected[object.table]?[$0.shape] }
        }
      )
    }
  }
}

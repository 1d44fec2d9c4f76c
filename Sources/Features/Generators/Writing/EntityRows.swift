import DataModel
import PersistentStore

struct EntityRows: Sendable {
  private struct Segment: Sendable {
    let source: EntitySource
    let columns: [ColumnSource]
    let steps: [Step]

    init(source: EntitySource, columns: [ColumnSource]) {
      self.source = source
      self.columns = columns
      steps = columns.map { column in
        switch column {
        case .attribute(let source): .attribute(.passUnretained(source))
        case .key(let relationship): .key(.passUnretained(relationship))
        default: .other
        }
      }
    }
  }

  /// The most frequent kinds of columns, which are filled without reference counting.
  ///
  /// Reference counting would take a tenth of the time. The segment's `columns` keep the referenced
  /// objects alive.
  private enum Step: @unchecked Sendable {
    case attribute(Unmanaged<AttributeSource>)
    case key(Unmanaged<RelationshipSource>)
    case other
  }

  let rowCount: Int
  private let segments: [Segment]

  init(table: EntityTable, dataset: Dataset) {
    let members = dataset.entities.filter { table.entities.contains($0.name) }
    segments = members.map { source in
      Segment(
        source: source,
        columns: ColumnPlan(dataset: dataset, source: source).columns(of: table)
      )
    }
    rowCount = members.reduce(0) { $0 + $1.count }
  }

  func write(rows: Range<Int>, to sink: inout some RowSink) throws {
    var (cell, spare) = (Cell(), Cell())
    for segment in segments {
      let span = segment.source.span
      let own = rows.clamped(to: span.offset..<span.offset + span.count)
      for tableRow in own {
        cell.set(Int64(tableRow + 1))
        try sink.append(cell)
        cell.set(Int64(segment.source.number))
        try sink.append(cell)
        let saves = segment.source.saves?.count(row: tableRow - span.offset, &cell) ?? 1
        cell.set(saves)
        try sink.append(cell)
        for place in segment.steps.indices {
          switch segment.steps[place] {
          case .attribute(let source):
            source._withUnsafeGuaranteedRef { $0.fill(&cell, row: tableRow - span.offset) }
          case .key(let relationship):
            _ = relationship._withUnsafeGuaranteedRef { $0.target(of: tableRow, &cell) }
          case .other:
            try fill(
              &cell,
              &spare,
              segment.columns[place],
              tableRow: tableRow,
              row: tableRow - span.offset,
              sink: &sink
            )
          }
          try sink.append(cell)
        }
        try sink.endRow()
      }
    }
  }

  private func fill(
    _ cell: inout Cell,
    _ spare: inout Cell,
    _ column: ColumnSource,
    tableRow: Int,
    row: Int,
    sink: inout some RowSink
  ) throws {
    switch column {
    case .null: cell.setNull()
    case .attribute(let source): source.fill(&cell, row: row)
    case .external(let source, let threshold):
      source.fill(&spare, row: row)
      try encodeExternal(spare, into: &cell, threshold: threshold, sink: &sink) {
        source.externalName(row: row)
      }
    case .file(let source):
      if source.fillFileContents(&spare, row: row) {
        source.fill(&cell, row: row)
        let name = String(decoding: cell.bytes, as: UTF8.self)
        try sink.write(file: name, kind: .app, contents: spare)
      }
      source.fill(&cell, row: row)
    case .key(let relationship): _ = relationship.target(of: tableRow, &cell)
    case .entityNumber(let relationship):
      let member = relationship.target(of: tableRow, &cell).flatMap(relationship.member)
      cell.set(member.map { .integer(Int64($0.number)) } ?? .null)
    case .order(let relationship):
      let position = relationship.position(of: tableRow, &cell)
      cell.set(position.map { .integer(orderKey(position: $0)) } ?? .null)
    case .changed(let plain, let changes, let part):
      try fill(&cell, &spare, plain, tableRow: tableRow, row: row, sink: &sink)
      if changes.contains(row) { changes.apply(to: &cell, row: row, part: part) }
    }
  }

  private func encodeExternal(
    _ blob: borrowing Cell,
    into cell: inout Cell,
    threshold: Int,
    sink: inout some RowSink,
    name: () -> String
  ) throws {
    guard blob.kind == .blob else { return cell.setNull() }
    if blob.bytes.count > threshold {
      let name = name()
      try sink.write(file: name, kind: .externalData, contents: blob)
      cell.setBlob { $0.append(contentsOf: ExternalStorage.reference(to: name)) }
    } else {
      let bytes = blob.bytes
      cell.setBlob {
        $0.append(contentsOf: ExternalStorage.inlinePrefix)
        $0.append(contentsOf: bytes)
      }
    }
  }

  enum ColumnSource: Sendable {
    /// A column that is always NULL, because its property belongs to another entity in the same
    /// table.
    case null
    case attribute(AttributeSource)
    /// Blobs in external storage: inline with a prefix, or in files if larger than the threshold.
    case external(AttributeSource, threshold: Int)
    case file(AttributeSource)
    case key(RelationshipSource)
    case entityNumber(RelationshipSource)
    /// The order key of a child among its siblings.
    case order(RelationshipSource)
    /// A column whose generated value is replaced in a few rows.
    indirect case changed(ColumnSource, PropertyChanges, PropertyChanges.Part)
  }

  struct ColumnPlan {
    let dataset: Dataset
    let source: EntitySource

    func columns(of table: EntityTable) -> [ColumnSource] {
      guard let entity = dataset.recipe.model.entity(named: source.name) else { return [] }
      let lineage = Set(dataset.recipe.model.lineage(of: entity).map(\.name))
      return table.columns.map { column in
        if case .inverselessKey(let relationship, let declaring) = column.content {
          return dataset.inverselessParents["\(declaring).\(relationship.name)"].map { .key($0) }
            ?? .null
        }
        return lineage.contains(column.entity) ? self.column(column.content) : .null
      }
    }

    private func column(_ content: Column.Content) -> ColumnSource {
      func related(
        _ relationship: Relationship,
        _ part: PropertyChanges.Part,
        _ column: (RelationshipSource) -> ColumnSource
      ) -> ColumnSource {
        let plain = source.relationships[relationship.name].map(column) ?? .null
        return changed(plain, relationship.name, part)
      }
      switch content {
      case .attribute(let attribute):
        return changed(self.attribute(attribute), attribute.name, .value)
      case .foreignKey(let relationship): return related(relationship, .value) { .key($0) }
      case .foreignEntity(let relationship):
        return related(relationship, .entityNumber) { .entityNumber($0) }
      case .orderKey(let relationship): return related(relationship, .order) { .order($0) }
      case .inverselessKey: return .null
      }
    }

    private func changed(
      _ column: ColumnSource,
      _ property: String,
      _ part: PropertyChanges.Part
    ) -> ColumnSource {
      source.changes[property].map { .changed(column, $0, part) } ?? column
    }

    private func attribute(_ attribute: Attribute) -> ColumnSource {
      guard let values = source.attributes[attribute.name] else { return .null }
      if values.makesFiles { return .file(values) }
      guard attribute.allowsExternalStorage else { return .attribute(values) }
      return .external(values, threshold: dataset.recipe.externalStorageThreshold)
    }
  }
}

extension Cell {
  mutating func set(key tableRow: Int?) {
    if let tableRow { set(Int64(tableRow + 1)) } else { setNull() }
  }
}

/// The order key that Core Data assigns to a position among ordered objects (coredata-format.md,
/// section 4).
///
/// The key of position 0 is 2048, and each further position adds 1024.
func orderKey(position: Int) -> Int64 { 2_048 + 1_024 * Int64(position) }

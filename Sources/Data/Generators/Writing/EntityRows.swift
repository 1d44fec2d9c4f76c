import DataModel
import PersistentStore

/// The rows of one entity's table, by primary key.
struct EntityRows: Sendable {
  /// The rows of one concrete entity.
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

  /// How the most frequent kinds of columns are filled without counting references, which took a
  /// tenth of the time.
  ///
  /// The segment's columns keep the objects alive.
  private enum Step: @unchecked Sendable {
    case attribute(Unmanaged<AttributeSource>)
    case key(Unmanaged<RelationshipSource>)
    case other
  }

  let table: EntityTable
  let rowCount: Int
  private let segments: [Segment]

  init(table: EntityTable, dataset: Dataset) {
    self.table = table
    let members = dataset.entities.filter { table.entities.contains($0.name) }
    segments = members.map { source in
      Segment(
        source: source,
        columns: ColumnPlan(dataset: dataset, source: source).columns(of: table)
      )
    }
    rowCount = members.reduce(0) { $0 + $1.count }
  }

  /// Writes the rows of a range of keys, each less one.
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
        // Z_OPT counts saves; the objects were saved once.
        cell.set(1 as Int64)
        try sink.append(cell)
        for place in segment.steps.indices {
          switch segment.steps[place] {
          case .attribute(let source):
            source._withUnsafeGuaranteedRef { $0.fill(&cell, row: tableRow - span.offset) }
          case .key(let relationship):
            cell.set(key: relationship._withUnsafeGuaranteedRef { $0.target(of: tableRow) })
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
    case .key(let relationship): cell.set(key: relationship.target(of: tableRow))
    case .entityNumber(let relationship):
      let member = relationship.target(of: tableRow).flatMap(relationship.member)
      cell.set(member.map { .integer(Int64($0.number)) } ?? .null)
    case .order(let relationship):
      let position = relationship.position(of: tableRow)
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
}

extension Cell {
  /// Sets the primary key of a table's row, or nothing where there is no row.
  mutating func set(key tableRow: Int?) {
    if let tableRow { set(Int64(tableRow + 1)) } else { setNull() }
  }
}

import PersistentStore

/// A table's rows, divided into chunks whose boundaries depend only on the recipe, not on threads.
struct TableChunks: RowSource {
  private static let mostUnits = 65_536

  private let rows: StoreContents.Table
  private let columns: DeclaredColumns
  private let store: StoreFile
  private let unitsPerChunk: Int
  /// The rowid of each chunk's first row; empty if the rowid is the primary key.
  private let firstRowids: [Int64]
  let rowCount: Int

  init(_ rows: StoreContents.Table, columns: DeclaredColumns, store: StoreFile, chunkBytes: Int)
    throws
  {
    self.rows = rows
    self.columns = columns
    self.store = store
    unitsPerChunk = try Self.unitsPerChunk(rows, chunkBytes: chunkBytes)
    guard case .links(let links) = rows.content else {
      firstRowids = []
      rowCount = rows.unitCount
      return
    }
    var rowids: [Int64] = []
    var next: Int64 = 1
    for start in stride(from: 0, to: rows.unitCount, by: unitsPerChunk) {
      rowids.append(next)
      let end = min(start + unitsPerChunk, rows.unitCount)
      next += Int64(links.rowCount(sources: start..<end))
    }
    firstRowids = rowids
    rowCount = Int(next - 1)
  }

  var chunkCount: Int { (rows.unitCount + unitsPerChunk - 1) / unitsPerChunk }

  func encode(chunk: Int, into encoder: inout RowEncoder) throws {
    let start = chunk * unitsPerChunk
    let units = start..<min(start + unitsPerChunk, rows.unitCount)
    try withUnsafeMutablePointer(to: &encoder) { encoder in
      var sink = Sink(
        encoder: encoder,
        columns: columns,
        rowids: firstRowids.isEmpty ? .key : .running(from: firstRowids[chunk]),
        files: GeneratedFiles(store: store)
      )
      try rows.write(units: units, to: &sink)
    }
  }

  /// Returns the number of units per chunk, a power of two, estimated from a sample.
  ///
  /// A unit is a row, or a group of rows that are generated together.
  private static func unitsPerChunk(_ rows: StoreContents.Table, chunkBytes: Int) throws -> Int {
    let samples = min(rows.unitCount, 16)
    var sink = MeasuringSink()
    for sample in 0..<samples {
      let unit = rows.unitCount / samples * sample
      try rows.write(units: unit..<unit + 1, to: &sink)
    }
    var units = mostUnits
    while units > 1, sink.bytes * units / max(samples, 1) > chunkBytes { units /= 2 }
    return units
  }

  private struct MeasuringSink: RowSink {
    private(set) var bytes = 0

    mutating func append(_ cell: borrowing Cell) {
      switch cell.kind {
      case .null: bytes += 1
      case .integer, .real: bytes += 5
      case .text, .blob: bytes += 2 + cell.bytes.count
      }
    }

    mutating func endRow() { bytes += 4 }

    mutating func write(file name: String, kind: GeneratedFiles.Kind, contents: borrowing Cell) {
      bytes += contents.bytes.count
    }
  }

  struct Sink: RowSink {
    enum Rowids {
      /// The rowid is the first value of each row, its key.
      case key
      /// The rowids are consecutive numbers, as SQLite assigns them to rows that are inserted
      /// without a rowid.
      case running(from: Int64)
    }

    // A pointer to the encoder, which is an `inout` argument of `encode`. The sink must not outlive
    // that call.
    let encoder: UnsafeMutablePointer<RowEncoder>
    let columns: DeclaredColumns
    var rowids: Rowids
    var files: GeneratedFiles
    var key: Int64 = 0
    var column = 0

    @inline(__always)
    mutating func append(_ cell: borrowing Cell) throws {
      if columns.hasGaps { appendNulls(columns.nullsBefore[column]) }
      if column == 0 { key = cell.integer }
      column += 1
      switch cell.kind {
      case .null: encoder.pointee.appendNull()
      case .integer: encoder.pointee.append(cell.integer)
      case .real: encoder.pointee.append(cell.real)
      case .text: cell.bytes.withUnsafeBytes { encoder.pointee.appendText($0) }
      case .blob: cell.bytes.withUnsafeBytes { encoder.pointee.appendBlob($0) }
      }
    }

    private func appendNulls(_ count: Int) {
      for _ in 0..<count { encoder.pointee.appendNull() }
    }

    mutating func endRow() throws {
      if columns.hasGaps { appendNulls(columns.nullsBefore[column]) }
      column = 0
      switch rowids {
      case .key: try encoder.pointee.endRow(rowid: key)
      case .running(let rowid):
        try encoder.pointee.endRow(rowid: rowid)
        rowids = .running(from: rowid + 1)
      }
    }

    mutating func write(file name: String, kind: GeneratedFiles.Kind, contents: borrowing Cell)
      throws
    {
      try files.write(name, kind: kind, contents: contents)
    }
  }

  struct DeclaredColumns: Sendable {
    let hasGaps: Bool
    let nullsBefore: [Int]

    init?(values: [String], of declared: [String]) {
      var nulls: [Int] = []
      var next = 0
      for value in values {
        guard let place = declared[next...].firstIndex(of: value) else { return nil }
        nulls.append(place - next)
        next = place + 1
      }
      nullsBefore = nulls + [declared.count - next]
      hasGaps = values.count < declared.count
    }
  }
}

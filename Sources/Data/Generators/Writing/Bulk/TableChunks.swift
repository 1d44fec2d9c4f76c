import BulkWriter
import PersistentStore

/// The rows of a table in chunks that only the recipe decides, so that any thread can make any of
/// them and the file is the same.
struct TableChunks: RowSource {
  private static let mostUnits = 65_536

  private let rows: TableRows
  private let columns: DeclaredColumns
  private let store: StoreFile
  private let unitsPerChunk: Int
  /// The rowid of each chunk's first row, where rows are counted; otherwise nothing.
  private let firstRowids: [Int64]
  let rowCount: Int

  init(_ rows: TableRows, columns: DeclaredColumns, store: StoreFile, chunkBytes: Int) throws {
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
      var sink = BulkRowSink(
        encoder,
        columns: columns,
        rowids: firstRowids.isEmpty ? .key : .running(from: firstRowids[chunk]),
        files: GeneratedFiles(store: store)
      )
      try rows.write(units: units, to: &sink)
    }
  }

  /// A power of two, from the bytes of a few rows that lie evenly over the table.
  private static func unitsPerChunk(_ rows: TableRows, chunkBytes: Int) throws -> Int {
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
}

/// Counts the bytes of rows and of their files.
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

  mutating func write(file name: String, kind: FileKind, contents: borrowing Cell) {
    bytes += contents.bytes.count
  }
}

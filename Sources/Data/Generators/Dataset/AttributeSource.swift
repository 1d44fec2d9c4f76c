/// Everything that decides the values of one attribute: its stream, its rule, its nulls and its
/// duplicates.
final class AttributeSource: Sendable {
  private let key: StreamKey
  private let nullKey: StreamKey
  private let generator: any CellGenerator
  /// The share of rows without a value.
  private let nullShare: Double
  /// A Boolean attribute of the same object without which there is no value.
  private let condition: AttributeSource?
  /// Rows that share their value with an original.
  private let duplicates: SharedRows?
  /// Set where other attributes are made from this one.
  private let memory: RowMemory.Source?

  init(
    key: StreamKey,
    generator: any CellGenerator,
    nullShare: Double = 0,
    condition: AttributeSource? = nil,
    duplicates: SharedRows? = nil,
    isBase: Bool = false
  ) {
    self.key = key
    // A stream of its own, so that another share of nulls changes no other value.
    nullKey = key.derived("null")
    self.generator = generator
    self.nullShare = nullShare
    self.condition = condition
    self.duplicates = duplicates
    memory = isBase ? RowMemory.Source() : nil
  }

  /// Sets the cell to the value of one row.
  func fill(_ cell: inout Cell, row: Int) {
    let row = duplicates?.origin(of: row) ?? row
    guard let memory else { return make(&cell, row: row) }
    if cell.recall(memory, row: row) { return }
    make(&cell, row: row)
    cell.remember(memory, row: row)
  }

  @inline(__always)
  private func make(_ cell: inout Cell, row: Int) {
    if let condition {
      condition.fill(&cell, row: row)
      guard cell.kind == .integer, cell.integer != 0 else { return cell.setNull() }
    }
    if nullShare > 0 {
      var draws = nullKey.draws(row: row)
      if draws.happens(nullShare) { return cell.setNull() }
    }
    var draws = key.draws(row: row)
    generator.fill(&cell, row: row, draws: &draws)
  }

  /// Sets the cell to the contents of the row's file; false where it has none.
  func fillFileContents(_ cell: inout Cell, row: Int) -> Bool {
    guard let file = generator as? FileGenerator else { return false }
    fill(&cell, row: row)
    guard cell.kind != .null else { return false }
    file.fillContents(&cell, row: row)
    return true
  }

  /// The bytes of the row's file; 0 where it has none.
  func fileSize(row: Int) -> Int {
    guard let file = generator as? FileGenerator else { return 0 }
    var cell = Cell()
    fill(&cell, row: row)
    return cell.kind == .null ? 0 : file.size(row: row)
  }

  /// The name of the file in which external storage keeps the row's blob.
  func externalName(row: Int) -> String {
    var draws = key.derived("external").draws(row: row)
    return UUIDGenerator.text(&draws)
  }

  /// Whether the attribute holds names of files.
  var makesFiles: Bool { generator is FileGenerator }
}

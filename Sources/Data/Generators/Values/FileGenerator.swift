/// Names of files that an app keeps beside its store, and the files' contents.
struct FileGenerator: TextGenerator {
  private let contents: BlobGenerator
  private let fileExtension: String
  private let key: StreamKey
  private let nameKey: StreamKey

  init(_ recipe: BlobRecipe, key: StreamKey) {
    contents = BlobGenerator(recipe)
    fileExtension =
      switch recipe.format {
      case .none: "bin"
      case .jpeg: "jpg"
      default: recipe.format.rawValue
      }
    self.key = key
    // The contents have the attribute's own stream, so that blobs of the same stream are equal.
    nameKey = key.derived("file")
  }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    var draws = nameKey.draws(row: row)
    text.append(contentsOf: UUIDGenerator.text(&draws).utf8)
    text.append(".")
    text.append(contentsOf: fileExtension.utf8)
  }

  /// Sets the cell to the contents of a row's file.
  func fillContents(_ cell: inout Cell, row: Int) {
    var draws = key.draws(row: row)
    contents.fill(&cell, row: row, draws: &draws)
  }

  /// The bytes of a row's file, without making it.
  func size(row: Int) -> Int {
    var draws = key.draws(row: row)
    return contents.count(row: row, draws: &draws)
  }
}

/// The size of the file whose name another attribute of the object holds, or 0 without one.
struct FileSizeGenerator: CellGenerator {
  let file: AttributeSource

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.set(Int64(file.fileSize(row: row)))
  }
}

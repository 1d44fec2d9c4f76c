/// Blobs of the file format that another attribute of the object names, such as `image/jpeg`.
struct FollowingBlobGenerator: CellGenerator {
  private let name: AttributeSource
  private let plain: BlobGenerator
  private let generators: [(ending: [UInt8], generator: BlobGenerator)]

  init(_ recipe: BlobRecipe, name: AttributeSource) {
    self.name = name
    plain = BlobGenerator(recipe)
    generators = Self.endings.map { ending, format in
      var recipe = recipe
      recipe.format = format
      return (Array(ending.utf8), BlobGenerator(recipe))
    }
  }

  /// How media types and the names of files end.
  private static let endings: [(String, BlobFormat)] = [
    ("jpeg", .jpeg), ("jpg", .jpeg), ("JPG", .jpeg), ("png", .png), ("pdf", .pdf),
    ("json", .json),
  ]

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    name.fill(&cell, row: row)
    let named = generators.first { cell.kind == .text && cell.bytes.ends(with: $0.ending) }
    (named?.generator ?? plain).fill(&cell, row: row, draws: &draws)
  }
}

extension [UInt8] {
  fileprivate func ends(with ending: [UInt8]) -> Bool {
    count >= ending.count && self[(count - ending.count)...].elementsEqual(ending)
  }
}

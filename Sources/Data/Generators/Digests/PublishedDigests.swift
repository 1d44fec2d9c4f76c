import Basics
import DataModel
import Foundation

/// The digests that stores of recipes must have, from the text file `digests.txt` beside them.
///
/// Each line has the form of `sha256sum`: a SHA-256, two blanks and a name. The name is `1M.sqlite`
/// for the file that `1M.yaml` gives with its own seed and counts, or `1M.content` for the content
/// of an aged store, whose bytes are SQLite's.
package struct PublishedDigests: Equatable {
  private static let fileName = "digests.txt"
  private static let largestFile = 1 << 20

  private let digests: [String: String]

  /// Reads the file beside a recipe; none published where there is no such file.
  ///
  /// - Throws: `DataModelError` where it cannot be read.
  package init(besideRecipe path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let path = folder + "/" + Self.fileName
    guard FileManager.default.fileExists(atPath: path) else {
      self.init(text: "")
      return
    }
    let bytes = try InputFile.bytes(path: path, limit: Self.largestFile)
    self.init(text: String(decoding: bytes, as: UTF8.self))
  }

  init(text: String) {
    var digests: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2, parts[0].utf8.count == 64 else { continue }
      digests[String(parts[1].drop { $0 == " " || $0 == "*" })] = parts[0].lowercased()
    }
    self.digests = digests
  }

  /// The digest of a recipe's store as the recipe stands in its file.
  package func digest(of recipe: Recipe) -> String? {
    digests[recipe.name + (recipe.age == nil ? ".sqlite" : ".content")]
  }
}

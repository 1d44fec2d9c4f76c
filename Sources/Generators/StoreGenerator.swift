import Foundation
import PersistentStore

/// Makes the store of a recipe.
package struct StoreGenerator: Sendable {
  /// What was made.
  package struct Result: Hashable, Sendable {
    package let file: StoreFile
    /// The path of the list of duplicates, `NAME.duplicates.csv`; `nil` where there are none.
    package let answerKey: String?
    package let objectCount: Int
  }

  /// The version of what recipes mean to generators; one that moves a byte has another.
  package static let version = 1

  package let dataset: Dataset
  package let writer: any StoreWriter

  package init(_ recipe: Recipe, writer: any StoreWriter = SQLStoreWriter()) {
    dataset = Dataset(recipe)
    self.writer = writer
  }

  /// The path of the list of duplicates of a store.
  package static func answerKeyPath(of file: StoreFile) -> String {
    let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
    return file.folder + "/" + name + ".duplicates.csv"
  }

  /// Makes the store with all that belongs to it beside its final name, and moves it there.
  ///
  /// Until it is whole nothing is seen under the final name; the main file comes last.
  ///
  /// - Throws: ``GeneratorsError`` and what SQLite and the file system say.
  @discardableResult
  package func generate(
    at path: String,
    replacing: Bool = false,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> Result {
    let file = StoreFile(path: path)
    guard replacing || !file.exists else { throw GeneratorsError.exists(path: path) }
    let folder = try BuildFolder(beside: path)
    let made = StoreFile(path: folder.path + "/" + file.name)
    try writer.write(StoreContents(dataset), to: made, progress: progress)
    let answers = AnswerKey(dataset)
    if answers.isNeeded {
      let bytes = Array(try answers.csv().utf8)
      var files = FileBytes()
      try bytes.withUnsafeBytes {
        try files.write($0, to: Self.answerKeyPath(of: made), durable: false)
      }
    }
    try moveIntoPlace(made, file, folder)
    return Result(
      file: file,
      answerKey: answers.isNeeded ? Self.answerKeyPath(of: file) : nil,
      objectCount: dataset.entities.reduce(0) { $0 + $1.count }
    )
  }

  private func moveIntoPlace(_ made: StoreFile, _ file: StoreFile, _ folder: BuildFolder) throws {
    if file.exists { try file.remove() }
    let pairs = [
      (made.supportFolder, file.supportFolder), (made.filesFolder, file.filesFolder),
      (Self.answerKeyPath(of: made), Self.answerKeyPath(of: file)), (made.path, file.path),
    ]
    for (source, target) in pairs where FileManager.default.fileExists(atPath: source) {
      try folder.move(source, to: target)
    }
  }
}

import Foundation
import PersistentStore

/// Makes the store of a recipe.
package struct StoreGenerator: Sendable {
  /// What was made.
  package struct Result: Hashable, Sendable {
    package let file: StoreFile
    /// The paths of the lists of duplicates and of defects, where there are any.
    package let answerKeys: [String]
    /// The objects that were made, those included that ageing deleted.
    package let objectCount: Int
    /// The digest of an aged store's content, versions included; `nil` for other stores.
    ///
    /// The bytes of an aged store are not the same with every version of SQLite.
    package let contentDigest: String?
  }

  /// The version of what recipes mean to generators; one that moves a byte has another.
  package static let version = 2

  package let dataset: Dataset
  package let writer: any StoreWriter

  package init(_ recipe: Recipe, writer: any StoreWriter = BulkStoreWriter()) {
    dataset = Dataset(recipe)
    self.writer = writer
  }

  /// Makes the store with all that belongs to it beside its final name, and moves it there.
  ///
  /// Until it is whole nothing is seen under the final name; the main file comes last.
  ///
  /// - Throws: ``GeneratorsError``, `PersistentStoreError/unwritableLayout` for a framework whose
  ///   layout no source shows, and what SQLite and the file system say.
  @discardableResult
  package func generate(
    at path: String,
    replacing: Bool = false,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> Result {
    let file = StoreFile(path: path)
    try LayoutGeneration.checkWritable(
      framework: dataset.recipe.frameworkVersion,
      keepsHistory: dataset.recipe.history != nil
    )
    guard replacing || !file.exists else { throw GeneratorsError.exists(path: path) }
    let folder = try BuildFolder(beside: path)
    let made = StoreFile(path: folder.path + "/" + file.name)
    try writer.write(StoreContents(dataset), to: made, progress: progress)
    if let age = dataset.recipe.age {
      try StoreAging(age, dataset: dataset, store: made).play(progress: progress)
    }
    let answers = try AnswerKeyFile.write(for: dataset, of: made)
    let digest =
      dataset.recipe.age == nil
      ? nil : try AgedContent.digest(of: made, layout: dataset.layout)
    try moveIntoPlace(made, file, folder)
    return Result(
      file: file,
      answerKeys: answers.map { $0.path(of: file) },
      objectCount: dataset.entities.reduce(0) { $0 + $1.count },
      contentDigest: digest
    )
  }

  private func moveIntoPlace(_ made: StoreFile, _ file: StoreFile, _ folder: BuildFolder) throws {
    if file.exists {
      try file.remove()
      // A list of what another store had would be taken for this one's.
      for answers in AnswerKeyFile.allCases {
        try? FileManager.default.removeItem(atPath: answers.path(of: file))
      }
    }
    let answers = AnswerKeyFile.allCases.map { ($0.path(of: made), $0.path(of: file)) }
    let pairs =
      [(made.supportFolder, file.supportFolder), (made.filesFolder, file.filesFolder)] + answers
      + [(made.wal, file.wal), (made.path, file.path)]
    for (source, target) in pairs where FileManager.default.fileExists(atPath: source) {
      try folder.move(source, to: target)
    }
  }
}

import DataModel
import Foundation
import PersistentStore
import SQLite

/// An entity with a searchable string, and the data that a strategy stores in addition to it.
struct SearchContent: Scenario {
  let plain: PlainEntity
  let parameters: SearchParameters
  let seed: UInt64
  let text: String
  /// The attribute that contains the normalized copy of the string; `nil` if the strategy needs no
  /// copy.
  let normalized: String?

  static let word = "word"
  static let place = "place"
  static let owner = "owner"
  static let searchWords = "searchWords"

  var keepsHistory: Bool { parameters.keepsHistory }
  var texts: SearchTexts { SearchTexts(parameters, seed: seed) }
  var wordEntity: String { entity + "Word" }

  init(_ model: Model, _ parameters: SearchParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    (self.parameters, self.seed) = (parameters, seed)
    text = plain.add(.string, named: "searchText")
    normalized =
      parameters.strategy == .normalized ? plain.add(.string, named: "normalizedText") : nil
    self.plain = plain
  }

  var model: Model {
    func index(_ name: String) -> FetchIndex {
      FetchIndex(name: "by\(name)", elements: [FetchIndex.Element(property: name)])
    }
    var item = plain.entity(indexes: normalized.map { [index($0)] } ?? [])
    guard parameters.strategy == .words else { return Model(entities: [item]) }
    item.relationships = [
      Relationship(
        name: Self.searchWords,
        destination: wordEntity,
        inverse: Self.owner,
        isToMany: true,
        deleteRule: .cascade
      )
    ]
    let word = Entity(
      name: wordEntity,
      attributes: [
        Attribute(name: Self.word, type: .string), Attribute(name: Self.place, type: .integer32),
      ],
      relationships: [
        Relationship(name: Self.owner, destination: entity, inverse: Self.searchWords)
      ],
      fetchIndexes: [index(Self.word)]
    )
    return Model(entities: [item, word])
  }

  /// The string with differences in case and diacritics removed, as an app normalizes it.
  static func normalized(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}

/// A word index that uses SQLite's FTS5, in its own file or in the store's file.
final class WordIndex {
  private static let create =
    "CREATE VIRTUAL TABLE search USING fts5(body, tokenize='unicode61 remove_diacritics 2')"

  let connection: Connection
  private let isBeside: Bool

  init(inside connection: Connection) {
    self.connection = connection
    isBeside = false
  }

  /// Opens the index in a file next to a store.
  init(beside store: StoreFile, mode: Connection.Mode, settings: ConnectionSettings) throws {
    let folder = store.filesFolder
    if mode == .create {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    connection = try Connection(path: folder + "/search.sqlite", mode: mode, settings: settings)
    isBeside = true
  }

  func make() throws {
    try connection.execute(Self.create)
    guard isBeside else { return }
    try connection.execute("CREATE TABLE progress (token INTEGER NOT NULL)")
    try connection.execute("INSERT INTO progress VALUES (0)")
  }

  func set(_ texts: [(key: Int64, text: String)], token: Int64? = nil) throws {
    try connection.transaction {
      let deletion = try connection.cached("DELETE FROM search WHERE rowid = ?")
      let insertion = try connection.cached("INSERT INTO search(rowid, body) VALUES (?, ?)")
      for (key, text) in texts {
        deletion.bind(key, at: 1)
        try deletion.run()
        insertion.bind(key, at: 1)
        insertion.bind(text, at: 2)
        try insertion.run()
      }
      guard let token else { return }
      let progress = try connection.cached("UPDATE progress SET token = ?")
      progress.bind(token, at: 1)
      try progress.run()
    }
  }

  /// The token of the last transaction that the index includes.
  func token() throws -> Int64 { try connection.integer("SELECT token FROM progress") ?? 0 }

  func keys(_ word: String, isFirst: Bool) throws -> [Int64] {
    let statement = try connection.cached("SELECT rowid FROM search WHERE search MATCH ?")
    defer { statement.reset() }
    statement.bind("\(isFirst ? "^ " : "")\"\(word)\" *", at: 1)
    return try statement.map { $0.integer(at: 0) }
  }
}

import DataModel
import Dispatch
import Foundation
import PersistentStore
import Runner
import SQLite

/// An open store with its index: searches and changes strings by one strategy.
final class SearchEngine {
  let store: PersistentStore
  let context: ObjectContext
  let index: WordIndex?
  let host = HostTime()
  /// The keys found by each search of each iteration.
  var found: [[[Int64]]] = []
  private let content: SearchContent
  private let parameters: SearchParameters
  private let texts: SearchTexts
  /// The words to search for, prepared before the timed searches.
  let searched: [String]
  private let table: String
  private let column: String
  /// The SQL that finds the objects whose string contains a word; `nil` if the strategy has no word
  /// objects.
  private let owners: String?

  init(_ store: PersistentStore, _ content: SearchContent, index: WordIndex?) throws {
    (self.store, self.content, self.index) = (store, content, index)
    (texts, parameters) = (content.texts, content.parameters)
    searched = texts.searched(parameters.searches).map(texts.folded)
    context = try ObjectContext(store: store)
    let names = try EntityNames(content.entity, in: store.layout)
    table = names.table
    column = try names.column(content.normalized ?? content.text)
    owners = parameters.strategy == .words ? try Self.owners(table, content, store.layout) : nil
    try FrameworkFunctions.registerSearch(
      on: store.connection,
      by: parameters.searchFunction,
      host.add
    )
  }

  // MARK: Searching strings

  func keys(_ word: String) throws -> [Int64] {
    let isFirst = parameters.match == .firstWord
    switch parameters.strategy {
    case .scan: return try scan(word, options: parameters.searchOptions)
    case .normalized where isFirst:
      guard let normalized = content.normalized else { return [] }
      let begins = Predicate.beginsWith(normalized, word)
      return try context.fetch(FetchRequest(content.entity, predicate: begins)).all().map(\.key)
    case .normalized: return try scan(word, options: [.literal])
    case .words: return try owners(of: word)
    case .ftsBeside, .ftsInside: return try index?.keys(word, isFirst: isFirst) ?? []
    case .inMemory: return try filter(word)
    }
  }

  private func scan(_ word: String, options: String.CompareOptions) throws -> [Int64] {
    let isLocalized = parameters.strategy == .scan && parameters.comparison == .localized
    var options = options
    if parameters.match == .firstWord { options.insert(.anchored) }
    // In public logs, the flag 32 marks a localized search.
    let flags = options.rawValue | (isLocalized ? 32 : 0)
    let statement = try store.connection.cached(
      "SELECT 0, t0.Z_PK FROM \(table) t0 WHERE "
        + "\(FrameworkFunctions.search)( t0.\(column), ?, \(flags), \(isLocalized ? 1 : 0))"
    )
    return try keys(statement, .text(word))
  }

  private static func owners(
    _ table: String,
    _ content: SearchContent,
    _ layout: StoreLayout
  ) throws -> String {
    let words = try EntityNames(content.wordEntity, in: layout)
    let (spelling, owner) = (
      try words.column(SearchContent.word), try words.column(SearchContent.owner)
    )
    let place =
      content.parameters.match == .firstWord
      ? " AND t1.\(try words.column(SearchContent.place)) = 0" : ""
    return "SELECT DISTINCT 0, t0.Z_PK FROM \(table) t0 JOIN \(words.table) t1 "
      + "ON t0.Z_PK = t1.\(owner) WHERE t1.\(spelling) >= ? AND t1.\(spelling) < ?\(place)"
  }

  private func owners(of word: String) throws -> [Int64] {
    guard let owners else { return [] }
    let statement = try store.connection.cached(owners)
    statement.bind(word + "\u{10FFFF}", at: 2)
    return try keys(statement, .text(word))
  }

  private func keys(_ statement: Statement, _ first: Value) throws -> [Int64] {
    defer { statement.reset() }
    statement.bind(first, at: 1)
    return try statement.map { $0.integer(at: 1) }
  }

  private func filter(_ word: String) throws -> [Int64] {
    let found = try context.fetch(FetchRequest(content.entity))
    var options = parameters.searchOptions
    if parameters.match == .firstWord { options.insert(.anchored) }
    let locale = parameters.comparison == .localized ? Locale(identifier: "en_US") : nil
    var keys: [Int64] = []
    try found.each { object in
      if case .text(let text) = try object.value(of: content.text),
        text.range(of: word, options: options, range: nil, locale: locale) != nil
      {
        keys.append(object.key)
      }
    }
    return keys
  }

  // MARK: Changing strings

  /// Sets an object's string, with its normalized copy or its words.
  func set(_ words: [SearchTexts.Word], of object: ManagedObject) throws {
    let text = texts.text(of: words)
    try object.setValue(.text(text), of: content.text)
    if let normalized = content.normalized {
      try object.setValue(.text(SearchContent.normalized(text)), of: normalized)
    }
    guard parameters.strategy == .words else { return }
    if !object.isInserted {
      for word in try object.targets(of: SearchContent.searchWords) { try context.delete(word) }
    }
    for (place, word) in text.split(separator: " ").enumerated() {
      let added = try context.insert(content.wordEntity)
      try added.setValue(.text(SearchContent.normalized(String(word))), of: SearchContent.word)
      try added.setValue(.integer(Int64(place)), of: SearchContent.place)
      try added.setTarget(object, of: SearchContent.owner)
    }
  }

  func save(_ keys: [Int64], version: Int) throws {
    for object in try context.load(content.entity, keys) {
      try set(texts.words(of: object.key, version: version), of: object)
    }
    try context.save()
    context.reset()
  }

  func keepUp(_ keys: [Int64], version: Int) throws {
    guard let index else { return }
    guard parameters.strategy == .ftsBeside else {
      return try index.set(
        keys.map { ($0, texts.text(of: texts.words(of: $0, version: version))) }
      )
    }
    let changes = try HistoryReader(store).changes(after: index.token())
    guard let token = changes.last?.transaction else { return }
    let changed = Set(changes.filter { $0.entity == content.entity }.map(\.key)).sorted()
    let statement = try store.connection.cached(
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.\(column) FROM \(table) t0 WHERE t0.Z_PK = ?"
    )
    var current: [(key: Int64, text: String)] = []
    for key in changed {
      statement.bind(key, at: 1)
      if try statement.step() { current.append((key, statement.text(at: 3))) }
      statement.reset()
    }
    try index.set(current, token: token)
  }
}

extension SearchParameters {
  fileprivate var searchOptions: String.CompareOptions {
    switch comparison {
    case .exact: []
    case .c: .caseInsensitive
    case .cd: [.caseInsensitive, .diacriticInsensitive]
    case .localized: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
    }
  }
}

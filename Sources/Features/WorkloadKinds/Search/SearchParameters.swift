import PersistentStore
import Runner

/// The parameters of one case.
struct SearchParameters: ParameterSet {
  @Parameter("how texts are searched") var strategy = Strategy.scan
  @Parameter("which words of a text are searched") var match = Match.anyWord
  @Parameter("which differences between letters are ignored") var comparison = Comparison.localized
  @Parameter("what compares texts inside statements (assumed)")
  var searchFunction = FrameworkFunctions.Search.foundation
  @Parameter("the script of the texts") var script = Script.latin
  @Parameter(1...1_000_000, "objects in the store") var objects = 10_000
  @Parameter(1...1_000, "number of words in a text") var words = 8
  @Parameter("whether texts are searched, or changed and then made searchable") var operation =
    Operation.search
  @Parameter(1...10_000, "number of searches, one after the other") var searches = 20
  @Parameter(1...10_000, "number of saves that change texts") var saves = 20
  @Parameter(1...10_000, "texts changed by a save") var objectsPerSave = 1
  @Parameter(.name, "entity whose attributes the objects have in addition to the text")
  var entity = ""

  var irrelevant: Set<ParameterName> {
    let isSearch = operation == .search
    let relevance = [
      ($comparison, strategy.comparesTexts && isSearch), ($match, isSearch),
      ($searchFunction, usesFunction), ($searches, isSearch), ($saves, !isSearch),
      ($objectsPerSave, !isSearch),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? {
    operation == .save ? tooFew(objects, "changes", objectsPerSave, "texts") : nil
  }
}

extension SearchParameters {
  /// How texts are searched.
  enum Strategy: String, CaseIterable, Sendable {
    /// CONTAINS or BEGINSWITH on the text: the frameworks' function for each row.
    case scan
    /// The same on a copy of the text without case and diacritics, with an index.
    case normalized
    /// An entity of words, each with its object, with an index.
    case words
    /// FTS5 in a file beside the store, brought up to date from the history.
    case ftsBeside
    /// FTS5 in the store's own file, which Apple does not support.
    case ftsInside
    /// All objects are fetched and compared in memory.
    case inMemory

    /// Whether the texts themselves are compared, by the options of the comparison.
    var comparesTexts: Bool { self == .scan || self == .inMemory }
    var usesFTS: Bool { self == .ftsBeside || self == .ftsInside }
  }

  enum Match: String, CaseIterable, Sendable {
    /// CONTAINS, or a word anywhere.
    case anyWord
    /// BEGINSWITH: the text starts so.
    case firstWord
  }

  /// What a comparison of letters ignores.
  enum Comparison: String, CaseIterable, Sendable {
    case exact
    /// `[c]`.
    case c
    /// `[cd]`.
    case cd
    /// `localizedStandardContains`, as in public logs: `[cd]` and width, in the user's language.
    case localized

    var ignoresCase: Bool { self != .exact }
    var ignoresMarks: Bool { self == .cd || self == .localized }
  }

  enum Script: String, CaseIterable, Sendable {
    case latin
    case cyrillic
    case greek
  }

  enum Operation: String, CaseIterable, Sendable {
    case search
    case save
  }

  /// What a comparison in effect ignores: an index knows no case and no marks, but for FTS5, whose
  /// tokenizer removes the diacritics of Latin letters alone.
  var effective: Comparison {
    if strategy.comparesTexts { return comparison }
    return strategy.usesFTS && script != .latin ? .c : .localized
  }

  /// Whether statements call the frameworks' function.
  var usesFunction: Bool {
    operation == .search && (strategy == .scan || strategy == .normalized && match == .anyWord)
  }

  var keepsHistory: Bool { strategy == .ftsBeside }
}

import PersistentStore
import Runner

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
  enum Strategy: String, CaseIterable, Sendable {
    /// Compares each row's string with Core Data's search function, as CONTAINS and BEGINSWITH do.
    case scan
    /// Searches an indexed copy of the string without case and diacritics.
    case normalized
    /// Looks up words in an indexed entity. Each of its objects is one word and refers to the
    /// object that contains the word.
    case words
    /// Uses FTS5 in a file next to the store; the file is updated from the history.
    case ftsBeside
    /// Uses FTS5 in the store's own file. Apple does not support this.
    case ftsInside
    /// Fetches all objects and compares them in memory.
    case inMemory

    /// Whether the original strings are compared, using the options of the comparison.
    var comparesTexts: Bool { self == .scan || self == .inMemory }
    var usesFTS: Bool { self == .ftsBeside || self == .ftsInside }
  }

  enum Match: String, CaseIterable, Sendable {
    /// Finds a word anywhere in the string, as CONTAINS does.
    case anyWord
    /// Finds a word at the beginning of the string, as BEGINSWITH does.
    case firstWord
  }

  /// The differences between characters that a comparison ignores.
  enum Comparison: String, CaseIterable, Sendable {
    case exact
    /// Ignores case, like `[c]`.
    case c
    /// Ignores case and diacritics, like `[cd]`.
    case cd
    /// Ignores case, diacritics and width in the user's language, as `localizedStandardContains`
    /// does in public logs.
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

  /// The comparison that the strategy actually makes.
  ///
  /// Indexes ignore case and diacritics, but FTS5's tokenizer removes only the diacritics of Latin
  /// letters.
  var effective: Comparison {
    if strategy.comparesTexts { return comparison }
    return strategy.usesFTS && script != .latin ? .c : .localized
  }

  /// Whether statements call Core Data's search function.
  var usesFunction: Bool {
    operation == .search && (strategy == .scan || strategy == .normalized && match == .anyWord)
  }

  var keepsHistory: Bool { strategy == .ftsBeside }
}

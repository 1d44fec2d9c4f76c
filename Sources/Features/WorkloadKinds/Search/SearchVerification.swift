import DataModel
import PersistentStore
import Runner
import SQLite

extension SearchWorkload {
  func outcome(
    of engine: SearchEngine,
    _ expected: ExpectedStore,
    _ content: SearchContent
  ) throws -> Outcome {
    if parameters.strategy == .ftsInside {
      expected.inspection.exceptions.insert(.unexpectedTable)
    }
    let texts = content.texts
    var words: [Int64: [SearchTexts.Word]] = [:]
    for key in 1...Int64(parameters.objects) { words[key] = texts.words(of: key, version: 0) }
    var lastWord = Int64(parameters.objects * parameters.words)
    for save in 0..<(onlyReads ? 0 : parameters.saves) {
      for key in changedKeys(save) {
        let changed = texts.words(of: key, version: version(save))
        words[key] = changed
        try change(key, to: changed, expected, content, after: &lastWord)
      }
    }
    if content.keepsHistory, !onlyReads { expected.history = .recording }
    let check = SearchCheck(parameters: parameters, texts: texts, words: words)
    let digest = onlyReads ? check.foundDigest : try textDigest(expected, content)
    return Outcome(
      problems: check.findings(engine.found) + (try check.indexFindings(engine.index)),
      digest: { digest }
    )
  }

  private func change(
    _ key: Int64,
    to words: [SearchTexts.Word],
    _ expected: ExpectedStore,
    _ content: SearchContent,
    after lastWord: inout Int64
  ) throws {
    let folded = words.map { content.texts.folded($0.stem) }
    var values = [(content.text, Value.text(content.texts.text(of: words)))] as [PropertyValue]
    if let normalized = content.normalized {
      values.append((normalized, .text(folded.joined(separator: " "))))
    }
    try expected.set(values, of: key, in: EntityNames(content.entity, in: expected.layout))
    guard parameters.strategy == .words else { return }
    // In the strategy `words`, new word objects replace the words of a changed string.
    let names = try EntityNames(content.wordEntity, in: expected.layout)
    try expected.change(
      "DELETE FROM \(names.table) WHERE \(names.column(SearchContent.owner)) = ?1",
      .integer(key)
    )
    for (place, word) in folded.enumerated() {
      lastWord += 1
      try expected.insert(
        lastWord,
        [
          (SearchContent.word, .text(word)), (SearchContent.place, .integer(Int64(place))),
          (SearchContent.owner, .integer(key)),
        ],
        in: names
      )
    }
  }

  /// The digest of all strings, excluding the additional data of a strategy.
  private func textDigest(_ expected: ExpectedStore, _ content: SearchContent) throws -> String {
    let names = try EntityNames(content.entity, in: expected.layout)
    let shape = ObjectDigest.Shape(entity: content.entity, properties: [content.text])
    var list = ListDigest()
    for row in try expected.read("SELECT Z_PK, \(names.column(content.text)) FROM \(names.table)") {
      var digest = ObjectDigest(shape, key: row[0].integer ?? 0)
      digest.add(ContentValue(row[1]))
      list.add(digest.value)
    }
    return list.unordered
  }
}

/// Compares the search results with the expected results, which are known from the words in the
/// strings.
private struct SearchCheck {
  let parameters: SearchParameters
  let texts: SearchTexts
  let words: [Int64: [SearchTexts.Word]]

  private func keys(_ isFound: ([SearchTexts.Word]) -> Bool) -> [Int64] {
    words.filter { isFound($0.value) }.map(\.key).sorted()
  }

  private func expected(_ stem: Int) -> [Int64] {
    keys { texts.matches($0, stem: stem, parameters) }
  }

  func findings(_ found: [[[Int64]]]) -> [String] {
    guard !found.isEmpty else { return [] }
    var findings = Findings<String>(limit: 5)
    let stems = texts.searched(parameters.searches)
    let wanted = stems.map(expected)
    for (iteration, results) in found.enumerated() {
      for (index, keys) in results.enumerated() where keys.sorted() != wanted[index] {
        findings.add(
          "iteration \(iteration + 1) found \(keys.count) texts with "
            + "'\(texts.folded(stems[index]))' instead of \(wanted[index].count)"
        )
      }
    }
    return findings.sentences
  }

  /// The digest of all keys that the searches must find.
  var foundDigest: String {
    var list = ListDigest()
    for (index, stem) in texts.searched(parameters.searches).enumerated() {
      for key in expected(stem) {
        var digest = ObjectDigest(ObjectDigest.Shape(entity: "search", properties: []), key: key)
        digest.add(Int64(index))
        list.add(digest.value)
      }
    }
    return list.unordered
  }

  /// Returns one sentence per word for which the index finds the wrong objects.
  func indexFindings(_ index: WordIndex?) throws -> [String] {
    guard let index else { return [] }
    var findings = Findings<String>(limit: 5)
    for stem in texts.searched(20) {
      let wanted = keys {
        $0.contains { $0.stem == stem && (parameters.effective.ignoresMarks || !$0.isMarked) }
      }
      let found = try index.keys(texts.folded(stem), isFirst: false).sorted()
      if found != wanted {
        findings.add(
          "the index has \(found.count) texts with '\(texts.folded(stem))' instead of "
            + "\(wanted.count)"
        )
      }
    }
    return findings.sentences
  }
}

import DataModel
import PersistentStore
import Runner
import SQLite

extension SearchWorkload {
  package func verify(_ session: SearchSession, _ trial: Trial) throws -> Verification {
    let outcome = try SearchOutcome(self, trial)
    let problems =
      try outcome.contentProblems() + outcome.findings(session.found)
      + outcome.indexProblems(session.engine.index)
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: onlyReads ? outcome.foundDigest : try outcome.textDigest(),
      notes: ["objects shaped as '\(parameters.entity)'"]
    )
  }
}

/// Compares what was found and saved with what follows from the words that were drawn.
private struct SearchOutcome {
  private let workload: SearchWorkload
  private let trial: Trial
  private let model: SearchModel
  private let layout: StoreLayout
  private let texts: SearchTexts
  /// The words of each object's text, by key.
  private let words: [Int64: [SearchTexts.Word]]
  /// How often each object was saved again.
  private let updates: [Int64: Int]

  private var parameters: SearchParameters { workload.parameters }

  init(_ workload: SearchWorkload, _ trial: Trial) throws {
    self.workload = workload
    self.trial = trial
    let parameters = workload.parameters
    model = try SearchModel(trial.original.ownModel(), parameters)
    layout = StoreLayout(model: model.model, keepsHistory: parameters.keepsHistory)
    texts = SearchTexts(parameters, seed: trial.seed)
    var versions: [Int64: Int] = [:]
    var updates: [Int64: Int] = [:]
    if parameters.operation == .save {
      for save in 0..<parameters.saves {
        for key in workload.changedKeys(save) {
          versions[key] = workload.version(save)
          updates[key, default: 0] += 1
        }
      }
    }
    self.updates = updates
    var words: [Int64: [SearchTexts.Word]] = [:]
    for key in 1...Int64(parameters.objects) {
      words[key] = texts.words(of: key, version: versions[key] ?? 0)
    }
    self.words = words
  }

  // MARK: What was found

  private func expected(_ stem: Int) -> [Int64] {
    words.filter { texts.matches($0.value, stem: stem, parameters) }.map(\.key).sorted()
  }

  func findings(_ found: [[[Int64]]]) -> [String] {
    guard workload.onlyReads else { return [] }
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

  /// The digest of all keys that all searches must find.
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

  // MARK: What was saved

  func contentProblems() throws -> [String] {
    var expected = ExpectedContent(from: try StoreContent(store: trial.start, layout: layout))
    if !updates.isEmpty {
      try expected.change(model.entity) { object in
        guard let count = updates[object.key], let words = words[object.key] else { return }
        let text = texts.text(of: words)
        try object.set(model.text, .text(text))
        if let normalized = model.normalized {
          let folded = words.map { texts.folded($0.stem) }.joined(separator: " ")
          try object.set(normalized, .text(folded))
        }
        object.version = .integer(1 + Int64(count))
      }
      if parameters.strategy == .words { try expectWords(&expected) }
    }
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    if parameters.strategy == .ftsInside { inspection.exceptions.insert(.unexpectedTable) }
    let isRecording = layout.keepsHistory && !workload.onlyReads
    return try inspection.problems(
      expecting: expected,
      history: isRecording ? .recording : .unchanged
    ) { $0.comparesVersions = true }
  }

  /// The words of changed texts are new objects, whose keys follow from the order of the saves.
  private func expectWords(_ expected: inout ExpectedContent) throws {
    let (count, updates) = (parameters.words, updates)
    try expected.remove(model.wordEntity) { key in
      updates[(key - 1) / Int64(count) + 1] != nil
    }
    var last = Int64(parameters.objects * count)
    for save in 0..<parameters.saves {
      for key in workload.changedKeys(save) {
        defer { last += Int64(count) }
        let isLast = !(save + 1..<parameters.saves).contains {
          workload.changedKeys($0).contains(key)
        }
        guard isLast, let words = words[key] else { continue }
        for (place, word) in words.enumerated() {
          var object = try expected.makeObject(model.wordEntity, key: last + Int64(place) + 1)
          try object.set(SearchModel.word, .text(texts.folded(word.stem)))
          try object.set(SearchModel.place, .integer(Int64(place)))
          let owner = ContentReference(entity: model.entity, key: key)
          try object.set(SearchModel.owner, .object(owner))
          expected.add([object])
        }
      }
    }
  }

  /// Whether an index finds what the texts have.
  func indexProblems(_ index: WordIndex?) throws -> [String] {
    guard let index else { return [] }
    var findings = Findings<String>(limit: 5)
    for stem in texts.searched(20) {
      let wanted = words.filter { words in
        words.value.contains {
          $0.stem == stem && (parameters.effective.ignoresMarks || !$0.isMarked)
        }
      }.map(\.key).sorted()
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

  /// The digest of all texts as they lie in the store, whatever a strategy keeps beside them.
  func textDigest() throws -> String {
    let content = try StoreContent(store: trial.store, layout: layout)
    let shape = ObjectDigest.Shape(entity: model.entity, properties: [model.text])
    let cursor = try content.objects(of: model.entity)
    var list = ListDigest()
    while let object = try cursor.next() {
      var digest = ObjectDigest(shape, key: object.key)
      digest.add(object[model.text] ?? .null)
      list.add(digest.value)
    }
    return list.unordered
  }
}

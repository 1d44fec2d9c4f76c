import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

extension SessionWorkload {
  func evidence(_ session: SessionRun, _ trial: Trial) -> Evidence? {
    let facts = session.shown.joined().map {
      "\($0.step) \($0.word ?? "") \($0.places) \($0.log.fact)"
    }
    return Evidence(stores: onlyReads ? [] : [trial.store], facts: facts)
  }

  func verify(_ session: SessionRun, _ trial: Trial) throws -> Verification {
    let expected = ExpectedStore(trial, session.layout)
    // A store made elsewhere may have faults of its own.
    expected.inspection.toleratesOldFaults = true
    if session.isRepeated { expected.inspection.exceptions.insert(.historyGap) }
    let edits = session.script.steps.flatMap(\.edits)
    if let name = session.setting.edited, !edits.isEmpty {
      let names = try EntityNames(session.setting.subject.entity.name, in: session.layout)
      for edit in edits { try expected.set([(name, edit.value)], of: edit.key, in: names) }
      if parameters.engine == .objectGraph { expected.history = .recording }
    }
    var problems = try expected.problems()
    if problems.isEmpty {
      let start = try StoreContent(store: trial.start, layout: session.layout)
      problems = try ShownScreens(parameters: parameters, session: session, start: start).problems()
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(digest: try expected.inspection.digest())
  }
}

/// Compares what a session has shown with the store that it started from.
private struct ShownScreens {
  let parameters: SessionParameters
  let session: SessionRun
  let start: StoreContent

  /// What is wrong with the objects that were shown.
  func problems() throws -> [String] {
    var findings = Findings<String>(limit: 5)
    var expected: [String?: FetchVerification.ExpectedObjects] = [:]
    let values = try ShownValues(session, start)
    for shown in session.shown.joined() {
      let objects = try expected[shown.word] ?? self.expected(shown.word)
      expected[shown.word] = objects
      let list = shown.word.map { "the texts that begin with '\($0)'" } ?? "the list"
      if shown.log.fetched != objects.count {
        findings.add("\(list): \(shown.log.fetched) objects found, and \(objects.count) are there")
      } else if let problem = objects.problem(with: shown.log.keys, at: Array(shown.places)) {
        findings.add("\(list): \(problem)")
      } else if let problem = try values.problem(with: shown) {
        findings.add("\(list): \(problem)")
      }
    }
    return findings.sentences
  }

  /// What a list must show, found by plain SQL.
  private func expected(_ word: String?) throws -> FetchVerification.ExpectedObjects {
    try FetchVerification.ExpectedObjects(
      parameters.list,
      session.setting.subject(beginningWith: word),
      in: start
    )
  }

  /// The values that objects had when they were shown.
  private struct ShownValues {
    private let session: SessionRun
    private let start: StoreContent
    private let lookup: ContentLookup
    private let links: FetchVerification.ExpectedLinks?
    /// The new value of each object that is edited, and by which action.
    private var edits: [Int64: (step: Int, value: Value)] = [:]

    init(_ session: SessionRun, _ start: StoreContent) throws {
      self.session = session
      self.start = start
      let subject = session.setting.subject
      lookup = try start.lookup(subject.shape)
      links = try subject.touched.map {
        try FetchVerification.ExpectedLinks($0, of: subject.entity.name, in: start)
      }
      for (number, step) in session.script.steps.enumerated() {
        for edit in step.edits { edits[edit.key] = (number, edit.value) }
      }
    }

    func problem(with shown: SessionRun.Shown) throws -> String? {
      var log = ReadLog()
      for key in shown.log.keys {
        guard let digest = try digest(of: key, at: shown.step) else {
          return "object \(key) is not in the store"
        }
        log.add(key, digest)
        guard let links else { continue }
        guard let link = try links.digest(from: key) else {
          return "'\(links.name)' of object \(key) leads to an object that is not there"
        }
        log.add(link: link)
      }
      if log.objects.ordered != shown.log.objects.ordered {
        return "the values shown at positions \(shown.places) differ from those in the store"
      }
      if log.links.ordered != shown.log.links.ordered {
        return
          "the to-one relationships shown at positions \(shown.places) differ from those in the store"
      }
      return nil
    }

    private func digest(of key: Int64, at step: Int) throws -> UInt64? {
      guard let edit = edits[key], edit.step < step || session.saved.contains(key),
        let name = session.setting.edited
      else {
        return try lookup.digest(of: key)
      }
      let shape = session.setting.subject.shape
      let table = try start.table(of: shape.entity)
      guard let object = try start.object(key: key, in: table) else { return nil }
      var digest = ObjectDigest(shape, key: key)
      for property in shape.properties {
        digest.add(property == name ? ContentValue(edit.value) : object[property] ?? .null)
      }
      return digest.value
    }
  }
}

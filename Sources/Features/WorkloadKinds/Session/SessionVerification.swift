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
    // Tolerate existing defects, because StoreBench may not have generated the store.
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

/// Compares the screens that a session has shown with the store on which it started.
private struct ShownScreens {
  let parameters: SessionParameters
  let session: SessionRun
  let start: StoreContent

  private var subject: FetchSubject { session.setting.subject }

  func problems() throws -> [String] {
    var findings = Findings<String>(limit: 5)
    var expected: [String?: FetchVerification.ExpectedObjects] = [:]
    let reading = try FetchVerification.ExpectedReading(subject, in: start)
    let edits = session.script.steps.enumerated().flatMap { step in
      step.element.edits.map { ($0.key, (step: step.offset, value: $0.value)) }
    }
    let edited = Dictionary(keepingFirst: edits)
    for shown in session.shown.joined() {
      let objects = try expected[shown.word] ?? self.expected(shown.word)
      expected[shown.word] = objects
      let list = shown.word.map { "the texts that begin with '\($0)'" } ?? "the list"
      if shown.log.fetched != objects.count {
        findings.add("\(list): \(shown.log.fetched) objects found, and \(objects.count) are there")
      } else if let problem = objects.problem(with: shown.log.keys, at: Array(shown.places)) {
        findings.add("\(list): \(problem)")
      } else {
        let log = try reading.log(
          of: shown.log.keys,
          changed: { key in
            guard let edit = edited[key], edit.step < shown.step || session.saved.contains(key)
            else { return nil }
            return try digest(of: key, edited: edit.value)
          }
        )
        for difference in shown.log.differences(from: log, subject) {
          findings.add("\(list), positions \(shown.places): \(difference)")
        }
      }
    }
    return findings.sentences
  }

  /// The objects that a list must show, found by plain SQL.
  private func expected(_ word: String?) throws -> FetchVerification.ExpectedObjects {
    try FetchVerification.ExpectedObjects(
      parameters.list,
      session.setting.subject(beginningWith: word),
      in: start
    )
  }

  /// The digest of an object with its new value.
  private func digest(of key: Int64, edited value: Value) throws -> UInt64? {
    let shape = subject.shape
    guard let object = try start.object(key: key, in: start.table(of: shape.entity)) else {
      return nil
    }
    var digest = ObjectDigest(shape, key: key)
    for property in shape.properties {
      let isEdited = property == session.setting.edited
      digest.add(isEdited ? ContentValue(value) : object[property] ?? .null)
    }
    return digest.value
  }
}

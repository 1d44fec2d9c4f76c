import DataModel
import PersistentStore
import Runner

/// Holds what a case read against the store it was made from, read by plain SQL.
struct FetchVerification {
  let parameters: FetchParameters
  let subject: FetchSubject
  let content: StoreContent
  let path: AccessPath

  /// The digest of what had to be read.
  ///
  /// - Throws: ``VerificationFailure``.
  func check(_ logs: [ReadLog]) throws -> String {
    let expected = try ExpectedObjects(parameters, subject, in: content)
    let count = parameters.strategy == .count ? expected.unlimitedCount : expected.count
    for log in logs where log.fetched != count {
      throw VerificationFailure(["\(log.fetched) objects were found, and \(count) are there"])
    }
    guard parameters.strategy != .count, path.pattern != .none else { return "\(count) objects" }
    let places = path.ranges(count: count).flatMap { Array($0) }
    var digest = ""
    var checked: [Int64]?
    var expectedRead = ReadLog()
    for log in logs {
      if let problem = expected.problem(with: log.keys, at: places) {
        throw VerificationFailure([problem])
      }
      if log.keys != checked {
        expectedRead = try read(log.keys)
        checked = log.keys
      }
      try compare(log, with: expectedRead)
      digest = log.objects.unordered
    }
    return digest
  }

  /// What reading these objects gives.
  private func read(_ keys: [Int64]) throws -> ReadLog {
    let lookup = try content.lookup(subject.shape)
    let links = try subject.touched.map {
      try ExpectedLinks($0, of: subject.entity.name, in: content)
    }
    var log = ReadLog()
    for (number, key) in keys.enumerated() {
      guard let object = try lookup.digest(of: key) else {
        throw VerificationFailure(["\(subject.entity.name) \(key) is not in the store"])
      }
      log.add(key, object)
      guard let links, path.isTouched(number) else { continue }
      guard let link = try links.digest(from: key) else {
        throw VerificationFailure([
          "'\(links.name)' of \(subject.entity.name) \(key) leads to an object that is not there"
        ])
      }
      log.add(link: link)
    }
    return log
  }

  private func compare(_ log: ReadLog, with expected: ReadLog) throws {
    var findings: [String] = []
    if log.objects.ordered != expected.objects.ordered {
      findings.append(
        "the values read of \(log.objects.count) objects of '\(subject.entity.name)' "
          + "are not the store's"
      )
    }
    if log.links.ordered != expected.links.ordered {
      findings.append(
        "what '\(subject.touched?.relationship.name ?? "")' of \(expected.links.count) objects of "
          + "'\(subject.entity.name)' leads to is not what was read"
      )
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
  }
}

/// Why two sides cannot be compared, or one case of theirs.
package enum LiveError: Error, Equatable {
  /// The work or its verification failed.
  case failed(String)
  /// Both sides had to reach the same content.
  case otherContent(base: String, head: String)
  /// A program that takes no turns, or takes them otherwise.
  case otherProtocol(worker: String, detail: String)
  /// Another SQLite library than the one asked for.
  case otherSQLite(worker: String, expected: String, found: String)
  /// Two sides without a case of the same ID.
  case nothingInCommon(base: String, example: String)
  /// A side that is written wrongly, or of a kind that there is not.
  case invalidSide(String, problem: String)
  /// A program, library or folder that is not there or does not do.
  case unusable(String, problem: String)
}

extension LiveError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .failed(let cause): cause
    case .otherContent(let base, let head):
      "the base reached the content \(base), the head \(head)"
    case .otherProtocol(let worker, let detail):
      "'\(worker)' does not take turns as version \(LockstepFrame.version) of the protocol has it "
        + "(\(detail)): build it from sources that do"
    case .otherSQLite(let worker, let expected, let found):
      "'\(worker)' runs with the SQLite of '\(found)', not with that of '\(expected)'"
    case .nothingInCommon(let base, let example):
      "'\(base)' has no case with the ID of one of these, such as '\(example)'"
    case .invalidSide(let side, let problem): "'--against \(side)' \(problem)"
    case .unusable(let path, let problem): "'\(path)' \(problem)"
    }
  }

  /// Whether every other case of the side would meet it as well.
  var isOfTheSide: Bool {
    switch self {
    case .failed, .otherContent: false
    default: true
    }
  }
}

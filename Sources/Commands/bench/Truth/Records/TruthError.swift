/// What can go wrong with the bench of the comparison itself.
enum TruthError: Error, Equatable {
  case otherLedger(path: String)
  case brokenLedger(path: String, line: Int)
  case cannotWrite(path: String)
  case failed(id: String, cause: String)
  case noProgram(path: String)
  case unusableTime(String)
}

extension TruthError: CustomStringConvertible {
  var description: String {
    switch self {
    case .otherLedger(let path):
      "'\(path)' has other columns than this build writes: give '--results' another folder"
    case .brokenLedger(let path, let line): "line \(line) of '\(path)' is no record: remove it"
    case .cannotWrite(let path): "cannot write to '\(path)'"
    case .failed(let id, let cause): "'\(id)' failed, so nothing can be said of times: \(cause)"
    case .noProgram(let path): "there is no program at '\(path)': build storebench first"
    case .unusableTime(let text): "'\(text)' is no time: give more than 0"
    }
  }
}

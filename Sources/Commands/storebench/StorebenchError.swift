import Measurement

/// What only a command can find wrong.
enum StorebenchError: Error, Equatable, CustomStringConvertible {
  case debugBuild
  /// The output folder holds the result of another run.
  case hasResult(folder: String)
  case noExecutable
  /// No digest is published for the recipe, or not for the seed and the counts asked for.
  case noDigest(recipe: String)
  /// There is nothing to compare with.
  case noBaseline(path: String, command: String)
  /// The result cannot be held against the baseline of its SQLite build.
  case staleBaseline(path: String, MeasurementError, command: String)
  /// Times were to be judged beside a baseline, which has none.
  case baselineWithoutTimes
  /// No case is of a kind whose launches can be killed and begun again.
  case nothingToKill

  var description: String {
    switch self {
    case .debugBuild:
      "this is a debug build, whose times mean nothing: build with 'swift build -c release', or "
        + "pass --allow-debug"
    case .hasResult(let folder):
      "'\(folder)' holds a result already: choose another folder, or pass --force"
    case .noDigest(let recipe):
      "digests.txt beside '\(recipe)' has no digest of this store: '--verify' knows only those of "
        + "the recipe's own seed and counts"
    case .noBaseline(let path, let command):
      "there is no baseline at '\(path)'; to make the first one: \(command)"
    case .staleBaseline(let path, let error, let command):
      "'\(path)': \(error); where that is meant to be so: \(command)"
    case .baselineWithoutTimes:
      "'--earlier' needs a result to compare with: a baseline has no times"
    case .nothingToKill:
      "no case can be killed and launched again: '--kill' and '--watchdog' are for migrations"
    case .noExecutable: "this program cannot find its own file, to run trials in their own process"
    }
  }
}

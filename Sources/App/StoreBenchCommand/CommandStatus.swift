import Basics
import Compare
import DataModel
import Forecasting
import Generators
import Inspector
import PersistentStore
import Reporter
import Runner
import SQLite

/// What the process ends with, so that scripts can tell why.
struct CommandStatus: Hashable {
  static let done = CommandStatus(code: 0)
  /// A case failed, or its verification did.
  static let caseFailed = CommandStatus(code: 1)
  /// A cost rose.
  static let regression = CommandStatus(code: 2)
  static let undecided = CommandStatus(code: 3)
  static let misuse = CommandStatus(code: 64)
  static let badInput = CommandStatus(code: 65)
  static let noInput = CommandStatus(code: 66)
  static let bug = CommandStatus(code: 70)
  static let cannotWrite = CommandStatus(code: 73)
  static let failedIO = CommandStatus(code: 74)
  /// Cases of a plan are missing: run them and merge again.
  static let partial = CommandStatus(code: 75)
  static let interrupted = CommandStatus(code: 130)

  let code: Int32
}

extension CommandStatus {
  /// The status of merged results.
  ///
  /// Missing cases come before all of them: the rest of the verdict is still to come.
  init(merged document: ResultDocument) {
    let isWhole = document.plan?.missing.isEmpty ?? true
    self = isWhole ? CommandStatus(of: document) : .partial
  }

  /// The status of a run.
  init(of document: ResultDocument) {
    self = document.failedCases.isEmpty ? .done : .caseFailed
  }
}

extension CommandStatus {
  /// The status of a command that ended with an error.
  init(of error: any Error) {
    switch error {
    case RunnerError.noCaseMatches, RunnerError.noSuchTask, StorebenchError.debugBuild,
      StorebenchError.baselineWithoutTimes, StorebenchError.nothingToKill,
      StorebenchError.nothingToRestart, StorebenchError.noKind, StorebenchError.noCommit:
      self = .misuse
    case RunnerError.noSuchInput, RunnerError.noWorkloadFiles, RunnerError.cannotRead,
      PersistentStoreError.missing, ReporterError.missing, ReporterError.cannotRead,
      DataModelError.noSuchFile, DataModelError.unreadable, InspectorError.noStores,
      InspectionError.noSuchFile:
      self = .noInput
    case RunnerError.cannotWrite, PersistentStoreError.exists, GeneratorsError.exists,
      GeneratorsError.cannotWrite, ReporterError.cannotWrite, LadderError.cannotKeep,
      StorebenchError.hasResult, StorebenchError.fileExists, is AtomicFile.Failure:
      self = .cannotWrite
    case RunnerError.cannotCopy, RunnerError.notEnoughDisk, is SQLiteError: self = .failedIO
    case RunnerError.interrupted: self = .interrupted
    case StorebenchError.noExecutable, InspectionError.otherLayout: self = .bug
    case is RunnerError, is LiveError, is PersistentStoreError, is GeneratorsError,
      is ReporterError, is DataModelError, is StorebenchError, is InspectorError,
      is InspectionError, is MeasurementError, is ForecastingError, is LadderError,
      is ObservationError, is MergeError:
      self = .badInput
    default: self = .bug
    }
  }
}

/// What only a command can find wrong.
enum StorebenchError: Error, Equatable, CustomStringConvertible {
  case debugBuild
  /// The output folder holds the result of another run.
  case hasResult(folder: String)
  case noExecutable
  /// A new file would replace one.
  case fileExists(path: String)
  /// No digest is published for the recipe, or not for the seed and the counts asked for.
  case noDigest(recipe: String)
  /// Times were to be judged beside a baseline, which has none.
  case baselineWithoutTimes
  /// No case writes anything.
  case nothingToKill
  /// A kind whose launches do not go on with what one before has left.
  case nothingToRestart(String)
  /// No commit was named, and the result has none.
  case noCommit
  /// The history has no change of the metric.
  case noChange(metric: String, caseID: String)
  /// A commit cannot be measured.
  case cannotMeasure(commit: String, reason: String)
  /// The program lacks the kind that a command works with.
  case noKind(String, command: String)

  var description: String {
    switch self {
    case .debugBuild:
      "times of a debug build are meaningless: build with 'swift build -c release', or pass "
        + "--allow-debug"
    case .fileExists(let path): "'\(path)' exists already: choose another name"
    case .hasResult(let folder):
      "'\(folder)' holds a result already: choose another folder, or pass --force"
    case .noDigest(let recipe):
      "digests.txt beside '\(recipe)' has no digest of this store: '--verify' works only with the "
        + "recipe's own seed and counts"
    case .baselineWithoutTimes:
      "'--earlier' needs a result to compare with: a baseline has no times"
    case .nothingToKill:
      "no case writes anything: 'crash-test' is for cases that change a store"
    case .nothingToRestart(let kind):
      "'--watchdog' is for kinds that go on at the next launch, such as migrations: '\(kind)' does not"
    case .noCommit:
      "the result contains no commit: pass the measured commit with --commit HASH"
    case .noChange(let metric, let caseID):
      "the history has no change of '\(metric)' in '\(caseID)': see 'storebench history show'"
    case .cannotMeasure(let commit, let reason):
      "cannot measure '\(commit)': \(reason)"
    case .noKind(let kind, let command):
      "'\(command)' needs the kind '\(kind)', which this program does not contain: use 'storebench'"
    case .noExecutable: "this program cannot find its own file, to run trials in their own process"
    }
  }
}

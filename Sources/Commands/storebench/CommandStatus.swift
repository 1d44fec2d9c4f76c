import DataModel
import Forecasting
import Generators
import Inspector
import Ladder
import Measurement
import PersistentStore
import Reporter
import Runner
import SQLite

/// What the process ends with, so that scripts can tell why.
struct CommandStatus: Hashable {
  static let done = CommandStatus(code: 0)
  /// A case failed, or its verification did.
  static let caseFailed = CommandStatus(code: 1)
  static let regression = CommandStatus(code: 2)
  static let undecided = CommandStatus(code: 3)
  static let misuse = CommandStatus(code: 64)
  static let badInput = CommandStatus(code: 65)
  static let noInput = CommandStatus(code: 66)
  static let bug = CommandStatus(code: 70)
  static let cannotWrite = CommandStatus(code: 73)
  static let failedIO = CommandStatus(code: 74)
  static let interrupted = CommandStatus(code: 130)

  let code: Int32
}

extension CommandStatus {
  /// The status of a command that ended with an error.
  init(of error: any Error) {
    switch error {
    case let error as RunnerError: self.init(error)
    case is LiveError: self = .badInput
    case let error as PersistentStoreError: self.init(error)
    case let error as GeneratorsError: self.init(error)
    case let error as ReporterError: self.init(error)
    case let error as DataModelError: self.init(error)
    case let error as StorebenchError: self.init(error)
    case let error as InspectorError: self.init(error)
    case let error as InspectionError: self.init(error)
    case is MeasurementError, is ForecastingError: self = .badInput
    case let error as LadderError: self.init(error)
    case is SQLiteError: self = .failedIO
    default: self = .bug
    }
  }

  private init(_ error: RunnerError) {
    switch error {
    case .noCaseMatches: self = .misuse
    case .invalid, .tooManyCases, .newerFormat, .changedMeanwhile: self = .badInput
    case .noSuchInput, .noWorkloadFiles, .cannotRead: self = .noInput
    case .cannotWrite: self = .cannotWrite
    case .cannotCopy, .notEnoughDisk: self = .failedIO
    case .interrupted: self = .interrupted
    }
  }

  private init(_ error: PersistentStoreError) {
    switch error {
    case .missing: self = .noInput
    case .exists: self = .cannotWrite
    default: self = .badInput
    }
  }

  private init(_ error: GeneratorsError) {
    switch error {
    case .exists, .cannotWrite: self = .cannotWrite
    default: self = .badInput
    }
  }

  private init(_ error: ReporterError) {
    switch error {
    case .missing, .cannotRead: self = .noInput
    case .cannotWrite: self = .cannotWrite
    case .notAResult, .notABaseline, .severalBaselines, .malformed: self = .badInput
    }
  }

  private init(_ error: DataModelError) {
    switch error {
    case .noSuchFile, .unreadable: self = .noInput
    default: self = .badInput
    }
  }

  private init(_ error: InspectorError) {
    switch error {
    case .noStores: self = .noInput
    case .notInspectable: self = .badInput
    }
  }

  private init(_ error: InspectionError) {
    switch error {
    case .noSuchFile: self = .noInput
    default: self = .badInput
    }
  }

  private init(_ error: LadderError) {
    switch error {
    case .cannotKeep: self = .cannotWrite
    default: self = .badInput
    }
  }

  private init(_ error: StorebenchError) {
    switch error {
    case .debugBuild, .baselineWithoutTimes, .nothingToKill: self = .misuse
    case .hasResult: self = .cannotWrite
    case .noExecutable: self = .bug
    case .noBaseline: self = .noInput
    case .noDigest, .staleBaseline: self = .badInput
    }
  }
}

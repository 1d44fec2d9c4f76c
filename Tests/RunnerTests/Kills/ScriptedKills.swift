import PersistentStore
import Runner
import SQLite
import Synchronization

/// A kind whose remains after a kill are what a test says.
struct KillableTally: Workload {
  static let kind = "killableTally"
  static let summary = "a tally that can be killed"
  static let isRestartable = true

  struct Parameters: ParameterSet {
    @Parameter(.name, "what a kill leaves") var leaves = "old"
    @Parameter("whether there is nothing between") var isAtomic = true
    @Parameter(0...9, "objects that a kill takes") var loses = 0
  }

  let isAtomic: Bool
  private let state: Remains.State?
  private let lost: Int

  init(_ parameters: Parameters) {
    isAtomic = parameters.isAtomic
    state = Remains.State(rawValue: parameters.leaves)
    lost = parameters.loses
  }

  var onlyReads: Bool { false }
  var endState: String { "done" }

  func prepare(_ trial: Trial) throws {}
  func run(_ session: Void, _ recorder: Recorder) throws {}
  func verify(_ session: Void, _ trial: Trial, failure: (any Error)?) throws -> Verification {
    Verification(digest: "done")
  }

  func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains {
    guard let state else { throw SQLiteError(code: 11, message: "malformed", context: "read") }
    return Remains(state, digest: state.rawValue, lost: lost)
  }
}

/// Launches nothing: a launch with a kill is killed, the others end in a content that a test gives.
final class ScriptedLauncher: Launcher {
  /// By launch, counted from 0, where it is not that of an undisturbed one.
  let endings: [Int: LaunchEnding]
  let requests = Mutex<[TrialRequest]>([])

  init(endings: [Int: LaunchEnding] = [:]) {
    self.endings = endings
  }

  static func finished(_ digest: String) -> LaunchEnding {
    var response = TrialResponse(outcome: .passed(Verification(digest: digest)))
    response.events = [.write: 10, .commit: 2]
    return .finished(response)
  }

  func launch(_ request: TrialRequest, within limits: TrialLimits) throws -> LaunchEnding {
    let number = requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
    if let ending = endings[number] { return ending }
    return request.faults?.kill == nil && limits.time > 1 ? Self.finished("done") : .killed
  }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    TrialResponse(outcome: .passed(Verification(digest: "")))
  }
}

import PersistentStore
import Runner
import SQLite
import Synchronization

/// A workload kind for which a test sets the state of the store after a kill.
struct KillableTally: WorkloadKind {
  static let description = KindDescription(
    name: "killableTally",
    summary: "a tally that can be killed",
    remains: { values, _, _, _ in try KillableTally(parameters: values).remains() }
  )

  struct Parameters: ParameterSet {
    @Parameter(.name, "what a kill leaves") var leaves = "old"
    @Parameter("whether there is nothing between") var isAtomic = true
    @Parameter(0...9, "objects that a kill takes") var loses = 0
  }

  let parameters: Parameters

  var traits: CaseTraits {
    var traits = CaseTraits(endState: "done")
    traits.isAtomic = parameters.isAtomic
    return traits
  }

  func prepare(_ trial: Trial) throws {}
  func run(_ session: Void, _ recorder: Recorder) throws {}
  func verify(_ session: Void, _ trial: Trial) throws -> Verification {
    Verification(digest: "done")
  }

  private func remains() throws -> Remains {
    guard let state = Remains.State(rawValue: parameters.leaves) else {
      throw SQLiteError(code: 11, message: "malformed", context: "read")
    }
    return Remains(state, digest: state.rawValue, lost: parameters.loses)
  }
}

/// A launcher without processes: a launch with a kill or a very short time limit ends as killed,
/// and any other launch finishes.
final class ScriptedLauncher: Launcher {
  /// The endings, by launch number from 0, that differ from the ending of an undisturbed launch.
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

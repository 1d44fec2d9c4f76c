import PersistentStore
import Runner
import SQLite
import Synchronization

/// A kind whose remains after a kill are what a test says.
struct KillableTally: KillableWorkload {
  static let kind = "killableTally"
  static let summary = "a tally that can be killed"
  static let axes = [
    Axis("leaves", .name, default: .text("old"), "what a kill leaves"),
    Axis("isAtomic", .boolean, default: .boolean(true), "whether there is nothing between"),
    Axis("loses", .integer(0...9), default: .integer(0), "objects that a kill takes"),
  ]

  let isAtomic: Bool
  private let state: Remains.State?
  private let lost: Int

  init(parameters: ParameterValues) {
    isAtomic = parameters.boolean("isAtomic")
    state = Remains.State(rawValue: parameters.text("leaves"))
    lost = parameters.integer("loses")
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

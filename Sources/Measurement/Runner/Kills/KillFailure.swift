import SQLite

/// What a kill has done that it must not do.
enum KillFailure: Error, Equatable, CustomStringConvertible {
  /// Which launch after the killed one.
  enum Launch: String, Equatable {
    case restart = "the restart"
    case second = "the launch after the restart"
  }

  case undisturbed(String)
  case notReached(KillPoint)
  case killedLaunch(String)
  case unreadable(String)
  case notOnce(lost: Int, doubled: Int)
  case halfMigrated
  case laterLaunch(Launch, String)
  case otherContent(Launch, String, String)

  var description: String {
    switch self {
    case .undisturbed(let cause): "undisturbed, \(cause)"
    case .notReached(let point): "the launch ended without coming to \(point)"
    case .killedLaunch(let cause): "the launch failed before it was killed: \(cause)"
    case .unreadable(let cause): "what it left cannot be read: \(cause)"
    case .notOnce(let lost, let doubled): "\(lost) objects lost, \(doubled) doubled"
    case .halfMigrated: "an atomic strategy left neither what was before nor what comes after"
    case .laterLaunch(let launch, let cause): "\(launch.rawValue) failed: \(cause)"
    case .otherContent(let launch, let found, let wanted):
      "\(launch.rawValue) ended in the content \(found), an undisturbed run in \(wanted)"
    }
  }
}

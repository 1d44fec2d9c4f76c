import Basics

/// Why results are not merged, each reason under its name.
package enum MergeError: ErrorWithStatus, Hashable {
  /// The result is not of a plan.
  case noPlan(result: String)
  /// Two results of different plans.
  case mixedPlans(String, String, String, String)
  /// A machine that the plan does not allow.
  case otherMachine(result: String, fact: String, required: String, found: String)
  /// Two finished attempts of one number that are not the same.
  case sameAttempt(caseID: String, attempt: Int, fact: String)
  /// Attempts of one case with different exact counters.
  case otherCounters(caseID: String, fact: String, String, String)
  /// Cases that must leave the same content and do not.
  case otherContent(endState: String, cases: String, String)
  /// One workload with another store, settings or inputs.
  case otherWork(workload: String, fact: String, results: String, String)
  /// A row is finished, and its result is in none of the files.
  case lostResult(caseID: String)
  case damaged(result: String, fact: String)
}

extension MergeError: CustomStringConvertible {
  /// The name of the reason, for scripts.
  package var name: String {
    switch self {
    case .noPlan: "no-plan"
    case .mixedPlans: "mixed-plans"
    case .otherMachine: "other-machine"
    case .sameAttempt: "same-attempt"
    case .otherCounters: "other-counters"
    case .otherContent: "other-content"
    case .otherWork: "other-work"
    case .lostResult: "lost-result"
    case .damaged: "damaged"
    }
  }

  package var status: CommandStatus { .badInput }

  package var description: String { "not merged (\(name)): \(reason)" }

  private var reason: String {
    switch self {
    case .noPlan(let result):
      "'\(result)' is not part of a plan: make it with 'storebench run --plan'"
    case .mixedPlans(let first, let hash, let second, let other):
      "'\(first)' belongs to plan \(hash.prefix(12)), '\(second)' to plan \(other.prefix(12))"
    case .otherMachine(let result, let fact, let required, let found):
      "the plan needs \(fact) \(required), but '\(result)' was measured with \(found)"
    case .sameAttempt(let caseID, let attempt, let fact):
      "case '\(caseID)' has two different results with the attempt number \(attempt): \(fact); run "
        + "it again with a higher --attempt in a new folder, and merge only one of the two results"
    case .otherCounters(let caseID, let fact, let first, let second):
      "exact counters of '\(caseID)' differ: \(fact), in \(first) and \(second)"
    case .otherContent(let endState, let first, let second):
      "'\(first)' and '\(second)' must reach the same content ('\(endState)'), but do not"
    case .otherWork(let workload, let fact, let first, let second):
      "'\(workload)' does different work in '\(first)' and '\(second)': the \(fact) differs"
    case .lostResult(let caseID):
      "case '\(caseID)' is finished, but no file contains its result"
    case .damaged(let result, let fact):
      "'\(result)' was changed after it was written: \(fact)"
    }
  }
}

import Measurement

/// What a run tells while it goes on; the command line prints it.
package enum RunEvent: Sendable {
  case started(cases: Int)
  /// A workload's store is being made, copied or looked up.
  case preparingStore(workload: String)
  case storeReady(StoreDescription)
  /// The case is the `index`th of all, counted from 1.
  case caseStarted(id: String, index: Int)
  case trialFinished(id: String, count: Int, total: Int)
  /// As it was when it finished: a later case of its end state may still contradict it.
  case caseFinished(CaseResult)
  case workloadFinished(WorkloadResult)
}

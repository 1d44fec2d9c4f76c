import Measurement

/// What a live comparison tells while it goes on.
package enum LiveEvent: Sendable {
  case started(cases: Int, budget: Double)
  /// A case's stores are being made or copied, and the length of its slices is being found.
  case preparing(id: String)
  /// A case has one block more; `seconds` of the budget are spent.
  case blockFinished(id: String, blocks: Int, decided: Int, seconds: Double)
  /// A case has its verdict, or failed.
  case caseFinished(LiveCaseResult)
}

struct ClaimResult {
  enum Finding: String {
    case holds
    case doesNotHold
    /// The claim is undecided within the budget, depends on assumed behavior, or is not testable.
    case cannotTell
  }

  /// The cells (single comparisons) that must hold for the claim to hold.
  enum Scope: String, CaseIterable {
    /// Every cell must hold; each is measured until it is decided.
    case everyCell
    /// The worst cell must hold; measuring ends when any cell fails.
    case worstCell
  }

  var finding: Finding
  var detail: String
  /// The duration of the interleaved trials in seconds; `nil` if the claim needed none.
  var seconds: Double?
  var cells: [Cell]
}

extension ClaimResult {
  /// One comparison of a claim: the value of a case, or the ratio of two cases, with its bounds.
  struct Cell {
    enum Verdict: String {
      case holds
      case doesNotHold
      case cannotTell
      /// The comparison is not counted because both sides do the same work.
      case notCounted
    }

    /// The ID of the measured case, or of the numerator of a ratio.
    var of: String
    /// The ID of the denominator; `nil` if the cell compares the value of one case.
    var to: String?
    /// The name of the compared metric; `nil` if the cell expects its case to fail.
    var metric: String?
    var above: Double?
    var below: Double?
    /// The values of the trials in the metric's unit, or the ratios of pairs of trials, in measured
    /// order.
    var values: [Double]
    var estimate: Double?
    /// The ends of the confidence interval; an end is `nil` if it is unbounded.
    var lower: Double?
    var upper: Double?
    var verdict: Verdict
    var note: String
  }
}

/// The verdict on a claim.
struct ClaimResult {
  /// What the measurements show of the claim.
  enum Finding: String {
    case holds
    case doesNotHold
    /// Undecided within the budget, dependent on assumed behavior, or not testable here.
    case cannotTell
  }

  /// What *holds* means.
  enum Scope: String, CaseIterable {
    /// Every cell holds, and each is measured until it is decided.
    case everyCell
    /// The worst cell holds; measuring ends with the first cell that does not.
    case worstCell
  }

  var finding: Finding
  /// The measured figures and their bounds, in a sentence or two.
  var detail: String
  /// Seconds of the interleaved trials; `nil` if there were none.
  var seconds: Double?
  var cells: [Cell]
}

extension ClaimResult {
  /// One comparison of a claim: the value of a case, or the ratio of two, with its bounds.
  struct Cell {
    enum Verdict: String {
      case holds
      case doesNotHold
      case cannotTell
      /// Both sides do the same work.
      case notCounted
    }

    /// The ID of the case, or of the numerator of a ratio.
    var of: String
    /// The ID of the denominator; `nil` for the value of one case.
    var to: String?
    /// `nil` if the cases must fail.
    var metric: String?
    var above: Double?
    var below: Double?
    /// One per trial, or per pair of trials, in the order of measurement; in the metric's unit, or
    /// as ratios.
    var values: [Double]
    /// The median of the values.
    var estimate: Double?
    /// The ends of the confidence sequence; `nil` if the values exclude nothing.
    var lower: Double?
    var upper: Double?
    var verdict: Verdict
    /// Why it is undecided or does not count; empty otherwise.
    var note: String
  }
}

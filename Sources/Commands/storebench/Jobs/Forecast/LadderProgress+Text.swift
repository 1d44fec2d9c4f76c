import Ladder

extension LadderProgress {
  /// How far a ladder is, the estimate first: a terminal cuts long names off.
  func text(after elapsed: Double) -> String {
    let left = remaining(after: elapsed).map { " about \(DurationText.text($0)) left," } ?? ""
    return "[\(done + 1)/\(total)]\(left) \(current)"
  }
}

import Basics
import Ladder

extension LadderProgress {
  /// How far a ladder is, the estimate first: a terminal cuts long names off.
  func text(after elapsed: Double) -> String {
    let left = remaining(after: elapsed).map { " about \(Figures.seconds($0, .rough)) left," } ?? ""
    return "[\(done + 1)/\(total)]\(left) \(current)"
  }
}

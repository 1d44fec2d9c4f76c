import Basics

/// Why nothing is said of a size.
package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  case tooFewRungs(count: Int)
  case beyondLadder(top: Int)
  case pastBend(name: String, size: Int, top: Int)
  case poorFit(misfit: Double)
  case drifted(share: Double)
  case notMeasured

  package var description: String {
    switch self {
    case .tooFewRungs(let count):
      "\(count) sizes were measured, and a forecast needs \(LadderData.fewestRungs)"
    case .beyondLadder(let top):
      "it is more than 100 times the largest size measured, \(top.grouped) objects"
    case .pastBend(let name, let size, let top):
      "\(name) at about \(size.grouped) objects, and the ladder ends at \(top.grouped)"
    case .poorFit(let misfit):
      "no law fits the ladder: the best is \(misfit.percent) off; measure on a quieter machine"
    case .drifted(let share):
      "the machine drifted by \(share.percent) during the ladder; measure again"
    case .notMeasured: "it was not measured"
    }
  }
}

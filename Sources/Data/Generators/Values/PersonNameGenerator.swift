/// Names of persons in one or several writing systems.
struct PersonNameGenerator: TextGenerator {
  private let part: PersonNamePart
  private let choice: WeightedChoice
  private let sets: [[PersonNames]]

  init(part: PersonNamePart, scripts: [ScriptWeight]) {
    self.part = part
    choice = WeightedChoice(weights: scripts.map(\.weight))
    sets = scripts.map { PersonNames.sets(of: $0.script) }
  }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let candidates = sets[choice.choice(&draws)]
    let names = candidates[draws.below(candidates.count)]
    let given = names.given[draws.below(names.given.count)]
    let family = names.family[draws.below(names.family.count)]
    switch part {
    case .given: text.append(contentsOf: given)
    case .family: text.append(contentsOf: family)
    case .full:
      let isGivenFirst = names.order == .givenSpaceFamily
      text.append(contentsOf: isGivenFirst ? given : family)
      if names.order != .familyGiven { text.append(" ") }
      text.append(contentsOf: isGivenFirst ? family : given)
    }
  }
}

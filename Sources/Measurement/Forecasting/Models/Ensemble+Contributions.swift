extension Ensemble {
  /// A part of a predicted cost.
  package struct Contribution: Hashable, Sendable {
    /// Phase and term: `migrate per object`.
    package let name: String
    package let share: Double
  }

  /// What the cost at a size is made of, the largest part first.
  package func contributions(at size: Double) -> [Contribution] {
    var costs: [String: Double] = [:]
    for member in members {
      for phase in member.curves.phases {
        for part in phase.curve.parts where part.cost > 0 {
          costs["\(phase.name) \(part.term.name)", default: 0] +=
            member.weight * part.cost * part.term(size)
        }
      }
    }
    let total = costs.values.sorted().reduce(0, +)
    return costs.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      Contribution(name: $0.key, share: total > 0 ? $0.value / total : 0)
    }
  }
}

extension Ensemble.Member {
  /// The first size at which the explanation bends; `nil` for one that does not.
  package var firstBend: Double? { curves.phases.compactMap(\.curve.bend).min() }
}

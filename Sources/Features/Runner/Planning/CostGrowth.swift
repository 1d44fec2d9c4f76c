import Basics
import DataModel
import Generators

/// The expected growth of a cost with the number of objects in the store, as declared in a workload
/// file.
package enum CostGrowth: String, CaseIterable, Codable, Hashable, Sendable {
  case constant = "1"
  case logarithmic = "log n"
  case linear = "n"
  case linearithmic = "n log n"
  case quadratic = "n^2"
  case cubic = "n^3"

  /// Returns the cost for a number of objects; only the ratio of two costs is meaningful.
  package func relative(_ objects: Double) -> Double {
    let n = max(objects, 2)
    return switch self {
    case .constant: 1
    case .logarithmic: log(n)
    case .linear: n
    case .linearithmic: n * log(n)
    case .quadratic: n * n
    case .cubic: n * n * n
    }
  }

  /// Reads a growth such as `n log n`, with any spacing; `n²` means `n^2`.
  static func read(_ value: YAMLValue) -> CostGrowth? {
    // YAML reads the growth `1` (a constant cost) as a number.
    let text =
      switch value.scalar {
      case .text(let text)?: text
      case .some(let scalar): scalar.description
      case nil: ""
      }
    let plain = text.lowercased().replacing("²", with: "^2").replacing("³", with: "^3")
      .replacing("o(", with: "").replacing(")", with: "").replacing("(", with: " ")
      .split(separator: " ").joined(separator: " ").replacing(" ^ ", with: "^")
    guard let growth = allCases.first(where: { $0.rawValue == plain }) else {
      let known = allCases.map(\.rawValue).joined(separator: ", ")
      value.report("\(value.name) must be one of \(known), not '\(text.prefix(40))'")
      return nil
    }
    return growth
  }
}

extension WorkloadFile {
  /// Returns the workload with `factor` times as many objects in its store, and with a single
  /// measurement per case.
  ///
  /// - Throws: ``Refusal`` if the store has no recipe, and any error from reading the recipe.
  package func grown(by factor: Int) throws -> WorkloadFile {
    guard case .recipe(let name, var reference) = store else {
      throw Refusal.badInput(
        "'\(path)' has 'grows', which needs a store from a recipe: a store that was made elsewhere has "
          + "one size; 'storebench generate --like STORE' makes a recipe of it"
      )
    }
    let recipe = try recipe ?? reference.read()
    reference.objects = Dictionary(
      recipe.entities.map { ($0.name, min($0.count * factor, 1_000_000_000)) }
    ) { $0 + $1 }
    var grown = self
    (grown.store, grown.recipe) = (.recipe(name: name, reference), nil)
    (grown.trials.trials, grown.trials.iterations, grown.trials.warmUps) = (1, 1, 0)
    grown.budget = [:]
    return grown
  }
}

extension EntityRecipe {
  /// An attribute and all that it follows or depends on.
  func chain(to attribute: String) -> Set<String> {
    var (chain, next): (Set<String>, [String]) = ([], [attribute])
    while let name = next.popLast() {
      if chain.insert(name).inserted { next += attributes[name]?.bases ?? [] }
    }
    return chain
  }
}

extension AttributeRecipe {
  /// Whether no two objects get the same value.
  var isDistinct: Bool {
    switch generator {
    case .label, .code, .email, .uuid: true
    case .file: true
    case .date(let date): date.isOrdered && date.precision == .microsecond
    case .number(let recipe, _):
      if case .sequence(_, let step) = recipe.shape {
        step != 0 && recipe.minimum == nil && recipe.maximum == nil
      } else {
        false
      }
    default: isNumbered
    }
  }

  /// The attributes of the same object that the values depend on.
  var bases: [String] {
    var names = condition.map { [$0] } ?? []
    switch generator {
    case .laterDate(let attribute, _, _), .fileSize(let attribute), .trend(let attribute, _, _),
      .hourlyChoice(let attribute, _, _):
      names.append(attribute)
    case .blob(let blob): names += blob.formatAttribute.map { [$0] } ?? []
    default: break
    }
    return names
  }
}

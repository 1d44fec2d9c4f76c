/// The names of strategies side by side, and what they have alike.
struct StrategyNames {
  /// Each without the parameters that all of them have.
  let own: [String]
  /// The parameters that all of them have, in the order of the first; none of a single one.
  let common: [String]

  init(_ names: [String]) {
    let parts = names.map { $0.split(separator: ",").map(String.init) }
    guard names.count > 1, let first = parts.first else {
      (own, common) = (names, [])
      return
    }
    let shared = parts.reduce(Set(first)) { $0.intersection($1) }
    common = first.filter(shared.contains)
    own = zip(names, parts).map { name, parts in
      let own = parts.filter { !shared.contains($0) }
      return own.isEmpty ? name : own.joined(separator: ",")
    }
  }
}

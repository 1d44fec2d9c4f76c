import DataModel

/// The end of a message about a name that is not there: the one that was meant, or those there are.
func nameHint(_ name: String, among candidates: [String]) -> String {
  let guess = didYouMean(name, among: candidates)
  guard guess.isEmpty else { return guess }
  let listed = candidates.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
  return candidates.isEmpty ? "" : ": it has \(listed)\(candidates.count > 12 ? ", …" : "")"
}

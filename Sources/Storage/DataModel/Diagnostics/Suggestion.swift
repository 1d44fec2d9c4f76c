/// The candidate that a misspelt word most likely means, or `nil` where none is close.
///
/// Close is up to one edit (insertion, deletion, replacement, swap of neighbours) for each three
/// letters, and at least one; a word of one letter is close to none.
package func suggestion(for word: String, among candidates: [String]) -> String? {
  let typed = Array(word.lowercased())
  let allowed = min(max(1, typed.count / 3), typed.count - 1)
  let ranked = candidates.map { (edits(from: typed, to: Array($0.lowercased())), $0) }
  return ranked.filter { $0.0 <= allowed }.min { $0 < $1 }?.1
}

/// A question such as `; did you mean 'title'?`, or an empty text where no candidate is close.
package func didYouMean(_ word: String, among candidates: [String]) -> String {
  suggestion(for: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
}

/// The optimal string alignment distance.
private func edits(from source: [Character], to target: [Character]) -> Int {
  // Absurdly long words are not misspellings of anything.
  guard source.count <= 64, target.count <= 64 else { return Int.max }
  var before: [Int] = []
  var previous = Array(0...target.count)
  for row in source.indices {
    var current = [row + 1]
    for column in target.indices {
      let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
      var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
        best = min(best, before[column - 1] + 1)
      }
      current.append(best)
    }
    (before, previous) = (previous, current)
  }
  return previous[target.count]
}

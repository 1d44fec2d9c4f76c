/// The words of a name in camel case, brought into one form, so that names can be compared.
struct NameWords: Hashable {
  let words: Set<String>

  /// Words for the framework of a class, not for its content.
  private static let affixes: Set<String> = [
    "cd", "mo", "db", "sd", "managed", "entity", "object", "model", "record", "core", "data", "ns",
  ]
  /// Words for the kind of a value.
  private static let kinds: Set<String> = [
    "is", "has", "date", "at", "on", "time", "timestamp", "hex",
  ]
  private static let canonical: [String: String] = [
    "identifier": "id", "uuid": "id", "guid": "id", "creation": "created", "updated": "modified",
    "changed": "modified", "edited": "modified", "completed": "done", "finished": "done",
    "mail": "email", "colour": "color", "telephone": "phone", "mobile": "phone",
    "picture": "image", "photo": "image", "link": "url", "label": "name", "title": "name",
    "note": "detail", "description": "detail", "summary": "detail", "sequence": "order",
    "index": "order", "position": "order", "rank": "order", "sort": "order",
    "status": "state",
  ]

  /// The words of an entity's name without prefixes of frameworks and of an app's own.
  init(entity name: String, prefix: String = "") {
    let all = Self.split(name).filter { $0 != prefix }
    let kept = all.filter { !Self.affixes.contains($0) }
    words = Set((kept.isEmpty ? all : kept).map(Self.singular))
  }

  /// The words of a property's name without those of its entity's.
  init(property name: String, of entity: NameWords) {
    let all = Self.split(name).map(Self.singular)
    let own = all.filter { !entity.words.contains($0) }
    let kept = (own.isEmpty ? all : own).map { Self.canonical[$0] ?? $0 }
    let bare = kept.filter { !Self.kinds.contains($0) }
    words = Set(bare.isEmpty ? kept : bare)
  }

  /// From 0, nothing in common, to 1, the same words.
  func likeness(to other: NameWords) -> Double {
    let (left, right) = (words, other.words)
    guard !left.isEmpty, !right.isEmpty else { return 0 }
    if left == right { return 1 }
    let common = Double(left.intersection(right).count)
    if common == 0 { return 0 }
    // One name says more than the other, or each something of its own.
    return left.isSubset(of: right) || right.isSubset(of: left)
      ? 0.75 : 0.6 * common / Double(left.union(right).count)
  }

  /// A prefix of most names, such as an app's two letters; empty if there is none.
  ///
  /// A longer word, such as `cart` of a cart's entities, says what they are about.
  static func prefix(of names: [String]) -> String {
    let firsts = names.compactMap { split($0).first }
    let counts = Dictionary(firsts.map { ($0, 1) }, uniquingKeysWith: +)
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      names.count > 1, most.value * 5 >= names.count * 3, most.key.count <= 3
    else { return "" }
    return most.key
  }

  /// `CDTaskItem` is `cd`, `task`, `item`.
  static func split(_ name: String) -> [String] {
    let characters = Array(name)
    var words: [String] = [""]
    for (index, character) in characters.enumerated() {
      let isAfterLower = index > 0 && characters[index - 1].isLowercase
      let isBeforeLower = index + 1 < characters.count && characters[index + 1].isLowercase
      if character == "_" || character.isUppercase && (isAfterLower || isBeforeLower) {
        words.append("")
      }
      if character != "_" { words[words.count - 1] += character.lowercased() }
    }
    return words.filter { !$0.isEmpty }
  }

  private static func singular(_ word: String) -> String {
    if word.count > 4, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    guard word.count > 3, word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us") else {
      return word
    }
    return String(word.dropLast())
  }
}

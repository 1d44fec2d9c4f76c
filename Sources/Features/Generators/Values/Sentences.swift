import DataModel

/// What generated notes are about: the sentences that they are made of.
enum NotesTopic: String, CaseIterable, Hashable, Sendable {
  /// What people note beside any task.
  case everyday
  /// What a list of tasks is for.
  case project
  /// What is noted of a person.
  case person
  /// What people write to each other.
  case message
  /// What is noted of a call or a meeting.
  case call
  /// What is written below a photo.
  case post
  /// What a shop says of its products.
  case product
  case travel
  /// What a writer tells.
  case story

  var phrases: Phrases {
    switch self {
    case .everyday: .everyday
    case .project: .project
    case .person: .person
    case .message: .message
    case .call: .call
    case .post: .post
    case .product: .product
    case .travel: .travel
    case .story: .story
    }
  }
}

/// Whole sentences by their number of words, of which texts of any length are put together.
///
/// Each fits any other of its topic, in any order, and whatever the text is a note on. A sentence
/// is a few pieces: fixed ones, and those that are chosen, written as `{one|other}` with the same
/// number of words in each, or as the name of a list: `{PERSON}`.
struct Phrases: Sendable {
  private static let lists = [
    "PERSON": "Zoë|José|Anna|Łukasz|Søren|Emma|Grace|Noah|Björn|Ana|Chloé|Leo",
    "DAY": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
    "MONTH": "January|March|April|May|June|August|September|October|November",
    "HOUR": "nine|ten|eleven|two|three|four|five",
    "FEW": "two|three|four|five|six",
    "MANY": "ten|fifteen|twenty|thirty|forty|fifty",
  ]

  /// The words of the longest sentence; there is a sentence of every smaller number.
  let longest: Int
  /// For each number of words from 1, the place of its first sentence; then the end.
  private let starts: [Int]
  /// The words of each sentence, the short ones first.
  private let lengths: [Int]
  /// Steps from sentence to sentence that come to each before one comes again.
  private let steps: [Int]
  /// For each sentence the place of its first piece; then the end.
  private let pieceStarts: [Int]
  private let pieces: [WordList]

  init(_ lines: String) {
    var sentences: [Int: [[WordList]]] = [:]
    for line in lines.split(separator: "\n") {
      let (words, pieces) = Self.read(line)
      sentences[words, default: []].append(pieces)
    }
    longest = sentences.count
    precondition((1...longest).allSatisfy { sentences[$0] != nil }, "no sentence of some length")
    var (starts, pieceStarts, pieces) = ([0], [0], [WordList]())
    for length in 1...longest {
      for sentence in sentences[length] ?? [] {
        pieces += sentence
        pieceStarts.append(pieces.count)
      }
      starts.append(pieceStarts.count - 1)
    }
    let lengths = (1...longest).flatMap { length in
      Array(repeating: length, count: starts[length] - starts[length - 1])
    }
    steps = [7, 11, 13, 17, 19, 23, 29, 31].filter { lengths.count % $0 != 0 }
    (self.starts, self.lengths) = (starts, lengths)
    (self.pieceStarts, self.pieces) = (pieceStarts, pieces)
  }

  /// The number of words of a sentence and its pieces.
  private static func read(_ line: Substring) -> (words: Int, pieces: [WordList]) {
    var (words, pieces): (Int, [WordList]) = (1, [])
    for (index, part) in line.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let halves = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      if index > 0 {
        let choices = lists[String(halves[0])] ?? String(halves[0])
        let counts = Set(choices.split(separator: "|").map { $0.count { $0 == " " } })
        precondition(counts.count == 1, "choices of different lengths: \(choices)")
        words += counts.first ?? 0
        pieces.append(WordList(choices, separator: "|"))
      }
      guard let fixed = halves.last, index == 0 || halves.count == 2, !fixed.isEmpty else {
        continue
      }
      words += fixed.count { $0 == " " }
      pieces += fixedPieces(fixed)
    }
    return (words, pieces)
  }

  /// A text in pieces that ``WordList/Sentences`` can append.
  private static func fixedPieces(_ text: Substring) -> [WordList] {
    var parts = [""]
    for character in text {
      let end = parts.count - 1
      if parts[end].utf8.count + character.utf8.count > WordList.readable { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts.map { WordList($0, separator: "|") }
  }

  /// Appends sentences of so many words together, none twice while there are others.
  func append(words count: Int, to text: inout [UInt8], draws: inout Draws) {
    var draws = draws
    WordList.Sentences.append(to: &text) { sentences, text in
      let step = steps[draws.below(steps.count)]
      var (left, place, used) = (count, draws.below(lengths.count), UInt64(0))
      while left > 0 {
        if left < count {
          sentences.makeRoom(in: &text)
          sentences.append(draws.below(6) == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
        }
        // One is passed over now and then, so that no two texts go on in the same way.
        if draws.below(2) == 0 { place += step }
        let sentence = next(&place, step, within: left) ?? last(of: left, used, &draws)
        used |= 1 << UInt64(sentence & 63)
        for piece in pieceStarts[sentence]..<pieceStarts[sentence + 1] {
          sentences.makeRoom(in: &text)
          sentences.append(pieces[piece].word(&draws))
        }
        left -= lengths[sentence]
      }
    }
  }

  private static let tries = 8

  /// The next sentence that leaves none or at least two words, where it is among the next few.
  ///
  /// A single word is no text but where that is all.
  @inline(__always)
  private func next(_ place: inout Int, _ step: Int, within left: Int) -> Int? {
    for _ in 0..<Self.tries {
      place += step
      if place >= lengths.count { place %= lengths.count }
      let length = lengths[place]
      if length == left || (length > 1 && length < left - 1) { return place }
    }
    return nil
  }

  /// A sentence of all words that are left, best one that was not used.
  private func last(of left: Int, _ used: UInt64, _ draws: inout Draws) -> Int {
    let length = min(left, longest)
    let (first, end) = (starts[length - 1], starts[length])
    let drawn = first + draws.below(end - first)
    func isNew(_ sentence: Int) -> Bool { used & 1 << UInt64(sentence & 63) == 0 }
    return (drawn..<end).first(where: isNew) ?? (first..<drawn).first(where: isNew) ?? drawn
  }
}

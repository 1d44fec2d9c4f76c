import DataModel

enum NotesTopic: String, CaseIterable, Hashable, Sendable {
  /// Remarks that fit any task.
  case everyday
  /// The purpose of a list of tasks.
  case project
  case person
  case message
  case call
  /// Captions of photos.
  case post
  case product
  case travel
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

/// Whole sentences, grouped by their number of words, from which text of any length is assembled.
///
/// The sentences of a topic fit together in any order and fit any subject. A choice is written as
/// `{one|other}`, with the same number of words in each alternative, or as the name of a list, such
/// as `{PERSON}`.
struct Phrases: Sendable {
  private static let lists = [
    "PERSON": "Zoë|José|Anna|Łukasz|Søren|Emma|Grace|Noah|Björn|Ana|Chloé|Leo",
    "DAY": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
    "MONTH": "January|March|April|May|June|August|September|October|November",
    "HOUR": "nine|ten|eleven|two|three|four|five",
    "FEW": "two|three|four|five|six",
    "MANY": "ten|fifteen|twenty|thirty|forty|fifty",
  ]

  /// The number of words in the longest sentence.
  ///
  /// For each smaller number of words, there is at least one sentence.
  let longest: Int
  /// For each number of words from 1, the index of the first sentence.
  ///
  /// The last element is the number of sentences.
  private let starts: [Int]
  /// The number of words of each sentence, in ascending order, which is the order of the sentences.
  private let lengths: [Int]
  /// The step sizes by which the index can advance so that no sentence repeats before all are used.
  private let steps: [Int]
  /// For each sentence, the index of its first piece.
  ///
  /// The last element is the number of pieces.
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

  /// Divides text into pieces that are short enough for ``WordList/Sentences`` to append.
  private static func fixedPieces(_ text: Substring) -> [WordList] {
    var parts = [""]
    for character in text {
      let end = parts.count - 1
      if parts[end].utf8.count + character.utf8.count > WordList.readable { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts.map { WordList($0, separator: "|") }
  }

  /// Appends sentences with the given total number of words, without repetition while unused
  /// sentences remain.
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
        // Skip a sentence at random, so that the same two sentences do not always follow each
        // other.
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

  /// Returns the next sentence that fits the remaining number of words; `nil` after a few tries.
  ///
  /// After the sentence, no words or at least two must remain, because a sentence of one word is
  /// used only as the last.
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

  /// Returns a sentence with exactly the remaining number of words, preferably an unused sentence.
  private func last(of left: Int, _ used: UInt64, _ draws: inout Draws) -> Int {
    let length = min(left, longest)
    let (first, end) = (starts[length - 1], starts[length])
    let drawn = first + draws.below(end - first)
    func isNew(_ sentence: Int) -> Bool { used & 1 << UInt64(sentence & 63) == 0 }
    return (drawn..<end).first(where: isNew) ?? (first..<drawn).first(where: isNew) ?? drawn
  }
}

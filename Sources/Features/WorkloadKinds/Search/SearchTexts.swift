import Basics

/// The searchable strings of a case, each determined by the seed, the object's key and the string's
/// version.
///
/// Words have six letters and are separated by spaces, so no word is part of another word. All ways
/// of searching for a whole word therefore have the same result, which is known without comparing
/// letters.
struct SearchTexts: Sendable {
  struct Word: Hashable, Sendable {
    let stem: Int
    let isUpper: Bool
    let isMarked: Bool
  }

  private static let stems = 1_000
  private let seed: UInt64
  private let script: SearchParameters.Script
  private let count: Int

  init(_ parameters: SearchParameters, seed: UInt64) {
    self.seed = seed
    script = parameters.script
    count = parameters.words
  }

  /// The words of an object's string; a few words are much more frequent than most.
  func words(of key: Int64, version: Int) -> [Word] {
    (0..<count).map { place in
      let position = (UInt64(bitPattern: key) &* 1_024 &+ UInt64(place)) &* 64 &+ UInt64(version)
      let word = SplitMix64.word(seed, 0x7374_656d, position)
      let share = Double(word >> 11) / 9_007_199_254_740_992
      return Word(
        stem: Int(share * share * share * Double(Self.stems)),
        isUpper: word & 7 == 0,
        isMarked: word >> 3 & 7 == 0
      )
    }
  }

  func text(of words: [Word]) -> String { words.map(spelling).joined(separator: " ") }

  /// The indices of the words to search for, both frequent and rare words.
  func searched(_ count: Int) -> [Int] { (0..<count).map { ($0 * 37 + 11) % Self.stems } }

  /// A word in lower case without diacritics, as a user types it and an index stores it.
  func folded(_ stem: Int) -> String {
    spelling(Word(stem: stem, isUpper: false, isMarked: false))
  }

  func spelling(_ word: Word) -> String {
    let alphabet = Self.alphabets[script] ?? Self.latin
    let number = word.stem
    let letters: [Character] = [
      alphabet.consonants[number % 10], word.isMarked ? alphabet.marked : alphabet.vowels[0],
      alphabet.consonants[number / 10 % 10], alphabet.vowels[1 + number / 100 % 2],
      alphabet.consonants[number / 200 % 10], alphabet.vowels[1],
    ]
    let text = String(letters)
    return word.isUpper ? text.uppercased() : text
  }

  private struct Alphabet {
    let consonants: [Character]
    let vowels: [Character]
    /// The script's first vowel, with a diacritic.
    let marked: Character

    init(_ consonants: String, _ vowels: String, marked: Character) {
      (self.consonants, self.vowels) = (Array(consonants), Array(vowels))
      self.marked = marked
    }
  }

  private static let latin = Alphabet("bcdfglmnpr", "eao", marked: "\u{e9}")
  private static let alphabets: [SearchParameters.Script: Alphabet] = [
    .latin: latin,
    .cyrillic: Alphabet(
      "\u{431}\u{432}\u{433}\u{434}\u{43a}\u{43b}\u{43c}\u{43d}\u{43f}\u{440}",
      "\u{435}\u{430}\u{43e}",
      marked: "\u{451}"
    ),
    .greek: Alphabet(
      "\u{3b2}\u{3b3}\u{3b4}\u{3b6}\u{3ba}\u{3bb}\u{3bc}\u{3bd}\u{3c0}\u{3c1}",
      "\u{3b5}\u{3b1}\u{3bf}",
      marked: "\u{3ad}"
    ),
  ]
}

extension SearchTexts {
  func matches(_ words: [Word], stem: Int, _ parameters: SearchParameters) -> Bool {
    let comparison = parameters.effective
    func isFound(_ word: Word) -> Bool {
      word.stem == stem && (comparison.ignoresCase || !word.isUpper)
        && (comparison.ignoresMarks || !word.isMarked)
    }
    switch parameters.match {
    case .anyWord: return words.contains(where: isFound)
    case .firstWord: return words.first.map(isFound) ?? false
    }
  }
}

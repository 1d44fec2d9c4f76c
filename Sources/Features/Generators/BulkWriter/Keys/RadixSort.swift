/// Something that is sorted by words, the first being the most significant.
protocol WordSortable: BitwiseCopyable {
  static var wordCount: Int { get }
  func word(_ index: Int) -> UInt64
}

/// A stable sort by the bits in which words differ, from the least significant on.
enum RadixSort {
  private static let fewEntries = 4_096

  static func sort<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int,
    spare: UnsafeMutablePointer<Entry>
  ) {
    guard count > 1, !isSorted(entries, count: count) else { return }
    var (source, target) = (entries, spare)
    let digitLimit = count < fewEntries ? 8 : 11
    let counts = UnsafeMutablePointer<Int32>.allocate(capacity: 1 << digitLimit)
    defer { counts.deallocate() }
    for word in stride(from: Entry.wordCount - 1, through: 0, by: -1) {
      let varying = varyingBits(source, count: count, word: word)
      guard varying != 0 else { continue }
      var shift = varying.trailingZeroBitCount
      let width = 64 - varying.leadingZeroBitCount - shift
      let passes = (width + digitLimit - 1) / digitLimit
      let digit = (width + passes - 1) / passes
      for _ in 0..<passes {
        let mask = (1 << UInt64(digit)) - 1 as UInt64
        // A digit in which nothing differs keeps the order.
        if varying >> UInt64(shift) & mask != 0 {
          scatter(source, to: target, count: count, counts: counts) {
            Int(truncatingIfNeeded: $0.word(word) >> UInt64(shift) & mask)
          } size: {
            1 << digit
          }
          swap(&source, &target)
        }
        shift += digit
      }
    }
    if source != entries { entries.update(from: source, count: count) }
  }

  @inline(__always)
  private static func scatter<Entry: WordSortable>(
    _ source: UnsafeMutablePointer<Entry>,
    to target: UnsafeMutablePointer<Entry>,
    count: Int,
    counts: UnsafeMutablePointer<Int32>,
    digit: (Entry) -> Int,
    size: () -> Int
  ) {
    counts.initialize(repeating: 0, count: size())
    for index in 0..<count { counts[digit(source[index])] &+= 1 }
    var place: Int32 = 0
    for value in 0..<size() {
      let here = counts[value]
      counts[value] = place
      place &+= here
    }
    for index in 0..<count {
      let entry = source[index]
      let value = digit(entry)
      target[Int(counts[value])] = entry
      counts[value] &+= 1
    }
  }

  private static func varyingBits<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int,
    word: Int
  ) -> UInt64 {
    let first = entries[0].word(word)
    var varying: UInt64 = 0
    for index in 1..<count { varying |= entries[index].word(word) ^ first }
    return varying
  }

  private static func isSorted<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int
  ) -> Bool {
    for index in 1..<count where precedes(entries[index], entries[index - 1]) { return false }
    return true
  }

  @inline(__always)
  private static func precedes<Entry: WordSortable>(_ left: Entry, _ right: Entry) -> Bool {
    for word in 0..<Entry.wordCount {
      let (a, b) = (left.word(word), right.word(word))
      if a != b { return a < b }
    }
    return false
  }
}

// Entries are arrays of words in memory; these give the sort their size.

/// One word to sort by, and a rowid or the place of a record.
struct WordEntry1: WordSortable {
  static var wordCount: Int { 1 }
  var first: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { first }
}

/// Two words to sort by, and a rowid.
struct WordEntry2: WordSortable {
  static var wordCount: Int { 2 }
  var first: UInt64
  var second: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { index == 0 ? first : second }
}

/// Three words to sort by, and a rowid.
struct WordEntry3: WordSortable {
  static var wordCount: Int { 3 }
  var first: UInt64
  var second: UInt64
  var third: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { index == 0 ? first : index == 1 ? second : third }
}

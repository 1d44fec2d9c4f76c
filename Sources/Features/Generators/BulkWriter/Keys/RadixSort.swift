/// An entry that is sorted by its 64-bit words, the first of which is the most significant.
protocol WordSortable: BitwiseCopyable {
  static var wordCount: Int { get }
  func word(_ index: Int) -> UInt64
}

/// A stable sort by the bits in which words differ, from the least significant bit.
enum RadixSort {
  private static let fewEntries = 4_096
  /// The number of leading bits by which the first attempt sorts, in addition to the bits needed to
  /// number the entries.
  private static let spareBits = 5

  static func sort<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int,
    spare: UnsafeMutablePointer<Entry>
  ) {
    guard count > 1, !isSorted(entries, count: count) else { return }
    // Sort by the leading bits first: for dates and UUIDs, they distinguish nearly all entries.
    let bits = Int.bitWidth - count.leadingZeroBitCount + spareBits
    let isWhole = sort(entries, count: count, spare: spare, bits: bits)
    if !isWhole, !moveFew(entries, count: count) {
      _ = sort(entries, count: count, spare: spare, bits: 64)
    }
  }

  private static func moveFew<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int
  ) -> Bool {
    var left = count / 4
    for index in 1..<count where precedes(entries[index], entries[index - 1]) {
      let entry = entries[index]
      var place = index
      while place > 0, left > 0, precedes(entry, entries[place - 1]) {
        entries[place] = entries[place - 1]
        (place, left) = (place - 1, left - 1)
      }
      entries[place] = entry
      if left == 0 { return false }
    }
    return true
  }

  /// Sorts by a number of bits of each word, starting with the first bit in which entries differ.
  ///
  /// - Returns: Whether the entries are equal in all other bits.
  private static func sort<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int,
    spare: UnsafeMutablePointer<Entry>,
    bits: Int
  ) -> Bool {
    var isWhole = true
    var (source, target) = (entries, spare)
    let digitLimit = count < fewEntries ? 8 : 11
    let counts = UnsafeMutablePointer<Int32>.allocate(capacity: 1 << digitLimit)
    defer { counts.deallocate() }
    for word in stride(from: Entry.wordCount - 1, through: 0, by: -1) {
      let (varying, isAscending, isDescending) = order(source, count: count, word: word)
      if isAscending { continue }
      if isDescending {
        // Words that always decrease are all different, so reversing the entries keeps the sort
        // stable.
        var reversed = UnsafeMutableBufferPointer(start: source, count: count)
        reversed.reverse()
        continue
      }
      let end = 64 - varying.leadingZeroBitCount
      var shift = max(varying.trailingZeroBitCount, end - bits)
      isWhole = isWhole && shift == varying.trailingZeroBitCount
      let width = end - shift
      let passes = (width + digitLimit - 1) / digitLimit
      let digit = (width + passes - 1) / passes
      for _ in 0..<passes {
        let mask = (1 << UInt64(digit)) - 1 as UInt64
        // If all entries have the same digit, the order stays the same.
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
    return isWhole
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

  /// The bits of a word in which entries differ, and whether the word never decreases or always
  /// decreases.
  private static func order<Entry: WordSortable>(
    _ entries: UnsafeMutablePointer<Entry>,
    count: Int,
    word: Int
  ) -> (varying: UInt64, isAscending: Bool, isDescending: Bool) {
    let first = entries[0].word(word)
    var (last, varying) = (first, 0 as UInt64)
    var (isAscending, isDescending) = (true, true)
    for index in 1..<count {
      let next = entries[index].word(word)
      varying |= next ^ first
      isAscending = isAscending && last <= next
      isDescending = isDescending && last > next
      last = next
    }
    return (varying, isAscending, isDescending)
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

// Entries are arrays of words in memory. The following types give the sort the number of words.

/// An entry with one word to sort by, and a rowid or the position of a record.
struct WordEntry1: WordSortable {
  static var wordCount: Int { 1 }
  var first: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { first }
}

struct WordEntry2: WordSortable {
  static var wordCount: Int { 2 }
  var first: UInt64
  var second: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { index == 0 ? first : second }
}

struct WordEntry3: WordSortable {
  static var wordCount: Int { 3 }
  var first: UInt64
  var second: UInt64
  var third: UInt64
  var rest: UInt64

  @inline(__always)
  func word(_ index: Int) -> UInt64 { index == 0 ? first : index == 1 ? second : third }
}

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

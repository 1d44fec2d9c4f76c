import Basics
import Dispatch
import Foundation
import SQLite

/// Implements the SQL functions and collations that exist only inside Core Data.
///
/// Names and arguments come from public logs and stores. The results follow the corresponding
/// Foundation functions in the locale `en_US`, which are assumed to agree with Core Data's for
/// every string.
package enum FrameworkFunctions {
  /// The function that Core Data calls for CONTAINS, BEGINSWITH and ENDSWITH.
  ///
  /// Its arguments are the text, the search string, options of `NSString.CompareOptions`, and
  /// whether the search follows the user's language. With ``wholeText`` and ``wildcards``, it also
  /// stands for the functions that Core Data calls for `==[cd]` and LIKE.
  package static let search = "NSCoreDataStringSearch"
  /// StoreBench's own options for comparing the whole text, and for comparing it with a pattern.
  ///
  /// No public log shows the functions that Core Data calls for these comparisons, or their
  /// arguments.
  static let wholeText: UInt = 1 << 16
  static let wildcards: UInt = 1 << 17
  /// The function that returns the current time in seconds since 2001.
  static let now = "NSCoreDataNow"

  /// A collation of strings.
  package enum Collation: String, CaseIterable, Hashable, Sendable {
    /// Byte order, SQLite's default.
    case binary
    /// The order of `localizedCompare(_:)`.
    case localized
    /// The order of `localizedStandardCompare(_:)`, in which digits compare as numbers: SwiftData's
    /// default.
    case localizedStandard

    /// The name of the collation in statements, or `nil` for SQLite's default.
    package var name: String? {
      switch self {
      case .binary: nil
      case .localized: "NSCollateLocaleSensitive"
      case .localizedStandard: "NSCollateFinderlike"
      }
    }

    /// Returns a negative number, zero or a positive number if the first string sorts before, equal
    /// to or after the second string.
    package func order(_ left: String, _ right: String) -> Int {
      let result =
        switch self {
        case .binary: ComparisonResult.orderedSame
        case .localized: left.compare(right, options: [], range: nil, locale: locale)
        case .localizedStandard:
          left.compare(
            right,
            options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering],
            range: nil,
            locale: locale
          )
        }
      // Break ties by the bytes, so that the order is the same everywhere.
      if result != .orderedSame || left.utf8.elementsEqual(right.utf8) { return result.rawValue }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
  }

  /// The functions that ``register(on:)`` provides.
  package static let names: Set<String> = [search, now]

  /// Registers all functions and collations.
  ///
  /// The clock of `NSCoreDataNow` starts at a fixed time and advances by a quarter of a second per
  /// call, so that the same work writes the same bytes.
  package static func register(on connection: Connection) throws {
    try connection.registerFunction(search, isHarmless: true) { found($0) }
    var calls = 0
    try connection.registerFunction(now, isHarmless: true, isDeterministic: false) { _ in
      calls += 1
      return .real(796_726_800 + Double(calls) * 0.25)
    }
    try registerCollations(on: connection)
  }

  /// Registers only the collations and, if `report` is given, reports the duration of each
  /// comparison in nanoseconds.
  package static func registerCollations(
    on connection: Connection,
    _ report: ((UInt64) -> Void)? = nil
  ) throws {
    for collation in Collation.allCases {
      guard let name = collation.name else { continue }
      func order(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        collation.order(
          String(decoding: first, as: UTF8.self),
          String(decoding: second, as: UTF8.self)
        )
      }
      guard let report else {
        try connection.registerCollation(name, order)
        continue
      }
      try connection.registerCollation(name) { first, second in
        let start = MonotonicClock.now()
        defer { report(MonotonicClock.now() - start) }
        return order(first, second)
      }
    }
  }

  /// An implementation of the text search.
  ///
  /// Both implementations give the same results; it is not known whose speed is closer to that of
  /// Core Data's search.
  package enum Search: String, CaseIterable, Hashable, Sendable {
    /// Foundation's search, for every string.
    case foundation
    /// A byte-by-byte search if both strings are ASCII, otherwise Foundation's search.
    ///
    /// No search that reads every letter can be much faster.
    case bytes
  }

  /// Registers only the text search, and reports the duration of each call in nanoseconds.
  package static func registerSearch(
    on connection: Connection,
    by function: Search,
    _ report: @escaping (UInt64) -> Void
  ) throws {
    try connection.registerFunction(search, isHarmless: true) { arguments in
      let start = MonotonicClock.now()
      defer { report(MonotonicClock.now() - start) }
      return found(arguments, by: function)
    }
  }

  private static func found(
    _ arguments: [Connection.FunctionValue],
    by function: Search = .foundation
  ) -> Connection.FunctionValue {
    guard arguments.count >= 3, case .text(let text) = arguments[0],
      case .text(let searched) = arguments[1], case .integer(let options) = arguments[2]
    else { return .integer(0) }
    let flags = UInt(truncatingIfNeeded: options)
    let isFound =
      (function == .bytes ? containsBytes(text, searched, options: flags) : nil)
      ?? isMet(text, searched, options: flags)
    return .integer(isFound ? 1 : 0)
  }

  /// Searches ASCII text; returns `nil` for other text and for unsupported options.
  ///
  /// Text with a carriage return is excluded, because Foundation treats CR LF as one character.
  private static func containsBytes(_ text: String, _ searched: String, options: UInt) -> Bool? {
    let options = String.CompareOptions(rawValue: options & ~localizedOption)
    let other = options.subtracting([
      .caseInsensitive, .diacriticInsensitive, .widthInsensitive, .literal, .anchored,
    ])
    var (text, searched) = (text, searched)
    return text.withUTF8 { text in
      searched.withUTF8 { searched in
        func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }
        guard other.isEmpty, !searched.isEmpty, text.allSatisfy(isPlain),
          searched.allSatisfy(isPlain)
        else { return nil }
        func folded(_ byte: UInt8) -> UInt8 {
          options.contains(.caseInsensitive) && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        let last = options.contains(.anchored) ? 0 : text.count - searched.count
        guard last >= 0, text.count >= searched.count else { return false }
        return (0...last).contains { start in
          searched.indices.allSatisfy { folded(text[start + $0]) == folded(searched[$0]) }
        }
      }
    }
  }

  private static let locale = Locale(identifier: "en_US")
  /// The value of `kCFCompareLocalized`, one of the options in the value 417 that public logs show.
  private static let localizedOption: UInt = 32
  private static let knownOptions: String.CompareOptions = [
    .caseInsensitive, .literal, .backwards, .anchored, .numeric, .diacriticInsensitive,
    .widthInsensitive,
  ]

  /// Returns whether a text matches another under the comparison that the options select.
  static func isMet(_ text: String, _ other: String, options: UInt) -> Bool {
    let known = String.CompareOptions(rawValue: options).intersection(knownOptions)
    let locale = options & localizedOption == 0 ? nil : locale
    if options & wholeText != 0 {
      return text.compare(other, options: known, range: nil, locale: locale) == .orderedSame
    }
    if options & wildcards != 0 {
      let folding = known.intersection([.caseInsensitive, .diacriticInsensitive])
      let pattern = Glob(other.folding(options: folding, locale: locale))
      return pattern.matches(text.folding(options: folding, locale: locale))
    }
    return text.range(of: other, options: known, range: nil, locale: locale) != nil
  }
}

import Basics
import Dispatch
import Foundation
import SQLite

/// The SQL functions and orders of text that exist only inside Core Data, for statements that call
/// them elsewhere.
///
/// Their names and arguments are those of public logs and stores. What they compute follows
/// Foundation's functions of the same purpose, in the locale `en_US`; that Core Data's own give the
/// same result for every text is assumed.
package enum FrameworkFunctions {
  /// The text search behind CONTAINS, BEGINSWITH and ENDSWITH: text, searched text, options of
  /// `NSString.CompareOptions`, and whether it follows the user's language.
  package static let search = "NSCoreDataStringSearch"
  /// The options of `[cd]` as the search takes them.
  package static let cd: UInt =
    String.CompareOptions([.caseInsensitive, .diacriticInsensitive]).rawValue
  /// The time, in seconds since 2001.
  static let now = "NSCoreDataNow"

  /// An order of texts.
  package enum Collation: String, CaseIterable, Hashable, Sendable {
    /// By their bytes, which is SQLite's own order.
    case binary
    /// That of `localizedCompare(_:)`.
    case localized
    /// That of `localizedStandardCompare(_:)`, in which numbers count as numbers: SwiftData's default.
    case localizedStandard

    /// Its name in statements; `nil` for the order that needs none.
    package var name: String? {
      switch self {
      case .binary: nil
      case .localized: "NSCollateLocaleSensitive"
      case .localizedStandard: "NSCollateFinderlike"
      }
    }

    /// Below, at or above zero, as the first text comes before, with or after the second one.
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
      // Texts that only differ where the order does not look keep one order everywhere.
      if result != .orderedSame || left.utf8.elementsEqual(right.utf8) { return result.rawValue }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
  }

  /// The functions that ``register(on:)`` provides.
  package static let names: Set<String> = [search, now]

  /// Registers all of them.
  ///
  /// The clock of `NSCoreDataNow` starts at a fixed time and moves a quarter of a second a call, so
  /// that equal work writes equal bytes.
  package static func register(on connection: Connection) throws {
    try connection.registerFunction(search, isHarmless: true) { found($0) }
    var calls = 0
    try connection.registerFunction(now, isHarmless: true, isDeterministic: false) { _ in
      calls += 1
      return .real(796_726_800 + Double(calls) * 0.25)
    }
    try registerCollations(on: connection)
  }

  /// Registers the orders of texts alone, and reports the nanoseconds that each comparison takes where
  /// asked for.
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

  /// What searches texts: both find the same, and which is nearer to the frameworks' is not known.
  package enum Search: String, CaseIterable, Hashable, Sendable {
    /// This Foundation, for every text.
    case foundation
    /// Byte by byte where both texts are ASCII, which no function that looks at each letter can be
    /// much faster than; else this Foundation.
    case bytes
  }

  /// Registers the text search alone, and reports the nanoseconds that each call takes.
  package static func registerSearch(
    on connection: Connection,
    by function: Search = .foundation,
    _ report: @escaping (UInt64) -> Void
  ) throws {
    try connection.registerFunction(search, isHarmless: true) { arguments in
      let start = MonotonicClock.now()
      defer { report(MonotonicClock.now() - start) }
      return found(arguments, by: function)
    }
  }

  /// Whether a text contains another one, whatever the case and the diacritics.
  package static func isFound(_ searched: String, in text: String) -> Bool {
    contains(text, searched, options: cd)
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
      ?? contains(text, searched, options: flags)
    return .integer(isFound ? 1 : 0)
  }

  /// The same for ASCII; `nil` for other texts and for options that need more than its letters.
  ///
  /// A carriage return and a line feed are one character, which Foundation does not take apart.
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
  /// `kCFCompareLocalized`, which logs show as a part of 417.
  private static let localizedOption: UInt = 32
  private static let knownOptions: String.CompareOptions = [
    .caseInsensitive, .literal, .backwards, .anchored, .numeric, .diacriticInsensitive,
    .widthInsensitive,
  ]

  private static func contains(_ text: String, _ searched: String, options: UInt) -> Bool {
    let known = String.CompareOptions(rawValue: options).intersection(knownOptions)
    let locale = options & localizedOption == 0 ? nil : locale
    return text.range(of: searched, options: known, range: nil, locale: locale) != nil
  }
}

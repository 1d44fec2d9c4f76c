/// A value as SQLite stores it: one of the five storage classes.
///
/// Dates are seconds since 2001-01-01 00:00:00 UTC, Booleans 0 or 1, UUIDs 16 bytes in RFC order,
/// URIs text, decimals integers or reals (coredata-format.md, section 8).
package enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// One value of a workload's parameter, as a cell of the plan holds it.
package enum ParameterValue: Codable, Hashable, Sendable, CustomStringConvertible {
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case text(String)
  /// Names, as of relationships to prefetch.
  case list([String])

  /// The spelling in a case's ID: lists joined with `+`, an empty list as `none`.
  package var description: String {
    switch self {
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): Int(exactly: value).map { String($0) } ?? String(value)
    case .text(let value): value
    case .list(let names): names.isEmpty ? "none" : names.joined(separator: "+")
    }
  }
}

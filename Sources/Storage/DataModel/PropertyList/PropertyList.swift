/// A property list: what Z_METADATA, Z_MODELCACHE and compiled models are made of.
package enum PropertyList: Hashable, Sendable {
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// A reference of a keyed archive: an index into its objects.
  case uid(Int)

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var array: [PropertyList]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var dictionary: [String: PropertyList]? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  package var data: [UInt8]? {
    if case .data(let value) = self { value } else { nil }
  }
}

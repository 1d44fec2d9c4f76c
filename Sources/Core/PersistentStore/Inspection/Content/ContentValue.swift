import DataModel
import SQLite

/// A stored value of an object, with a fingerprint (size, digest and first bytes) in place of a
/// blob.
///
/// Values are equal only if their bytes and storage class are: strings are compared by their bytes,
/// because Swift treats canonically equivalent Unicode strings as equal.
package enum ContentValue: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(BlobFingerprint)
  case object(ContentReference)
  /// Text that is not valid UTF-8.
  case invalidText(BlobFingerprint)
  /// A reference to a missing external file, given by its name.
  ///
  /// It equals NULL, because reading it returns nothing and a copy of the object contains NULL
  /// instead. The audit counts these references.
  case missingFile(String)
  /// An unreadable value, with a description and the digest of the stored bytes.
  case malformed(String, digest: UInt64)

  /// Converts a stored value; a blob is replaced with its fingerprint.
  package init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .blob(BlobFingerprint(of: value))
      }
  }

  /// Creates the stored form of an attribute's default; whole seconds of a date are integers.
  package init(defaultOf attribute: Attribute) {
    guard attribute.type == .date, case .real(let seconds) = attribute.defaultValue,
      let whole = Int64(exactly: seconds)
    else {
      self.init(attribute.defaultValue)
      return
    }
    self = .integer(whole)
  }

  init(_ row: Statement, at column: Int) {
    self =
      switch row.storageClass(at: column) {
      case .null: .null
      case .integer: .integer(row.integer(at: column))
      case .real: .real(row.real(at: column))
      case .text:
        row.withBytes(at: column) { bytes in
          String(validating: bytes, as: UTF8.self).map { .text($0) }
            ?? .invalidText(BlobFingerprint(of: bytes))
        }
      case .blob: row.withBytes(at: column) { .blob(BlobFingerprint(of: $0)) }
      }
  }
}

extension ContentValue: Equatable {
  package static func == (left: ContentValue, right: ContentValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.missingFile, .null), (.null, .missingFile): true
    case (.missingFile(let left), .missingFile(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.blob(let left), .blob(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.invalidText(let left), .invalidText(let right)): left == right
    case (.malformed(let left, let leftDigest), .malformed(let right, let rightDigest)):
      left == right && leftDigest == rightDigest
    default: false
    }
  }
}

extension ContentValue: CustomStringConvertible {
  /// The value for display in a finding; long strings are shortened.
  package var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value) (real)"
    case .text(let value): "'\(Self.shortened(value))'"
    case .blob(let value): value.description
    case .object(let value): value.description
    case .invalidText(let value): "text that is not UTF-8, \(value)"
    case .missingFile(let name): "the file '\(name)', which is missing or not a regular file"
    case .malformed(let what, _): what
    }
  }

  private static func shortened(_ text: some StringProtocol) -> String {
    let limit = 60
    guard text.utf8.count > limit, text.count > limit else { return String(text) }
    return text.prefix(limit) + "…"
  }

  static func descriptions(of left: ContentValue, and right: ContentValue) -> (String, String) {
    guard case .text(let first) = left, case .text(let second) = right else {
      return (left.description, right.description)
    }
    if first == second {
      return ("\(left) of \(first.utf8.count) bytes", "\(right) of \(second.utf8.count) bytes")
    }
    let common = zip(first.unicodeScalars, second.unicodeScalars).prefix { $0 == $1 }.count
    guard common > 40 else { return (left.description, right.description) }
    func rest(of text: String) -> String {
      "'…\(shortened(String(text.unicodeScalars.dropFirst(common - 12))))'"
    }
    return (rest(of: first), rest(of: second))
  }
}

extension ObjectDigest {
  /// Adds a value read from a store to the digest, with the same result as for the corresponding
  /// Swift type.
  package mutating func add(_ value: ContentValue) {
    switch value {
    case .null, .missingFile: addNull()
    case .integer(let value): add(value)
    case .real(let value): add(value)
    case .text(let value): add(value)
    case .blob(let value): add(value.digest, Self.blobTag)
    case .object(let value): add(object: value.key, of: Self.digest(of: value.entity))
    case .invalidText(let value): add(value.digest, Self.textTag)
    case .malformed(let what, let digest):
      add(Self.digest(of: what), Self.malformedTag)
      add(digest, Self.malformedTag)
    }
  }
}

/// A reference to an object by its entity and key.
package struct ContentReference: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name; for a to-one relationship without an entity column, the declared
  /// destination.
  package var entity: String
  /// The primary key, Z_PK.
  package var key: Int64

  package init(entity: String, key: Int64) {
    self.entity = entity
    self.key = key
  }

  package var description: String { "\(entity) \(key)" }
}

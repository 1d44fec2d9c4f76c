import Basics
import DataModel

/// The digest of one object: its entity, its key, and its values sorted by the bytes of their
/// names.
///
/// Because the values are sorted, the digest is the same whether objects are read through a context
/// or by SQL. The storage class of a value matters: 1, 1.0 and "1" all differ.
///
/// ```swift
/// let shape = ObjectDigest.Shape(entity: "Task", properties: ["title", "isCompleted"])
/// var digest = ObjectDigest(shape, key: 17)
/// digest.add(0 as Int64)  // isCompleted
/// digest.add("Buy milk")  // title
/// list.add(digest.value)
/// ```
package struct ObjectDigest {
  /// The entity and property names of objects to digest, created once for many objects.
  package struct Shape: Hashable, Sendable {
    package let entity: String
    /// The property names, in the order in which the values must be added.
    package let properties: [String]
    @usableFromInline let seed: UInt64

    /// Creates the description of an entity's properties; sorts the names by their bytes.
    package init(entity: String, properties: [String]) {
      let sorted = properties.sorted(byBytesOf: \.self)
      self.entity = entity
      self.properties = sorted
      seed = sorted.reduce(ObjectDigest.digest(of: entity)) {
        Mixing.fold($0 ^ ObjectDigest.digest(of: $1), Mixing.second)
      }
    }
  }

  // One constant per storage class, so that equal bytes of different classes have different
  // digests.
  @usableFromInline static let nullTag: UInt64 = 0x510e_527f_ade6_82d1
  @usableFromInline static let integerTag: UInt64 = 0x9b05_688c_2b3e_6c1f
  @usableFromInline static let realTag: UInt64 = 0x1f83_d9ab_fb41_bd6b
  @usableFromInline static let textTag: UInt64 = 0x5be0_cd19_137e_2179
  @usableFromInline static let blobTag: UInt64 = 0xcbbb_9d5d_c105_9ed9
  @usableFromInline static let objectTag: UInt64 = 0x629a_292a_367c_d507
  @usableFromInline static let malformedTag: UInt64 = 0x9159_015a_3070_dd17

  @usableFromInline var state: UInt64

  /// Starts a digest with the entity and the object's key.
  @inlinable
  package init(_ shape: Shape, key: Int64) {
    state = shape.seed
    add(key)
  }

  /// Starts a digest with the entity only, for content that is independent of the key.
  @inlinable
  package init(_ shape: Shape) {
    state = shape.seed
  }

  /// The digest of everything added so far.
  @inlinable package var value: UInt64 { Mixing.spread(state) }

  @inlinable
  package mutating func addNull() { state = Mixing.fold(state, Self.nullTag) }

  @inlinable
  package mutating func add(_ value: Int64) {
    state = Mixing.fold(state ^ UInt64(bitPattern: value), Self.integerTag)
  }

  @inlinable
  package mutating func add(_ value: Double) {
    // SQLite does not store negative zero in numeric columns.
    state = Mixing.fold(state ^ (value == 0 ? 0 : value.bitPattern), Self.realTag)
  }

  /// Adds a number as a column with NUMERIC affinity stores it.
  ///
  /// A date or decimal without a fraction becomes an integer
  /// (https://www.sqlite.org/datatype3.html, section 3).
  @inlinable
  package mutating func add(numeric value: Double) {
    if let integer = Int64(exactly: value), integer > .min, integer < .max {
      add(integer)
    } else {
      add(value)
    }
  }

  @inlinable
  package mutating func add(_ value: String) {
    // A native Swift string gives access to its bytes in place; a bridged string is copied.
    let digest =
      value.utf8.withContiguousStorageIfAvailable { ByteDigest.of(UnsafeRawBufferPointer($0)) }
    add(digest ?? Self.digest(of: value), Self.textTag)
  }

  /// Adds a string, given as UTF-8 bytes.
  @inlinable
  package mutating func add(text: UnsafeRawBufferPointer) {
    add(ByteDigest.of(text), Self.textTag)
  }

  /// Adds a blob by its content, whether it is stored inline or in a file.
  @inlinable
  package mutating func add(blob: UnsafeRawBufferPointer) {
    add(ByteDigest.of(blob), Self.blobTag)
  }

  /// Adds an attribute's value in the form in which it is stored.
  @inlinable
  package mutating func add(_ value: Value) {
    switch value {
    case .null: addNull()
    case .integer(let value): add(value)
    case .real(let value): add(value)
    case .text(let value): add(value)
    case .blob(let value): value.withUnsafeBytes { add(blob: $0) }
    }
  }

  /// Adds the target of a to-one relationship; `entity` is the ``digest(of:)`` of its entity's
  /// name.
  @inlinable
  package mutating func add(object key: Int64, of entity: UInt64) {
    state = Mixing.fold(state ^ entity, Self.objectTag)
    add(key)
  }

  @inlinable
  mutating func add(_ digest: UInt64, _ tag: UInt64) {
    state = Mixing.fold(state ^ digest, tag)
  }

  /// Returns the digest of a name.
  package static func digest(of name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { ByteDigest.of(UnsafeRawBufferPointer($0)) }
  }
}

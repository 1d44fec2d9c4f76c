import Basics
import DataModel

/// The digest of one object: entity, key, then its values in the byte order of their names.
///
/// Who reads objects through a context and who reads the file by plain SQL get the same digest by
/// the same order. A value counts with its storage class: 1, 1.0 and "1" all differ.
///
///     let shape = ObjectDigest.Shape(entity: "Task", properties: ["title", "isCompleted"])
///     var digest = ObjectDigest(shape, key: 17)
///     digest.add(0 as Int64)  // isCompleted
///     digest.add("Buy milk")  // title
///     list.add(digest.value)
package struct ObjectDigest {
  /// The entity and the names of the values that follow, made once for many objects.
  package struct Shape: Hashable, Sendable {
    package let entity: String
    /// In the order in which the values are added.
    package let properties: [String]
    @usableFromInline let seed: UInt64

    /// Sorts the names into their byte order.
    package init(entity: String, properties: [String]) {
      let sorted = properties.sorted(byBytesOf: \.self)
      self.entity = entity
      self.properties = sorted
      seed = sorted.reduce(ObjectDigest.digest(of: entity)) {
        Mixing.fold($0 ^ ObjectDigest.digest(of: $1), Mixing.second)
      }
    }
  }

  // One constant a storage class: the tag by which equal bytes of two classes differ.
  @usableFromInline static let nullTag: UInt64 = 0x510e_527f_ade6_82d1
  @usableFromInline static let integerTag: UInt64 = 0x9b05_688c_2b3e_6c1f
  @usableFromInline static let realTag: UInt64 = 0x1f83_d9ab_fb41_bd6b
  @usableFromInline static let textTag: UInt64 = 0x5be0_cd19_137e_2179
  @usableFromInline static let blobTag: UInt64 = 0xcbbb_9d5d_c105_9ed9
  @usableFromInline static let objectTag: UInt64 = 0x629a_292a_367c_d507
  @usableFromInline static let malformedTag: UInt64 = 0x9159_015a_3070_dd17

  @usableFromInline var state: UInt64

  /// Starts with the entity and the object's key.
  @inlinable
  package init(_ shape: Shape, key: Int64) {
    state = shape.seed
    add(key)
  }

  /// Starts with the entity alone: the digest of a content that may lie under any key.
  @inlinable
  package init(_ shape: Shape) {
    state = shape.seed
  }

  /// The digest of all that was added.
  @inlinable package var value: UInt64 { Mixing.spread(state) }

  @inlinable
  package mutating func addNull() { state = Mixing.fold(state, Self.nullTag) }

  @inlinable
  package mutating func add(_ value: Int64) {
    state = Mixing.fold(state ^ UInt64(bitPattern: value), Self.integerTag)
  }

  @inlinable
  package mutating func add(_ value: Double) {
    // SQLite keeps no negative zero in a column of numbers.
    state = Mixing.fold(state ^ (value == 0 ? 0 : value.bitPattern), Self.realTag)
  }

  /// Adds a number as a column of NUMERIC affinity keeps it: a date or a decimal without fraction
  /// is an integer there (https://www.sqlite.org/datatype3.html, section 3).
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
    // A native string hands out its bytes in place; a bridged one is copied.
    let digest =
      value.utf8.withContiguousStorageIfAvailable { ByteDigest.of(UnsafeRawBufferPointer($0)) }
    add(digest ?? Self.digest(of: value), Self.textTag)
  }

  /// Adds a text by its bytes in UTF-8.
  @inlinable
  package mutating func add(text: UnsafeRawBufferPointer) {
    add(ByteDigest.of(text), Self.textTag)
  }

  /// Adds a blob by its content, wherever that is kept.
  @inlinable
  package mutating func add(blob: UnsafeRawBufferPointer) {
    add(ByteDigest.of(blob), Self.blobTag)
  }

  /// Adds an attribute's value in storage form.
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

  /// Adds the target of a to-one, with ``digest(of:)`` of the name of its entity.
  @inlinable
  package mutating func add(object key: Int64, of entity: UInt64) {
    state = Mixing.fold(state ^ entity, Self.objectTag)
    add(key)
  }

  @inlinable
  mutating func add(_ digest: UInt64, _ tag: UInt64) {
    state = Mixing.fold(state ^ digest, tag)
  }

  /// The digest of a name.
  package static func digest(of name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { ByteDigest.of(UnsafeRawBufferPointer($0)) }
  }
}

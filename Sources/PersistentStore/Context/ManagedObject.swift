import DataModel

/// An object of a store in memory: a fault until its row is loaded.
///
/// The context keeps no strong reference to an object that has no unsaved changes; an object that
/// nobody holds is gone, as in Core Data.
package final class ManagedObject {
  /// How far an object's row is loaded and what a save has to do with it.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let loaded = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
  }

  package let context: ObjectContext
  package unowned(unsafe) let description: EntityDescription
  package internal(set) var key: Int64
  /// The optimistic-lock counter, Z_OPT, of the row as it was read.
  var version: Int64
  var flags: Flags
  /// The values by slot; empty for a fault.
  var values: [Value]
  /// What only an object with reached relationships, changes or external data has.
  private var extras: Extras?

  /// Makes an object with all that is known of it and registers it in the identity map.
  @inline(__always)
  init(
    context: ObjectContext, description: EntityDescription, key: Int64, version: Int64 = 0,
    values: [Value] = [], flags: Flags = []
  ) {
    self.context = context
    self.description = description
    self.key = key
    self.version = version
    self.values = values
    self.flags = flags
    description.objects.insert(self)
  }

  deinit {
    description.objects.remove(key)
  }

  package var id: ObjectID { ObjectID(entity: description.number, key: key) }

  /// Whether the object's row is not loaded.
  package var isFault: Bool { !flags.contains(.loaded) }
  package var isInserted: Bool { flags.contains(.inserted) }
  package var isDeleted: Bool { flags.contains(.deleted) }

  // MARK: Attributes

  /// The value in a slot; fires the fault and loads external data where that waits for access.
  package func value(at slot: Int) throws -> Value {
    if isFault { try context.fire(self) }
    if case .blob(let bytes) = values[slot], description.externalSlots.contains(slot) {
      return try context.externalStorage.resolve(bytes, in: self, slot: slot)
    }
    return values[slot]
  }

  /// The value of an attribute.
  package func value(of attribute: String) throws -> Value {
    try value(at: description.slot(of: attribute))
  }

  /// Changes an attribute; a save writes it.
  package func setValue(_ value: Value, at slot: Int) throws {
    if isFault { try context.fire(self) }
    var value = value
    if case .blob(let bytes) = value, description.externalSlots.contains(slot) {
      value = .blob(ExternalStorage.inlinePrefix + bytes)
    }
    guard values[slot] != value else { return }
    try willChange()
    values[slot] = value
  }

  package func setValue(_ value: Value, of attribute: String) throws {
    try setValue(value, at: description.slot(of: attribute))
  }

  /// Keeps the values as they were read and puts the object among the changed ones.
  func willChange() throws {
    if isFault { try context.fire(self) }
    guard !flags.contains(.inserted) else { return }
    if snapshot == nil { snapshot = values }
    if !flags.contains(.updated) {
      flags.insert(.updated)
      context.changed.append(self)
    }
  }

  /// Gives up the loaded values, so that the next access reads the row again.
  package func turnIntoFault() {
    guard flags.isDisjoint(with: [.inserted, .updated, .deleted]) else { return }
    flags.remove(.loaded)
    values = []
    extras = nil
  }

  /// Lets go of the objects and blobs that were reached through this one.
  func releaseReached() {
    extras?.toManys = []
    extras?.retained = [:]
    extras?.externalData = [:]
  }
}

extension ManagedObject {
  /// The objects on the other side of a to-many, as they are known.
  struct ToManyCache {
    var targets: [ManagedObject]
    /// The targets' IDs in the store, for a many-to-many or an ordered relationship that changed.
    var saved: [ObjectID]?
  }

  /// The parts of an object that most objects never need; apart, so that a row costs little.
  private final class Extras {
    var snapshot: [Value]?
    var retained: [Int: ManagedObject] = [:]
    var externalData: [Int: [UInt8]] = [:]
    var temporaryKey: Int64 = 0
    var toManys: [ToManyCache?] = []
  }

  private var madeExtras: Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  /// The values as they were read, once one of them has changed.
  var snapshot: [Value]? {
    get { extras?.snapshot }
    set { if newValue != nil || extras != nil { madeExtras.snapshot = newValue } }
  }

  /// Targets of to-ones by slot, kept alive because somebody reached or prefetched them.
  var retained: [Int: ManagedObject] {
    get { extras?.retained ?? [:] }
    _modify { yield &madeExtras.retained }
  }

  /// The data of external files by slot, once loaded.
  var externalData: [Int: [UInt8]] {
    get { extras?.externalData ?? [:] }
    _modify { yield &madeExtras.externalData }
  }

  /// The key before the first save reserved one; 0 for objects that were read.
  var temporaryKey: Int64 {
    get { extras?.temporaryKey ?? 0 }
    set { madeExtras.temporaryKey = newValue }
  }

  /// The loaded to-manys, by position; empty until one is loaded.
  var toManys: [ToManyCache?] {
    get { extras?.toManys ?? [] }
    _modify { yield &madeExtras.toManys }
  }
}

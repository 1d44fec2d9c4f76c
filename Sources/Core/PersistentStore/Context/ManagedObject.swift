import DataModel

/// An object of a store in memory; a fault until its row is loaded.
///
/// As in Core Data, an object without unsaved changes is released with its last strong reference,
/// which the context does not hold. Its values are in the object's own allocation: a second
/// allocation per row would make an eager fetch a tenth slower.
package final class ManagedObject: ManagedBuffer<ObjectState, Value> {
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let loaded = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
  }

  @inline(__always)
  static func make(
    context: ObjectContext,
    description: EntityDescription,
    key: Int64
  ) -> ManagedObject {
    let count = description.slotCount
    description.objects.didMake(in: context)
    let buffer = create(minimumCapacity: count) { _ in
      ObjectState(
        context: .passUnretained(context),
        description: description,
        siblings: .passUnretained(description.objects),
        key: key,
        version: 0,
        slotCount: Int32(truncatingIfNeeded: count),
        flags: [],
        extras: nil
      )
    }
    // `ManagedBuffer.create` returns an instance of the class on which it is called, so the cast is
    // safe.
    return unsafeDowncast(buffer, to: ManagedObject.self)
  }

  deinit {
    if !isFault { deinitializeSlots() }
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    let context = state.pointee.context
    state.pointee.siblings._withUnsafeGuaranteedRef {
      $0.remove(key, address)
      $0.willRelease(in: context)
    }
  }

  @inline(__always)
  private func deinitializeSlots() {
    let slots = slots
    for slot in 0..<slotCount {
      // Skip numbers, the most common values, because they need no deinitialization.
      switch slots[slot] {
      case .text, .blob: (slots + slot).deinitialize(count: 1)
      case .null, .integer, .real: break
      }
    }
  }

  // The pointers are valid for the lifetime of the object and avoid the exclusivity check on a
  // class's stored property.

  @inline(__always)
  private var state: UnsafeMutablePointer<ObjectState> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inline(__always)
  var slots: UnsafeMutablePointer<Value> { withUnsafeMutablePointerToElements { $0 } }

  var slotCount: Int { Int(state.pointee.slotCount) }

  /// The object's context, which lives at least as long as its objects.
  package var context: ObjectContext { state.pointee.context.takeUnretainedValue() }
  package var description: EntityDescription { state.pointee.description }

  @inline(__always)
  func isDescribed(by other: Unmanaged<EntityDescription>) -> Bool {
    Unmanaged.passUnretained(state.pointee.description).toOpaque() == other.toOpaque()
  }

  package internal(set) var key: Int64 {
    @inline(__always) get { state.pointee.key }
    set { state.pointee.key = newValue }
  }

  /// The row's optimistic-lock counter, Z_OPT, when it was read.
  var version: Int64 {
    @inline(__always) get { state.pointee.version }
    @inline(__always) set { state.pointee.version = newValue }
  }

  var flags: Flags {
    @inline(__always) get { state.pointee.flags }
    @inline(__always) _modify { yield &state.pointee.flags }
  }

  package var id: ObjectID { ObjectID(entity: description.number, key: key) }

  /// Whether the object's row has not been loaded.
  package var isFault: Bool { !flags.contains(.loaded) }
  package var isInserted: Bool { flags.contains(.inserted) }
  package var isDeleted: Bool { flags.contains(.deleted) }

  // MARK: Values

  var values: Values { Values(object: self) }

  @inline(__always)
  func load(_ body: (UnsafeMutablePointer<Value>) -> Void) {
    precondition(isFault, "an object is loaded once")
    body(slots)
    flags.insert(.loaded)
  }

  func setValues(_ values: [Value]) {
    precondition(values.count == slotCount, "one value for each slot")
    unload()
    load { slots in
      for (slot, value) in values.enumerated() { (slots + slot).initialize(to: value) }
    }
  }

  func unload() {
    guard !isFault else { return }
    deinitializeSlots()
    flags.remove(.loaded)
  }

  // MARK: Attributes

  /// Loads the object's row if it is a fault, as access to any of its properties does in Core Data.
  package func fireFault() throws { if isFault { try context.fire(self) } }

  /// Returns the value in a slot.
  ///
  /// Fires the fault if necessary, and loads external data if it is configured to load on access.
  package func value(at slot: Int) throws -> Value {
    if isFault { try context.fire(self) }
    precondition(slot >= 0 && slot < slotCount, "no slot \(slot)")
    if case .blob(let bytes) = slots[slot], description.externalSlots.contains(slot) {
      return try context.externalStorage.resolve(bytes, in: self, slot: slot)
    }
    return slots[slot]
  }

  /// Returns the value of an attribute.
  package func value(of attribute: String) throws -> Value {
    try value(at: description.slot(of: attribute))
  }

  /// Sets the value of an attribute in memory; the next save writes it.
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

  func willChange() throws {
    if isFault { try context.fire(self) }
    guard !flags.contains(.inserted) else { return }
    if snapshot == nil { snapshot = Array(UnsafeBufferPointer(start: slots, count: slotCount)) }
    if !flags.contains(.updated) {
      flags.insert(.updated)
      context.changed.append(self)
    }
  }

  func releaseReached() {
    extras?.toManys = []
    extras?.retained = []
    extras?.externalData = [:]
  }
}

extension ManagedObject {
  struct ToManyCache {
    var targets: [ManagedObject]
    var saved: [ObjectID]?
    var isFault = false
    /// Whether targets were added or moved since the last save, not only removed.
    var isRearranged = false
  }

  struct Values: RandomAccessCollection {
    let object: ManagedObject

    var startIndex: Int { 0 }
    var endIndex: Int { object.isFault ? 0 : object.slotCount }

    subscript(slot: Int) -> Value {
      get {
        precondition(indices.contains(slot), "a fault has no value in slot \(slot)")
        return object.slots[slot]
      }
      nonmutating set {
        precondition(indices.contains(slot), "a fault has no value in slot \(slot)")
        object.slots[slot] = newValue
      }
    }
  }

  private var extras: ObjectState.Extras? {
    get { state.pointee.extras }
    set { state.pointee.extras = newValue }
  }

  private var madeExtras: ObjectState.Extras {
    if let extras { return extras }
    let made = ObjectState.Extras()
    extras = made
    return made
  }

  var snapshot: [Value]? {
    get { extras?.snapshot }
    set { if newValue != nil || extras != nil { madeExtras.snapshot = newValue } }
  }

  /// Returns the target of a to-one relationship if it was accessed or prefetched.
  func retained(at slot: Int) -> ManagedObject? {
    guard let extras, !extras.retained.isEmpty else { return nil }
    return extras.retained[slot]
  }

  /// Retains the target of a to-one relationship as long as this object.
  func retain(_ target: ManagedObject?, at slot: Int) {
    guard target != nil || extras?.retained.isEmpty == false else { return }
    let extras = madeExtras
    if extras.retained.isEmpty { extras.retained = Array(repeating: nil, count: slotCount) }
    extras.retained[slot] = target
  }

  var externalData: [Int: [UInt8]] {
    get { extras?.externalData ?? [:] }
    _modify { yield &madeExtras.externalData }
  }

  var toManys: [ToManyCache?] {
    get { extras?.toManys ?? [] }
    _modify { yield &madeExtras.toManys }
  }
}

/// An object's state without its values, which follow the state in the same allocation.
package struct ObjectState {
  /// The context is not retained, because ``siblings``, the table that contains the object, retains
  /// it.
  let context: Unmanaged<ObjectContext>
  unowned(unsafe) let description: EntityDescription
  let siblings: Unmanaged<IdentityMap.Table>
  var key: Int64
  var version: Int64
  let slotCount: Int32
  var flags: ManagedObject.Flags
  var extras: Extras?

  /// State that few objects need, allocated separately to keep rows small.
  final class Extras {
    var snapshot: [Value]?
    /// The targets of to-one relationships by slot; empty if there is none.
    var retained: [ManagedObject?] = []
    var externalData: [Int: [UInt8]] = [:]
    var toManys: [ManagedObject.ToManyCache?] = []
  }
}

/// The identity of an object: the number of its entity and its primary key.
///
/// Negative keys are temporary: they belong to inserted objects that have not been saved.
package struct ObjectID: Hashable, Comparable, Sendable {
  package let entity: Int
  package let key: Int64

  package init(entity: Int, key: Int64) {
    self.entity = entity
    self.key = key
  }

  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.entity, left.key) < (right.entity, right.key)
  }
}

import DataModel

/// What an object is beside its values, which lie behind it in the same piece of memory.
package struct ObjectState {
  let context: ObjectContext
  unowned(unsafe) let description: EntityDescription
  /// The identity map's part of the object's family, which the context keeps.
  let siblings: Unmanaged<IdentityMap.Table>
  var key: Int64
  /// The optimistic-lock counter, Z_OPT, of the row as it was read.
  var version: Int64
  /// The number of slots, and how many of them hold a value once the object is loaded.
  let slotCount: Int32
  var flags: ManagedObject.Flags
  /// What only an object with reached relationships, changes or external data has.
  var extras: ObjectExtras?
}

/// The parts of an object that most objects never need; apart, so that a row costs little.
final class ObjectExtras {
  var snapshot: [Value]?
  var retained: [Int: ManagedObject] = [:]
  var externalData: [Int: [UInt8]] = [:]
  var temporaryKey: Int64 = 0
  var toManys: [ManagedObject.ToManyCache?] = []
}

/// The values of a loaded object by slot.
struct ObjectValues: RandomAccessCollection {
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

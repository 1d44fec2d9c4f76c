/// The objects of a context by identity, without keeping any of them alive.
///
/// An object takes itself out when it goes away. Every row that is loaded passes through here, so
/// this is a table of our own with open addressing: Swift's dictionaries hash keys against
/// attacks, which costs a tenth of an eager fetch.
final class IdentityMap {
  /// The objects below one root entity, among which primary keys are unique.
  final class Table {
    private struct State {
      var slots: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
      var mask: Int
      var count: Int
    }

    /// Behind a pointer, because a class's variables are checked for exclusive access.
    private let state: UnsafeMutablePointer<State>

    private var slots: UnsafeMutablePointer<Unmanaged<ManagedObject>?> {
      @inline(__always) get { state.pointee.slots }
    }

    private var mask: Int {
      @inline(__always) get { state.pointee.mask }
    }

    init() {
      state = .allocate(capacity: 1)
      state.initialize(to: State(slots: .allocate(capacity: 16), mask: 15, count: 0))
      slots.initialize(repeating: nil, count: 16)
    }

    deinit {
      slots.deallocate()
      state.deallocate()
    }

    /// The slot where the probing for a key starts: Fibonacci hashing, Knuth, TAOCP 3, 6.4.
    @inline(__always)
    private func home(of key: Int64) -> Int {
      let product = UInt64(bitPattern: key) &* 0x9e37_79b9_7f4a_7c15
      return Int(truncatingIfNeeded: product >> 20) & mask
    }

    /// The slot of a key, or the empty one where it belongs.
    @inline(__always)
    private func slot(of key: Int64) -> Int {
      var slot = home(of: key)
      while let found = slots[slot] {
        if found._withUnsafeGuaranteedRef({ $0.key == key }) { return slot }
        slot = (slot + 1) & mask
      }
      return slot
    }

    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
      slots[slot(of: key)]?.takeUnretainedValue()
    }

    func insert(_ object: ManagedObject) {
      if state.pointee.count * 2 > mask { grow() }
      let slot = slot(of: object.key)
      if slots[slot] == nil { state.pointee.count += 1 }
      slots[slot] = .passUnretained(object)
    }

    private func grow() {
      let (old, oldCapacity) = (slots, mask + 1)
      state.pointee.mask = oldCapacity * 2 - 1
      state.pointee.slots = .allocate(capacity: oldCapacity * 2)
      slots.initialize(repeating: nil, count: oldCapacity * 2)
      for index in 0..<oldCapacity {
        guard let object = old[index] else { continue }
        slots[slot(of: object._withUnsafeGuaranteedRef { $0.key })] = object
      }
      old.deallocate()
    }

    /// Empties the slot of a key and closes the gap, so that no probing ends too early.
    func remove(_ key: Int64) {
      var gap = slot(of: key)
      guard slots[gap] != nil else { return }
      slots[gap] = nil
      state.pointee.count -= 1
      var next = (gap + 1) & mask
      while let object = slots[next] {
        let home = home(of: object._withUnsafeGuaranteedRef { $0.key })
        if (next - home) & mask >= (next - gap) & mask {
          slots[gap] = object
          slots[next] = nil
          gap = next
        }
        next = (next + 1) & mask
      }
    }

    /// The objects at this moment, kept alive by the caller.
    var objects: [ManagedObject] {
      (0...mask).compactMap { slots[$0]?.takeUnretainedValue() }
    }
  }

  private let tables: [Table]

  init(entityCount: Int) {
    tables = (0...entityCount).map { _ in Table() }
  }

  /// The objects below a root entity's number.
  @inline(__always)
  subscript(root: Int) -> Table { tables[root] }

  var objects: [ManagedObject] { tables.flatMap(\.objects) }
}

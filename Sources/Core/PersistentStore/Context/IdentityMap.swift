/// A context's objects by identity, held weakly.
///
/// An object removes itself when it is deallocated. The map is searched for every loaded row, so it
/// uses its own open-addressing tables: the attack-resistant hash of Swift's dictionaries would
/// take a tenth of the time of an eager fetch.
final class IdentityMap {
  private let tables: [Table]

  init(entityCount: Int) {
    tables = (0...entityCount).map { _ in Table() }
  }

  @inline(__always)
  subscript(root: Int) -> Table { tables[root] }

  var objects: [ManagedObject] { tables.flatMap(\.objects) }

  var count: Int { tables.reduce(0) { $0 + $1.count } }

  var memoryBytes: Int { tables.reduce(0) { $0 + $1.memoryBytes } }
}

extension IdentityMap {
  /// The objects of one root entity and its sub-entities, which share one range of primary keys.
  ///
  /// Consecutive keys have adjacent entries. If the keys form clusters, the table switches to a
  /// scattering hash.
  final class Table {
    private struct Entry {
      static let empty: UInt = 0
      static let removed: UInt = 1

      var key: Int64
      var address: UInt
    }

    private struct State {
      var entries: UnsafeMutablePointer<Entry>
      var mask: Int
      var count = 0
      var used = 0
      /// The number of objects created and not released, including those whose key has changed
      /// since.
      var living = 0
      var isScattered = false
    }

    private static let smallest = 64
    private static let longestWay = 64

    /// The state is behind a pointer, because Swift checks each access to a class's stored property
    /// for exclusivity.
    private let state: UnsafeMutablePointer<State>

    init() {
      state = .allocate(capacity: 1)
      state.initialize(to: State(entries: Self.makeEntries(Self.smallest), mask: Self.smallest - 1))
    }

    deinit {
      state.pointee.entries.deallocate()
      state.deallocate()
    }

    private static func makeEntries(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
      let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
      entries.initialize(repeating: Entry(key: 0, address: Entry.empty), count: capacity)
      return entries
    }

    var count: Int { state.pointee.count }

    var memoryBytes: Int { (state.pointee.mask + 1) * MemoryLayout<Entry>.stride }

    @inline(__always)
    private func home(of key: Int64) -> Int {
      guard state.pointee.isScattered else {
        return Int(truncatingIfNeeded: key) & state.pointee.mask
      }
      // Fibonacci hashing: Knuth, TAOCP 3, 6.4.
      let product = UInt64(bitPattern: key) &* 0x9e37_79b9_7f4a_7c15
      return Int(truncatingIfNeeded: product >> 20) & state.pointee.mask
    }

    @inline(__always)
    func place(of key: Int64) -> Int {
      let (entries, mask) = (state.pointee.entries, state.pointee.mask)
      var place = home(of: key)
      while entries[place].address != Entry.empty {
        if entries[place].key == key, entries[place].address != Entry.removed { return place }
        place = (place + 1) & mask
      }
      return place
    }

    @inline(__always)
    func object(at place: Int) -> ManagedObject? {
      guard let pointer = UnsafeRawPointer(bitPattern: state.pointee.entries[place].address)
      else { return nil }
      return Unmanaged<ManagedObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? { object(at: place(of: key)) }

    /// Inserts an object at the position that ``place(of:)`` has just returned for its key.
    @inline(__always)
    func insert(_ object: ManagedObject, at place: Int) {
      let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      state.pointee.entries[place] = Entry(key: object.key, address: address)
      state.pointee.count += 1
      state.pointee.used += 1
      if state.pointee.used * 2 > state.pointee.mask || isFar(place, from: object.key) { rebuild() }
    }

    func insert(_ object: ManagedObject) {
      if let other = self.object(object.key) { remove(other) }
      insert(object, at: place(of: object.key))
    }

    @inline(__always)
    private func isFar(_ place: Int, from key: Int64) -> Bool {
      (place &- home(of: key)) & state.pointee.mask > Self.longestWay
        && !state.pointee.isScattered
    }

    /// Retains the context while any object of the table exists.
    ///
    /// The objects share one reference; a reference each would cost two atomic operations per row.
    @inline(__always)
    func didMake(in context: ObjectContext) {
      if state.pointee.living == 0 { _ = Unmanaged.passRetained(context) }
      state.pointee.living += 1
    }

    /// Call before an object is released; the last object releases the context and possibly this
    /// table.
    @inline(__always)
    func willRelease(in context: Unmanaged<ObjectContext>) {
      state.pointee.living -= 1
      if state.pointee.living == 0 { context.release() }
    }

    func remove(_ object: ManagedObject) {
      remove(object.key, UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    func remove(_ key: Int64, _ address: UInt) {
      let (entries, mask) = (state.pointee.entries, state.pointee.mask)
      var place = place(of: key)
      guard entries[place].address == address else { return }
      state.pointee.count -= 1
      entries[place].address = Entry.removed
      guard entries[(place + 1) & mask].address == Entry.empty else { return }
      // Clear the removed entries before this entry too: the next entry is empty, so probing does
      // not need them.
      while entries[place].address == Entry.removed {
        entries[place].address = Entry.empty
        state.pointee.used -= 1
        place = (place &- 1) & mask
      }
    }

    private func rebuild() {
      let old = state.pointee
      // Whether the only reason for the rebuild is long probe sequences.
      let isCrowded = old.used * 2 <= old.mask && old.count * 2 >= old.used
      state.pointee.isScattered = old.isScattered || isCrowded
      var capacity = Self.smallest
      while capacity < (old.count + 1) * 4 { capacity *= 2 }
      state.pointee.entries = Self.makeEntries(capacity)
      state.pointee.mask = capacity - 1
      state.pointee.used = old.count
      for index in 0...old.mask where old.entries[index].address > Entry.removed {
        state.pointee.entries[place(of: old.entries[index].key)] = old.entries[index]
      }
      old.entries.deallocate()
    }

    var objects: [ManagedObject] {
      (0...state.pointee.mask).compactMap { place in
        state.pointee.entries[place].address > Entry.removed ? object(at: place) : nil
      }
    }
  }
}

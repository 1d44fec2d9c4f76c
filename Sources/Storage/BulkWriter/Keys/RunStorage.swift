import Basics
import Synchronization

/// Where sorted runs wait for their merge: in memory up to a limit, the rest in a temporary file.
final class RunStorage: @unchecked Sendable {
  /// Pages come into being as they are first written, so the whole limit costs nothing at first.
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  private let used = Atomic(0)
  private let spilled = Atomic(0)
  private let folder: String
  private let monitor = Monitor()
  // Made when it is first needed; belongs to the monitor.
  private var spill: DatabaseFile?

  init(capacity: Int, folder: String) throws {
    self.capacity = max(capacity, 1)
    self.folder = folder
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let memory = mmap(nil, self.capacity, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let memory, memory != MAP_FAILED else {
      throw BulkWriterError.cannotWrite(path: folder, reason: System.errorText())
    }
    self.memory = memory
  }

  deinit {
    munmap(memory, capacity)
  }

  /// Keeps bytes and returns where they are.
  func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    let place = used.add(bytes.count, ordering: .relaxed).oldValue
    if place + bytes.count <= capacity {
      (memory + place).copyMemory(from: start, byteCount: bytes.count)
      return place
    }
    let offset = spilled.add(bytes.count, ordering: .relaxed).oldValue
    try spillFile().write(start, count: bytes.count, at: offset)
    return capacity + offset
  }

  func read(_ place: Int, count: Int, into target: UnsafeMutableRawPointer) throws {
    if place < capacity {
      target.copyMemory(from: memory + place, byteCount: count)
    } else {
      try spillFile().read(into: target, count: count, at: place - capacity)
    }
  }

  /// Forgets all runs and gives their memory and disk back.
  func clear() throws {
    madvise(memory, min(used.load(ordering: .relaxed), capacity), MADV_DONTNEED)
    used.store(0, ordering: .relaxed)
    spilled.store(0, ordering: .relaxed)
    try spill?.resize(to: 0)
  }

  private func spillFile() throws -> DatabaseFile {
    try monitor.locked {
      if let spill { return spill }
      let file = try DatabaseFile(temporaryIn: folder)
      spill = file
      return file
    }
  }
}

import Basics
import PersistentStore
import SQLite

/// The first 100 bytes of a store (https://www.sqlite.org/fileformat2.html#the_database_header).
package struct FileHeader: Encodable, Equatable, Sendable {
  /// The page size in bytes.
  package let pageSize: Int
  /// The number of pages according to the header.
  package private(set) var pageCount: Int
  package private(set) var freePageCount: Int
  /// Whether the file is in WAL mode, in which it has a -wal file while it is in use.
  package let usesWAL: Bool
  /// The version of the SQLite library that last wrote the file, such as `3.39.5`; `nil` if the
  /// header contains no version.
  package var sqliteVersion: String?
  /// The auto-vacuum mode: `none`, `full` or `incremental`.
  package private(set) var autoVacuum: String
  package private(set) var encoding: String

  /// Reads the header of a file.
  ///
  /// - Throws: ``PersistentStoreError``: `missing`, `notSQLite` or `damaged`, or a ``Refusal`` if
  ///   the file or its -wal cannot be read.
  package init(of store: StoreFile) throws {
    guard store.exists else { throw PersistentStoreError.missing(path: store.path) }
    guard access(store.path, R_OK) == 0 else {
      throw Refusal.cannotRead(store.path)
    }
    if let refusal = store.unreadableWAL { throw refusal }
    guard let bytes = FileHead.read(store.path, count: 100, followingLinks: true),
      bytes.areOfSQLiteFile
    else { throw PersistentStoreError.notSQLite(path: store.path) }
    guard bytes.count == 100 else {
      throw PersistentStoreError.damaged(path: store.path, reason: "it ends within its header")
    }
    func number(_ offset: Int, _ count: Int = 4) -> Int {
      bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = number(16, 2)
    pageSize = size == 1 ? 65_536 : size
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
      throw PersistentStoreError.damaged(
        path: store.path,
        reason: "its header gives pages of \(pageSize) bytes"
      )
    }
    pageCount = number(28)
    freePageCount = number(36)
    usesWAL = bytes[18] == 2 || bytes[19] == 2
    autoVacuum = number(52) == 0 ? "none" : number(64) == 0 ? "full" : "incremental"
    encoding = [1: "UTF-8", 2: "UTF-16le", 3: "UTF-16be"][number(56)] ?? "unknown"
    let version = number(96)
    sqliteVersion =
      version == 0 ? nil : "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
  }

  /// Updates the values that the WAL may have changed, using an open connection.
  ///
  /// - Throws: ``Refusal/notUTF8(path:encoding:)``.
  mutating func refine(by connection: Connection, of store: StoreFile) throws {
    pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    freePageCount = Int(try connection.integer("PRAGMA freelist_count") ?? 0)
    let level = try connection.integer("PRAGMA auto_vacuum") ?? 0
    autoVacuum = [1: "full", 2: "incremental"][level] ?? "none"
    encoding = try connection.text("PRAGMA encoding") ?? "unknown"
    guard encoding == "UTF-8" else { throw Refusal.notUTF8(path: store.path, encoding: encoding) }
  }
}

/// Reads parts of regular files and never blocks on a pipe or a device.
enum FileHead {
  /// Returns the first bytes of a regular file, or all bytes of a shorter file; `nil` for other
  /// kinds of files.
  static func read(_ path: String, count: Int, followingLinks: Bool = false) -> [UInt8]? {
    withFile(path, followingLinks: followingLinks) { descriptor, _ in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, 0) }
      return got < 0 ? nil : Array(bytes.prefix(got))
    }
  }

  /// Calls a closure with the descriptor and the size of a regular file; returns `nil` for other
  /// kinds of files.
  static func withFile<Result>(
    _ path: String,
    followingLinks: Bool = false,
    _ body: (Int32, Int64) throws -> Result?
  ) rethrows -> Result? {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
    let descriptor = open(path, flags)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = FileStatus(ofOpen: descriptor), status.kind == .file else { return nil }
    return try body(descriptor, status.size)
  }
}

/// A store's -wal file, read frame by frame (https://www.sqlite.org/fileformat2.html#walformat).
package struct WriteAheadLog: Encodable, Equatable, Sendable {
  /// The size of the -wal file in bytes.
  package let bytes: Int64
  package let pageSize: Int
  /// The number of frames up to the last commit; readers see only these frames.
  package private(set) var committedFrames = 0
  /// The number of frames after the last commit, left by an unfinished transaction.
  package private(set) var uncommittedFrames = 0
  /// The number of bytes after the valid frames, which a checkpoint has left behind or which are
  /// damaged.
  package private(set) var ignoredBytes: Int64 = 0
  /// Whether the header is valid and its checksum is correct.
  package let isReadable: Bool
  /// Whether the -shm file next to the WAL is the index of another WAL.
  package private(set) var disagreesWithSharedMemory = false

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Reads the -wal file of a store; `nil` if the file is missing or empty.
  init?(of store: StoreFile) {
    let log = FileHead.withFile(store.wal) { descriptor, size in
      WriteAheadLog(descriptor, size: size)
    }
    guard var log else { return nil }
    if let index = FileHead.read(store.sharedMemory, count: 48),
      let header = FileHead.read(store.wal, count: Self.headerSize)
    {
      log.compare(index: index, header: header)
    }
    self = log
  }

  private init?(_ descriptor: Int32, size: Int64) {
    guard size > 0 else { return nil }
    bytes = size
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    let got = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let pageSize = Self.number(header, 8)
    self.pageSize = pageSize
    var sum = Checksum(isBigEndian: header[3] & 1 == 1)
    sum.add(header[..<24])
    isReadable =
      got == Self.headerSize && Self.number(header, 0) & ~1 == 0x377f_0682
      && (512...65_536).contains(pageSize) && pageSize & (pageSize - 1) == 0
      && sum.equals(header, at: 24)
    ignoredBytes = size - Int64(got)
    if isReadable { readFrames(descriptor, salt: Array(header[16..<24]), sum) }
  }

  private mutating func readFrames(_ descriptor: Int32, salt: [UInt8], _ start: Checksum) {
    var sum = start
    var offset = Int64(Self.headerSize)
    let frameSize = Self.frameHeaderSize + pageSize
    var frame = [UInt8](repeating: 0, count: frameSize)
    while offset + Int64(frameSize) <= bytes {
      let got = frame.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      guard got == frameSize, frame[8..<16].elementsEqual(salt), Self.number(frame, 0) > 0 else {
        break
      }
      sum.add(frame[..<8])
      sum.add(frame[Self.frameHeaderSize...])
      guard sum.equals(frame, at: 16) else { break }
      uncommittedFrames += 1
      if Self.number(frame, 4) > 0 {
        committedFrames += uncommittedFrames
        uncommittedFrames = 0
      }
      offset += Int64(frameSize)
    }
    ignoredBytes = bytes - offset
  }

  /// Checks whether the WAL index has the salts of the WAL; an index without frames is ignored.
  private mutating func compare(index: [UInt8], header: [UInt8]) {
    guard index.count == 48, index[12] == 1 else { return }
    // The index has the byte order of the machine that wrote it; all of Apple's current machines
    // are little-endian.
    let frames = (16..<20).reduce(0) { $0 | Int(index[$1]) << (8 * ($1 - 16)) }
    disagreesWithSharedMemory = frames > 0 && !index[32..<40].elementsEqual(header[16..<24])
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) {
      self.isBigEndian = isBigEndian
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { raw in
        var offset = 0
        while offset + 8 <= raw.count {
          let left = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let right = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
          offset += 8
        }
      }
    }

    func equals(_ bytes: [UInt8], at offset: Int) -> Bool {
      Int(first) == number(bytes, offset) && Int(second) == number(bytes, offset + 4)
    }
  }
}

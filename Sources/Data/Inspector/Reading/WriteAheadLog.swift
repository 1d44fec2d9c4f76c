import Basics
import PersistentStore

/// What lies in a store's -wal, read frame by frame (https://www.sqlite.org/fileformat2.html#walformat).
package struct WriteAheadLog: Encodable, Equatable, Sendable {
  /// Bytes of the -wal.
  package let bytes: Int64
  package let pageSize: Int
  /// Frames up to the last commit: what a reader sees.
  package private(set) var committedFrames = 0
  /// Frames of a save that never ended, after the last commit.
  package private(set) var uncommittedFrames = 0
  /// Bytes after the frames: of an earlier round, as after a checkpoint, or damaged.
  package private(set) var ignoredBytes: Int64 = 0
  /// Whether the header's own checksum fits.
  package let isReadable: Bool
  /// Whether an index of the WAL lies beside it that was made for another WAL.
  package private(set) var disagreesWithSharedMemory = false

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Reads the -wal of a store; `nil` where there is none or it is empty.
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

  /// The index's own copy of the salts must be the WAL's, where it counts any frames.
  private mutating func compare(index: [UInt8], header: [UInt8]) {
    guard index.count == 48, index[12] == 1 else { return }
    // The index is in the byte order of the machine that wrote it; all known ones are little.
    let frames = (16..<20).reduce(0) { $0 | Int(index[$1]) << (8 * ($1 - 16)) }
    disagreesWithSharedMemory = frames > 0 && !index[32..<40].elementsEqual(header[16..<24])
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The running checksum of the header and the frames.
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

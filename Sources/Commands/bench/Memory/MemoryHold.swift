import Basics
import Foundation

/// Memory that is held, so that as much stays free as was asked for.
struct MemoryHold: ~Copyable {
  private static let chunk = 32 << 20
  /// Taken at a time: letting go must not have to wait.
  private static let mostAtOnce = 8

  private let free: Int
  private var chunks: [UnsafeMutableRawPointer] = []

  init(free: Int) {
    self.free = free
  }

  deinit {
    for chunk in chunks { munmap(chunk, Self.chunk) }
  }

  /// Has the system end this process before any other, should memory run out.
  static func makePreferredVictim() {
    try? Data("1000".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
  }

  /// Takes what is free beyond what has to be, or lets go of what is short.
  ///
  /// - Returns: whether there is more to take.
  mutating func adjust() -> Bool {
    guard let now = Self.freeBytes() else { return false }
    var lacking = free - now
    while lacking > Self.chunk, let last = chunks.popLast() {
      munmap(last, Self.chunk)
      lacking -= Self.chunk
    }
    let surplus = (now - free) / Self.chunk
    for _ in 0..<min(max(surplus, 0), Self.mostAtOnce) {
      guard let chunk = Self.take() else { return false }
      chunks.append(chunk)
    }
    return surplus > 0
  }

  /// A chunk whose every page was touched.
  private static func take() -> UnsafeMutableRawPointer? {
    let chunk = mmap(nil, Self.chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let chunk, chunk != MAP_FAILED else { return nil }
    for offset in stride(from: 0, to: Self.chunk, by: 4096) {
      chunk.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
    }
    return chunk
  }

  /// What nothing uses, not even a cache; `nil` where the system does not say.
  private static func freeBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemFree:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes << 10
  }
}

import Basics
import Foundation
import Runner

/// Finds out whether the machine gives memory back to its host and waits for each page it takes again.
///
/// A page that the system has at hand costs the same whenever it is touched. One that a virtual machine
/// has returned costs the host's work beside it, the first time alone: so memory beyond what is in use
/// is touched once, let go, and touched again.
package struct MemoryProbe {
  /// What a chunk's pages cost when they were touched for the first and for the second time.
  struct Chunk: Hashable {
    /// Seconds a page.
    var first: Double
    var second: Double
  }

  static let chunkBytes = 32 << 20
  private static let pageBytes = 4096
  /// Bytes that stay free for everything else.
  private static let spareBytes = 600 << 20
  /// Seconds that the probe may take: a machine that returns memory is slow to give it.
  private static let mostSeconds = 4.0

  /// Touches so many bytes beyond those in use, as far as they are free; `nil` if the system does
  /// not show what is free, or too little is.
  package static func measure(bytes: Double) -> MemoryReturn? {
    guard let free = freeBytes() else { return nil }
    let most = min(Int(min(bytes, 1e12)), free - spareBytes) / chunkBytes
    guard most >= 4 else { return nil }
    let first = touch(most, within: mostSeconds)
    let second = touch(first.count, within: .infinity)
    return judge(zip(first, second).map { Chunk(first: $0, second: $1) })
  }

  /// Judges the chunks in the order in which they were taken: the first that costs more is where
  /// the memory at hand ends.
  static func judge(_ chunks: [Chunk]) -> MemoryReturn? {
    let usual = chunks.map(\.second).median ?? 0
    guard usual > 0 else { return nil }
    // A chunk that was disturbed is one of many; half a microsecond more is no other page's cost.
    let isDear = chunks.map { $0.first > max(2 * usual, usual + 5e-7) }
    let dear = zip(chunks, isDear).filter(\.1).map { $0.0.first - usual }
    guard let start = isDear.firstIndex(of: true), dear.count * 4 >= chunks.count - start,
      dear.count > 1
    else { return nil }
    return MemoryReturn(
      atHand: Double(start * chunkBytes),
      secondsPerByte: (dear.median ?? 0) / Double(pageBytes)
    )
  }

  /// Takes chunks and holds them all; gives the seconds that a page of each took.
  private static func touch(_ count: Int, within seconds: Double) -> [Double] {
    var chunks: [UnsafeMutableRawPointer] = []
    defer { for chunk in chunks { munmap(chunk, chunkBytes) } }
    var times: [Double] = []
    let start = MonotonicClock.seconds()
    while times.count < count, MonotonicClock.seconds() - start < seconds {
      let found = mmap(nil, chunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard let found, found != MAP_FAILED else { break }
      chunks.append(found)
      let before = MonotonicClock.seconds()
      for offset in stride(from: 0, to: chunkBytes, by: pageBytes) {
        found.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
      }
      let pages = Double(chunkBytes / pageBytes)
      times.append((MonotonicClock.seconds() - before) / pages)
    }
    return times
  }

  /// What nothing uses, not even a cache, and no limit of a container forbids; `nil` if the system
  /// does not say.
  package static func freeBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemFree:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    // Taking more than a control group leaves would end the process.
    let left = MemoryLimit.groups.map { Int(clamping: $0.limit) - Int(clamping: $0.used) }
    return ([kilobytes << 10] + left).min()
  }
}

/// The cost of memory that a machine has returned to its host.
package struct MemoryReturn: Codable, Hashable, Sendable {
  /// Bytes beyond those in use that the machine has at hand.
  package let atHand: Double
  /// Seconds for the first touch of each byte beyond them.
  package let secondsPerByte: Double

  /// The delay by memory beyond that at hand for a run that needs so many bytes.
  package func delay(needing bytes: Double) -> Double {
    max(0, bytes - atHand) * secondsPerByte
  }
}

extension Forecast {
  /// Bytes that a run on a store of such a size has in memory at most: its own, and its files in the
  /// system's cache.
  package func touchedBytes(objects: Double) -> Double {
    [Resource.memory, .disk].reduce(0) { sum, resource in
      guard case .success(let interval) = predict(resource, objects: objects) else { return sum }
      return sum + interval.value
    }
  }

  /// The longest delay by returned memory at a size; 0 if the machine returns none, or has enough.
  package func memoryDelay(objects: Double) -> Double {
    memoryReturn?.delay(needing: touchedBytes(objects: objects)) ?? 0
  }
}

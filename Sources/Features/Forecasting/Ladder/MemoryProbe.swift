import Basics
import Foundation
import Runner

/// Detects whether the machine returns free memory to its host.
///
/// On such a machine, taking the memory back takes time. A page that the system has available costs
/// the same at every touch. A page that a virtual machine has returned costs additional work of the
/// host, but only at the first touch. The probe therefore touches unused memory, releases it, and
/// touches it again.
package struct MemoryProbe {
  /// The cost of touching the pages of a chunk (a 32 MiB allocation) for the first and for the
  /// second time.
  struct Chunk: Hashable {
    var first: Double
    var second: Double
  }

  static let chunkBytes = 32 << 20
  private static let pageBytes = 4096
  /// The number of free bytes that the probe leaves untouched for other uses.
  private static let spareBytes = 600 << 20
  /// The maximum duration of the probe in seconds, because a machine that returns memory is slow to
  /// provide it.
  private static let mostSeconds = 4.0

  /// Touches up to the given number of unused bytes, as far as they are free; returns `nil` if the
  /// system does not report free memory, or too little is free.
  package static func measure(bytes: Double) -> MemoryReturn? {
    guard let free = freeBytes() else { return nil }
    let most = min(Int(min(bytes, 1e12)), free - spareBytes) / chunkBytes
    guard most >= 4 else { return nil }
    let first = touch(most, within: mostSeconds)
    let second = touch(first.count, within: .infinity)
    return judge(zip(first, second).map { Chunk(first: $0, second: $1) })
  }

  /// Evaluates the chunks in the order in which they were allocated; the available memory ends at
  /// the first chunk that costs more.
  static func judge(_ chunks: [Chunk]) -> MemoryReturn? {
    let usual = chunks.map(\.second).median ?? 0
    guard usual > 0 else { return nil }
    // Several chunks must cost more, because a disturbance can slow down a single chunk. Half a
    // microsecond or less is not the cost of a returned page.
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

  /// Allocates chunks and holds them all; returns the seconds per page for each chunk.
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

  /// The number of bytes that are unused, even by caches, and within the limits of containers;
  /// `nil` if the system does not report it.
  package static func freeBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemFree:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    // The system would kill a process that takes more memory than its control group allows.
    let left = MemoryLimit.groups.map { Int(clamping: $0.limit) - Int(clamping: $0.used) }
    return ([kilobytes << 10] + left).min()
  }
}

/// The cost of memory that a machine has returned to its host.
package struct MemoryReturn: Codable, Hashable, Sendable {
  /// The number of unused bytes that the machine still has and need not take back from its host.
  package let atHand: Double
  /// Seconds per byte for the first touch of memory beyond the available bytes.
  package let secondsPerByte: Double

  /// The delay of a run that needs a number of bytes, due to memory beyond the available bytes.
  package func delay(needing bytes: Double) -> Double {
    max(0, bytes - atHand) * secondsPerByte
  }
}

extension Forecast {
  /// The predicted number of bytes that a run occupies in memory: its own peak memory, and its
  /// files in the system's cache.
  package func touchedBytes(objects: Double) -> Double {
    [Resource.memory, .disk].reduce(0) { sum, resource in
      guard case .success(let interval) = predict(resource, objects: objects) else { return sum }
      return sum + interval.value
    }
  }

  /// The predicted delay due to returned memory, in seconds; 0 if the machine returns no memory, or
  /// has enough available.
  package func memoryDelay(objects: Double) -> Double {
    memoryReturn?.delay(needing: touchedBytes(objects: objects)) ?? 0
  }
}

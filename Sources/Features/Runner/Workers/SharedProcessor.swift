import Basics

/// One processor that several processes run on, such as both sides of a block.
///
/// Processors of one machine differ in speed for longer than a block takes: where a neighbour keeps
/// the other half of a core busy, by a factor of 1.6. Slices in turns on two of them, and runs on
/// either, compare the processors. Which one it is has nothing to do with what runs there, so that
/// a block stays as symmetric as it was.
package struct SharedProcessor: Sendable {
  let number: Int

  /// The processor that this thread runs on, where the system has put it because it was free.
  ///
  /// `nil` where there is no way to know, as outside Linux.
  package static var current: SharedProcessor? {
    #if canImport(Glibc)
      typealias Call = @convention(c) () -> CInt
      guard let call: Call = GNUSymbol.function("sched_getcpu") else { return nil }
      let number = Int(call())
      return (0..<ProcessorMask.limit).contains(number) ? SharedProcessor(number: number) : nil
    #else
      return nil
    #endif
  }

  /// Keeps this thread on it, and whatever processes it starts from now on.
  package func keepThisThread() { keep(0) }

  /// Keeps a process on it, and whatever threads it starts from now on.
  ///
  /// One that may not be kept there runs where it likes: its block scatters more, and holds.
  func keep(_ process: pid_t) {
    #if canImport(Glibc)
      typealias Call = @convention(c) (pid_t, Int, UnsafeRawPointer) -> CInt
      guard let call: Call = GNUSymbol.function("sched_setaffinity") else { return }
      ProcessorMask(number).bits.withUnsafeBytes { bytes in
        if let address = bytes.baseAddress { _ = call(process, bytes.count, address) }
      }
    #endif
  }
}

#if canImport(Glibc)
  /// A set of one processor, as the system reads it: a bit each.
  private struct ProcessorMask {
    static let limit = 1024

    var bits = [UInt](repeating: 0, count: limit / UInt.bitWidth)

    init(_ number: Int) {
      bits[number / UInt.bitWidth] = 1 << UInt(number % UInt.bitWidth)
    }
  }

  /// Functions that the C library declares for GNU sources only, which Swift's module of it is not.
  private enum GNUSymbol {
    static func function<Function>(_ name: String) -> Function? {
      dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
  }
#endif

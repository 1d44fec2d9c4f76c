import Basics

/// A thread that runs one closure.
struct Thread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private let handle: pthread_t?

  /// Begins to run; where no thread can be had, the closure has run when this returns.
  init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body))
    var handle = pthread_t()
    let status = pthread_create(&handle, nil, Self.start, context.toOpaque())
    self.handle = status == 0 ? handle : nil
    if status != 0 { context.takeRetainedValue().run() }
  }

  func join() {
    if let handle { pthread_join(handle, nil) }
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    {
      if let context = $0 { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }
}

import Basics

/// A file that is written and read at chosen places, from any thread.
final class DatabaseFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Makes a file, empty where there was one.
  init(creating path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
  }

  /// Makes a file without a name, which goes with its last use.
  init(temporaryIn folder: String) throws {
    path = folder + "/keys"
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
    unlink(path)
  }

  deinit {
    close(descriptor)
  }

  func write(_ source: UnsafeRawPointer, count: Int, at offset: Int) throws {
    var done = 0
    while done < count {
      let written = pwrite(descriptor, source + done, count - done, off_t(offset + done))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.cannotWrite(path) }
      done += written
    }
  }

  func read(into target: UnsafeMutableRawPointer, count: Int, at offset: Int) throws {
    var done = 0
    while done < count {
      let found = pread(descriptor, target + done, count - done, off_t(offset + done))
      if found < 0, errno == EINTR { continue }
      guard found > 0 else {
        let reason = found == 0 ? "it ends early" : System.errorText()
        throw BulkWriterError.cannotRead(path: path, reason: reason)
      }
      done += found
    }
  }

  func resize(to count: Int) throws {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw Self.cannotWrite(path) }
  }

  private static func cannotWrite(_ path: String) -> BulkWriterError {
    .cannotWrite(path: path, reason: System.errorText())
  }
}

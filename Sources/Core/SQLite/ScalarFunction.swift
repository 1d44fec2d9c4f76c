import CSQLite

extension Connection {
  /// An argument or the result of an SQL function.
  package enum FunctionValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  /// Registers an SQL function with any number of arguments, replacing a function of the same name.
  ///
  /// A deterministic function's value depends on its arguments alone. Triggers may call a harmless
  /// function even if the schema is not trusted
  /// (https://www.sqlite.org/c3ref/c_deterministic.html#sqliteinnocuous).
  /// - Throws: ``SQLiteError`` if the name has more than 255 bytes.
  package func registerFunction(
    _ name: String,
    isHarmless: Bool = false,
    isDeterministic: Bool = true,
    _ body: @escaping ([FunctionValue]) -> FunctionValue
  ) throws {
    let box = Unmanaged.passRetained(FunctionBox(body))
    let code = sqlite3_create_function_v2(
      handle.pointer,
      name,
      -1,
      SQLITE_UTF8 | (isHarmless ? SQLITE_INNOCUOUS : 0)
        | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      box.toOpaque(),
      { context, count, values in
        guard let user = sqlite3_user_data(context) else { return }
        let box = Unmanaged<FunctionBox>.fromOpaque(user).takeUnretainedValue()
        let arguments = (0..<Int(count)).map { FunctionValue(values?[$0]) }
        box.body(arguments).give(to: context)
      },
      nil,
      nil,
      // Release the closure only in this destructor, which SQLite calls even if the registration
      // fails.
      { $0.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } }
    )
    guard code == SQLITE_OK else { throw handle.error(code, while: "register function \(name)") }
  }

  private final class FunctionBox {
    let body: ([FunctionValue]) -> FunctionValue

    init(_ body: @escaping ([FunctionValue]) -> FunctionValue) {
      self.body = body
    }
  }
}

extension Connection.FunctionValue {
  fileprivate init(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let text = sqlite3_value_text(value)
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
      self = .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      self = .blob(Array(bytes))
    default: self = .null
    }
  }

  fileprivate func give(to context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let value):
      var text = value
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_result_text64(
            context,
            $0.baseAddress,
            UInt64($0.count),
            csqlite_transient(),
            UInt8(SQLITE_UTF8)
          )
        }
      }
    case .blob(let value):
      value.withUnsafeBytes {
        sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), csqlite_transient())
      }
    }
  }
}

extension TableSnapshot {
  static let live = """
    """
}

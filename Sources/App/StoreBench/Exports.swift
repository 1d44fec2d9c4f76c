// Export the public declarations of these modules, which packages with their own kinds need.
@_exported import PersistentStore
@_exported import Runner

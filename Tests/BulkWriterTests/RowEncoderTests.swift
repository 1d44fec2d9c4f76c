import BulkWriter
import Testing

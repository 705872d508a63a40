// A write that waits for another one would time out; here it fails at once.
import { Writer } from '../../packages/waymark/src/core/sqlite/writer.ts'

Writer.detectsNesting = true

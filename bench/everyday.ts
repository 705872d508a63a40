// What everyday calls cost through the built command: CPU time of a durable create beside the same statements without
// Waymark, creates in flight, the first calls after a start, and memory. Ratios come from one run, measured in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureInFlight } from './everyday/in-flight.ts'
import { measureMemory } from './everyday/memory.ts'
import { measureStarts } from './everyday/starts.ts'
import { measureWrites } from './everyday/writes.ts'

const { values } = parseArgs({
  options: {
    /** A built checkout of another version to compare with. */
    earlier: { type: 'string' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'waymark-everyday-'))
try {
  await measureWrites(folder, values.earlier ?? process.env['WAYMARK_EARLIER'])
  await measureInFlight(folder)
  await measureStarts(folder)
  await measureMemory(folder)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

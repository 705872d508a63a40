// What the task queue costs: finding work in small and large projects, many processes that claim at once, and, with
// --peers, a thousand creates and claims beside those of others. Ratios come from one run, measured in turns, so that a
// busy machine hits all of them alike.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureClaims } from './queue/claims.ts'
import { measurePeers } from './queue/peers.ts'
import { measureSizes } from './queue/sizes.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-queue-'))
try {
  await measureSizes(folder)
  await measureClaims(folder)
  if (process.argv.includes('--peers')) await measurePeers(folder)
  else console.log('\nleft out: other programs; --peers installs them into a temporary folder')
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

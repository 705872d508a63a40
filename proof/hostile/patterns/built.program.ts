// Says which regular expressions are put together when the modules that do so are loaded.
import { writeSync } from 'node:fs'

const Original = RegExp
const made: { source: string; flags: string }[] = []
globalThis.RegExp = new Proxy(Original, {
  construct(target, [source, flags]: [string | RegExp, string | undefined]) {
    const pattern = new target(source, flags)
    made.push({ source: pattern.source, flags: pattern.flags })
    return pattern
  },
})
await import('../../../packages/waymark/src/domain/secrets/find-secret.ts')
await import('../../../packages/baton/src/auth/canonical-jwt.ts')
for (const pattern of made) writeSync(1, `${JSON.stringify(pattern)}\n`)

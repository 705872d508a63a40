// Says which regular expressions are put together while the program runs, and by which line of which source.
import { writeSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const Original = RegExp
const FRAME = /^ +at (?:.* \()?(.+):(\d+):\d+\)?$/
globalThis.RegExp = new Proxy(Original, {
  construct: (target, given: [string | RegExp, string?]) => tell(new target(...given)),
  apply: (target, _, given: [string | RegExp, string?]) => tell(target(...given)),
})

function tell(pattern: RegExp): RegExp {
  // The message, this function, the one that called it, and whoever put the expression together.
  const [, , , caller = ''] = (new Error('where').stack ?? '').split('\n')
  const [, place = '', line] = FRAME.exec(caller) ?? []
  const path = place.startsWith('file:') ? fileURLToPath(place) : place
  const file = relative(ROOT, path).replaceAll('\\', '/')
  if (file.startsWith('packages/')) report(pattern, `${file}:${line}`)
  return pattern
}

function report({ source, flags }: RegExp, place: string): void {
  writeSync(1, `${JSON.stringify({ place, source, flags })}\n`)
}

await import('../../../packages/waymark/src/secret/secrets.ts')
await import('../../../packages/baton/src/auth/token/canonical-jwt.ts')
await import('../../../packages/waymark/src/surfaces/caller.ts')
await import('../../../packages/waymark/src/git/remote/parse-address.ts')
await import('../../../packages/waymark/src/support/text/relative-time.ts')
const { DIALECT_NAMES, loadDialects } =
  await import('../../../packages/waymark/src/dialects/load-dialects.ts')
const { findRoute } = await import('../../../packages/waymark/src/dialects/resource-address.ts')
const { allOperations } = await import('../../../packages/waymark/src/registry.ts')
const { toJsonSchema } = await import('../../../packages/waymark/src/core/input/schema.ts')

for (const name of DIALECT_NAMES) {
  const [dialect] = await loadDialects(name)
  const resources = dialect.resources?.listed ?? []
  // An address is compared with each template that begins like it, the one that it was made from included.
  for (const { template } of resources) {
    findRoute(resources, template.replaceAll(/\{\w+\}/g, '1'))
  }
  visitSchema(dialect.listed)
}
const operations = await allOperations()
visitSchema(operations.map(({ input }) => toJsonSchema(input)))

/** Expressions in schemas become ones that arguments are searched for. */
function visitSchema(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('pattern' in value && typeof value.pattern === 'string')
    report(new Original(value.pattern, 'u'), 'a schema')
  if ('patternProperties' in value) {
    for (const name of Object.keys(value.patternProperties ?? {}))
      report(new Original(name, 'u'), 'a schema')
  }
  Object.values(value).forEach(visitSchema)
}

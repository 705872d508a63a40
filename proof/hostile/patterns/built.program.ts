// Says which regular expressions are put together while the program runs, and by which file.
import { writeSync } from 'node:fs'

let file = ''
const Original = RegExp
globalThis.RegExp = new Proxy(Original, {
  construct(target, [source, flags]: [string | RegExp, string | undefined]) {
    const pattern = new target(source, flags)
    report(pattern)
    return pattern
  },
})

function report({ source, flags }: RegExp): void {
  if (file !== '') writeSync(1, `${JSON.stringify({ file, source, flags })}\n`)
}

file = 'packages/waymark/src/domain/secrets/rules.ts'
await import('../../../packages/waymark/src/domain/secrets/rules.ts')
file = 'packages/waymark/src/domain/secrets/find-secret.ts'
await import('../../../packages/waymark/src/domain/secrets/find-secret.ts')
file = 'packages/baton/src/auth/canonical-jwt.ts'
await import('../../../packages/baton/src/auth/canonical-jwt.ts')
file = 'packages/waymark/src/surface/caller.ts'
await import('../../../packages/waymark/src/surface/caller.ts')

file = ''
const { DIALECT_NAMES, loadDialects } =
  await import('../../../packages/waymark/src/dialects/load-dialects.ts')
const { findRoute } = await import('../../../packages/waymark/src/dialects/resource-address.ts')
const { allOperations } = await import('../../../packages/waymark/src/operations/index.ts')
const { toJsonSchema } = await import('../../../packages/waymark/src/schema.ts')

for (const name of DIALECT_NAMES) {
  const [dialect] = await loadDialects(name)
  const resources = dialect.resources?.listed ?? []
  for (const { template } of resources) {
    file = 'packages/waymark/src/dialects/resource-address.ts'
    // An address is compared with each template that begins like it, the one that it was made from included.
    findRoute(resources, template.replaceAll(/\{\w+\}/g, '1'))
    file = ''
  }
  file = 'packages/baton/src/internal/json-schema'
  visitSchema(dialect.listed)
  file = ''
}
const operations = await allOperations()
const schemas = operations.map(({ input }) => toJsonSchema(input))
file = 'packages/baton/src/internal/json-schema'
visitSchema(schemas)

/** Expressions in schemas become ones that arguments are searched for. */
function visitSchema(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('pattern' in value && typeof value.pattern === 'string')
    report(new Original(value.pattern, 'u'))
  if ('patternProperties' in value) {
    for (const name of Object.keys(value.patternProperties ?? {})) report(new Original(name, 'u'))
  }
  Object.values(value).forEach(visitSchema)
}

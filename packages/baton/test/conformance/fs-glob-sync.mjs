// The conformance suite imports `globSync` from `fs`, which Node 20 does not have, for a command that we do not use.
import * as fs from 'node:fs'
import { register } from 'node:module'

const STAND_IN = `
export * from 'node:fs'
export { default } from 'node:fs'
export const globSync = () => { throw new Error('globSync needs a newer Node') }
`

const HOOKS = `
const standIn = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(STAND_IN)}`)}
export function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
  return isSuite && /^(node:)?fs$/.test(specifier)
    ? { url: standIn, shortCircuit: true }
    : next(specifier, context)
}
`

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
